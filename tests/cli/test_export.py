"""`honeyguide export` as a person types it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.cli.main import main
from honeyguide.runs.exports import EXPORTS, EdgesWritten

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal


def test_edges_go_to_stdout_and_nothing_else_does(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(finished_run), "--format", "edges"]) == 0
    shown = capsys.readouterr()
    count, *edges = shown.out.splitlines()
    assert shown.err == ""
    assert int(count) > 60
    assert len(edges) > 60
    assert main(["export", str(finished_run), "--format", "edges", "-o", "-"]) == 0
    assert capsys.readouterr().out == shown.out


def test_a_file_is_written_and_told_of(finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "graph.txt"
    assert main(["export", str(finished_run), "--format", "edges", "--output", str(file)]) == 0
    count, *edges = file.read_text(encoding="utf-8").splitlines()
    assert capsys.readouterr().out == f"{file}: {int(count):,} vertices, {len(edges):,} edges\n"
    written = honeyguide.export(finished_run, tmp_path / "twin.txt", "edges")
    assert written == EdgesWritten(int(count), len(edges))
    assert (tmp_path / "twin.txt").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("file_format", ["jsonl", "csv", "warc", "graphml", "gexf", "markdown"])
def test_stdout_gets_what_a_file_gets(finished_run: Path, tmp_path: Path, file_format: str) -> None:
    command = [sys.executable, "-m", "honeyguide.cli.main", "export", str(finished_run), "--format", file_format]
    shown = subprocess.run(command, capture_output=True, check=True)
    honeyguide.export(finished_run, tmp_path / "file", file_format, one_file=file_format == "markdown")
    assert shown.stderr == b""
    assert shown.stdout == (tmp_path / "file").read_bytes()


def test_parquet_through_a_pipe_can_be_read(finished_run: Path) -> None:
    pytest.importorskip("pyarrow")
    from pyarrow import BufferReader  # noqa: PLC0415 - an extra
    from pyarrow.parquet import read_table  # noqa: PLC0415

    command = [sys.executable, "-m", "honeyguide.cli.main", "export", str(finished_run), "--format", "parquet"]
    shown = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    with honeyguide.open_run(finished_run) as run:
        assert read_table(BufferReader(shown)).column("url").to_pylist() == [page.url.text for page in run.pages()]


def test_out_may_stand_behind_the_run(finished_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "pages.jsonl"
    assert main(["export", str(finished_run), "--format", "jsonl", "--relevant", "--no-text", str(file)]) == 0
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert capsys.readouterr().out == f"{file}: {len(lines)} pages\n"
    assert all(line["is_relevant"] and line["text"] is None for line in lines)


def test_a_file_is_replaced_only_when_told_to(finished_run: Path, tmp_path: Path, refusal: Refusal) -> None:
    file = tmp_path / "graph.txt"
    file.write_text("mine", encoding="utf-8")
    words = refusal("export", str(finished_run), "--format", "edges", str(file))
    assert "graph.txt is there already; name another file, or give --overwrite to replace it" in words
    assert main(["export", str(finished_run), "--format", "edges", str(file), "--overwrite"]) == 0
    assert file.read_text(encoding="utf-8") != "mine"


def test_a_terminal_is_not_sent_bytes(finished_run: Path) -> None:
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "honeyguide.cli.main", "export", str(finished_run), "--format", "warc"]
    done = subprocess.run(command, stdout=terminal, stderr=subprocess.PIPE, text=True, check=False)
    os.close(terminal)
    os.close(controller)
    assert done.returncode == 2
    assert done.stderr == "honeyguide: --format warc is no text for a terminal; name a file to write to\n"


def test_there_is_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Example" in shown
    assert "honeyguide export my-run --format edges" in shown
    for name in EXPORTS:
        assert name in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "--format", "edges"), "nowhere is not a run folder"),
        (("nowhere", "--format", "edges", "-o", "graph.txt"), "nowhere is not a run folder"),
        (("nowhere",), "the format is missing: choose one of edges"),
        (("finished", "--format", "dot"), "the format is 'dot': choose one of edges"),
        (("finished", "--format", "dot", "-o", "graph.dot"), "the format is 'dot': choose one of edges"),
        (("finished", "--format", "edges", "-o", "no/where.txt"), "no/where.txt: the folder does not exist; make it"),
        (("finished", "--format", "edges", "-o", "finished"), "Is a directory"),
        (("finished", "--format", "warc", "finished"), "Is a directory"),
        (("finished", "--format", "markdown", "finished"), "not empty; name a new folder"),
        (("finished", "--format", "markdown", "no/where"), "no/where: the folder does not exist; make it first"),
        (
            ("finished", "--format", "edges", "--relevant"),
            "the format edges has all pages met, not the relevant ones alone",
        ),
        (("finished", "--format", "csv", "--one-file"), "all in one file is for the format markdown"),
        (("finished", "--format", "warc", "--no-text"), "parquet, markdown can leave out text; warc cannot"),
        (("finished", "--format", "edges", "--no-text"), "parquet, markdown can leave out text; edges cannot"),
        (("finished", "--format", "gexf", "--no-text", "a"), "parquet, markdown can leave out text; gexf cannot"),
        (("finished", "--format", "csv", "a.csv", "-o", "b.csv"), "two places to write to, a.csv and b.csv; give one"),
        (("finished", "--format", "csv", "/proc/nothing.csv"), "/proc/nothing.csv"),
    ],
)
def test_what_cannot_be_written_is_refused(
    refusal: Refusal, finished_run: Path, arguments: tuple[str, ...], words: str
) -> None:
    assert finished_run.name == "finished"
    assert words in refusal("export", *arguments)


@pytest.mark.parametrize("output", ["", "-o -", "-o /dev/stdout", "-o /dev/fd/1"])
def test_a_reader_that_stops_reading_is_no_mistake(finished_run: Path, output: str) -> None:
    command = f"'{sys.executable}' -m honeyguide.cli.main export '{finished_run}' --format edges {output} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert int(done.stdout) > 60


def test_stdout_by_its_name_gets_the_graph_and_nothing_else(finished_run: Path) -> None:
    command = f"'{sys.executable}' -m honeyguide.cli.main export '{finished_run}' --format edges -o "
    by_dash, by_name = (
        subprocess.run(f"{command} {name} | cat", shell=True, capture_output=True, text=True, check=False)
        for name in ("-", "/dev/stdout")
    )
    assert (by_name.stderr, by_name.stdout) == ("", by_dash.stdout)


def test_a_pipe_is_written_to_as_it_is(finished_run: Path, tmp_path: Path) -> None:
    file = tmp_path / "graph.txt"
    honeyguide.export(finished_run, file, "edges")
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as reader:
        with ThreadPoolExecutor(1) as threads:
            received = threads.submit(reader.read)
            honeyguide.export(finished_run, f"/dev/fd/{write_end}", "edges")
            os.close(write_end)
        assert received.result() == file.read_bytes()


def test_a_profile_is_a_flag_of_crawl_and_stands_in_the_settings_of_the_run(tmp_path: Path) -> None:
    (tmp_path / "site" / "wiki").mkdir(parents=True)
    (tmp_path / "site" / "wiki" / "A").write_text(
        "<html><a href='/wiki/C'>c</a><p><a href='/wiki/B'>b</a></p></html>", encoding="utf-8"
    )
    (tmp_path / "site" / "wiki" / "B").write_text("<html><p>end</p></html>", encoding="utf-8")
    flags = ("--world", f"site:{tmp_path / 'site'}@http://w.test/", "--seed-url", "http://w.test/wiki/A")
    chosen = ("--profile", "wikipedia", "--strategy", "weighted-breadth-first", "--judge", "keyword")
    assert main(["crawl", str(tmp_path / "run"), *flags, *chosen]) == 0
    assert main(["export", str(tmp_path / "run"), "--format", "edges", "-o", str(tmp_path / "graph.txt")]) == 0
    assert (tmp_path / "graph.txt").read_text(encoding="utf-8") == "2\n/wiki/A /wiki/B\n"
    assert "pause_every = 10\n" in (tmp_path / "run" / "settings.toml").read_text(encoding="utf-8")


def test_an_unknown_profile_is_refused(refusal: Refusal) -> None:
    flags = ("--world", "synthetic", "--topic", "geology", "--profile", "wikipeda")
    assert "crawl.profile is 'wikipeda': choose one of wikipedia" in refusal("crawl", "run", *flags)


@pytest.mark.parametrize("name", ["crawl.sqlite", "settings.toml", "pages.jsonl", "archive/pages.jsonl", "link.jsonl"])
def test_nothing_is_written_among_the_files_of_a_run(finished_run: Path, refusal: Refusal, name: str) -> None:
    (finished_run / "archive").mkdir(exist_ok=True)
    database = (finished_run / "crawl.sqlite").read_bytes()
    target = finished_run / name
    if name == "link.jsonl":
        target = finished_run.parent / name
        target.symlink_to(finished_run / "crawl.sqlite")
    told = refusal("export", str(finished_run), "--format", "jsonl", str(target), "--overwrite")
    assert f"{name} lies in the run folder {finished_run}" in told
    assert "name a place outside" in told
    assert (finished_run / "crawl.sqlite").read_bytes() == database


def test_neither_is_a_folder_of_markdown(finished_run: Path, refusal: Refusal) -> None:
    told = refusal("export", str(finished_run), "--format", "markdown", str(finished_run / "pages"))
    assert "lies in the run folder" in told


def test_a_place_that_cannot_be_written_is_named_as_it_was_asked_for(
    finished_run: Path, tmp_path: Path, refusal: Refusal
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    told = refusal("export", str(finished_run), "--format", "jsonl", "file/pages.jsonl")
    assert told == "honeyguide: file/pages.jsonl: Not a directory; name another place with -o\n"


def test_a_missing_format_is_told_with_all_there_are(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(finished_run)]) == 2
    assert "the format is missing: choose one of edges, jsonl, csv" in capsys.readouterr().err
