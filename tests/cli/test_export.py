"""`honeyguide export`: files, and what goes through stdout."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

import honeyguide
from cli.conftest import PROGRAM
from honeyguide.runs.exports import EdgesWritten

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli, RunProgram


def test_a_file_is_written_and_counted(cli: Cli, shared_run: Path, tmp_path: Path) -> None:
    shown = cli("export", shared_run, "--format", "edges", "--output", "graph.txt")
    count, *edges = (tmp_path / "graph.txt").read_text(encoding="utf-8").splitlines()
    assert shown == f"graph.txt: {int(count):,} vertices, {len(edges):,} edges\n"
    assert honeyguide.export(shared_run, tmp_path / "twin.txt", "edges") == EdgesWritten(int(count), len(edges))
    assert (tmp_path / "twin.txt").read_bytes() == (tmp_path / "graph.txt").read_bytes()
    assert cli("export", shared_run, "--format", "edges") == (tmp_path / "twin.txt").read_text(encoding="utf-8")


def test_out_may_stand_behind_the_run(cli: Cli, shared_run: Path, tmp_path: Path) -> None:
    shown = cli("export", shared_run, "--format", "jsonl", "--relevant", "--no-text", "pages.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines()]
    assert shown == f"pages.jsonl: {len(lines)} pages\n"
    assert all(line["is_relevant"] and line["text"] is None for line in lines)


def test_a_file_is_replaced_only_when_asked(cli: Cli, shared_run: Path, tmp_path: Path) -> None:
    (tmp_path / "graph.txt").write_text("mine", encoding="utf-8")
    cli("export", shared_run, "--format", "edges", "graph.txt", status=2)
    assert "graph.txt is there already; name another file, or give --overwrite to replace it" in cli.err
    cli("export", shared_run, "--format", "edges", "graph.txt", "--overwrite")
    assert (tmp_path / "graph.txt").read_text(encoding="utf-8") != "mine"


@pytest.mark.parametrize("file_format", ["jsonl", "csv", "graphml", "gexf", "markdown", "corpus"])
def test_stdout_gets_what_a_file_gets(cli: Cli, shared_run: Path, tmp_path: Path, file_format: str) -> None:
    shown = cli("export", shared_run, "--format", file_format)
    honeyguide.export(shared_run, tmp_path / "file", file_format, one_file=file_format == "markdown")
    assert cli.err == ""
    assert shown == (tmp_path / "file").read_bytes().decode().replace("\r\n", "\n" if "\r" not in shown else "\r\n")


@pytest.mark.parametrize("file_format", ["warc", "csv"])
def test_bytes_go_through_a_pipe_as_they_are(
    run_program: RunProgram, shared_run: Path, tmp_path: Path, file_format: str
) -> None:
    done = run_program("export", str(shared_run), "--format", file_format, text=False)
    honeyguide.export(shared_run, tmp_path / "file", file_format)
    assert (done.stderr, done.stdout) == (b"", (tmp_path / "file").read_bytes())


def test_parquet_through_a_pipe_can_be_read(run_program: RunProgram, shared_run: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import BufferReader  # noqa: PLC0415 - an extra
    from pyarrow.parquet import read_table  # noqa: PLC0415

    shown: bytes = run_program("export", str(shared_run), "--format", "parquet", text=False).stdout
    with honeyguide.open_run(shared_run) as run:
        assert read_table(BufferReader(shown)).column("url").to_pylist() == [page.url.text for page in run.pages()]


def test_a_pipe_is_written_to_as_it_is(shared_run: Path, tmp_path: Path) -> None:
    honeyguide.export(shared_run, tmp_path / "graph.txt", "edges")
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as reader:
        with ThreadPoolExecutor(1) as threads:
            received = threads.submit(reader.read)
            honeyguide.export(shared_run, f"/dev/fd/{write_end}", "edges")
            os.close(write_end)
        assert received.result() == (tmp_path / "graph.txt").read_bytes()


def test_an_address_is_replaced_only_when_asked(cli: Cli, shared_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    address = f"file://{tmp_path}/pages.jsonl"
    assert cli("export", shared_run, "--format", "jsonl", "-o", address).startswith(f"{address}: ")
    cli("export", shared_run, "--format", "jsonl", address, status=2)
    assert f"{address} is there already" in cli.err
    cli("export", shared_run, "--format", "jsonl", address, "--overwrite")
    cli("export", shared_run, "--format", "jsonl", "-o", "nosuch://a/b", status=2)
    assert cli.err == "honeyguide: nosuch://a/b: Protocol not known: nosuch; name a file, or s3:// or gs://\n"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("s3://", "s3:// names no file"),
        ("file:///", "file:/// names no file"),
        ("memory://x/pages.jsonl", "memory://x/pages.jsonl would be gone"),
        ("ftp://127.0.0.1:1/pages.jsonl", "ftp://127.0.0.1:1/pages.jsonl cannot be used: ConnectionRefusedError"),
    ],
)
def test_an_address_that_takes_no_file_is_named(
    cli: Cli, shared_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, words: str
) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    monkeypatch.chdir(tmp_path)
    cli("export", shared_run, "--format", "jsonl", address, status=2)
    assert words in cli.err
    assert not list(tmp_path.iterdir())


def test_a_folder_at_an_address_is_never_mixed_with_another(cli: Cli, shared_run: Path, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.md").write_text("mine")
    cli("export", shared_run, "--format", "markdown", f"file://{tmp_path}/notes", "--overwrite", status=2)
    assert "is there already and not empty; name a new folder" in cli.err
    cli("export", shared_run, "--format", "jsonl", f"file://{tmp_path}/notes", "--overwrite", status=2)
    assert "is there already and a folder; name a file in it" in cli.err
    assert [file.name for file in (tmp_path / "notes").iterdir()] == ["mine.md"]


@pytest.mark.parametrize(
    ("command", "counted"), [(["export", "--format", "jsonl"], "pages"), (["report", "--output", "-"], "fetches")]
)
def test_a_terminal_shows_how_far_it_is_while_the_output_goes_elsewhere(
    shared_run: Path, tmp_path: Path, command: list[str], counted: str
) -> None:
    pty = pytest.importorskip("pty")
    terminal, its_end = pty.openpty()
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen([*PROGRAM, *command, str(shared_run)], stdout=out, stderr=its_end)
    os.close(its_end)
    shown = b""
    with suppress(OSError):  # at the end
        while read := os.read(terminal, 10_000):
            shown += read
    os.close(terminal)
    assert process.wait() == 0
    assert counted in shown.decode()
    assert (tmp_path / "out").read_text(encoding="utf-8").startswith(("{", "<!doctype html>"))
