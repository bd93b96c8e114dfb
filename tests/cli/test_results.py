"""The most relevant pages of a run: through a pipe, as JSON, and on a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

from honeyguide.cli.main import main
from honeyguide.cli.output import one_line
from honeyguide.runs import RunFolder, SqliteStore, open_run
from honeyguide.settings import Settings, to_toml

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from cli.conftest import RunProgram


def test_through_a_pipe_each_page_is_a_line_of_plain_columns(run_program: RunProgram, finished_run: Path) -> None:
    done = run_program("results", str(finished_run), "--top", "5")
    lines = done.stdout.splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    with open_run(finished_run) as run:
        best = list(run.pages(best_first=True, limit=5))
    assert done.returncode == 0
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    assert [row[3] for row in rows] == [page.url.text for page in best]
    assert "\x1b" not in done.stdout
    assert "topic: geology" in lines[0]
    assert "60 fetches" in lines[1]


def test_all_shows_every_page_as_json_with_whole_urls(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", str(finished_run), "--all", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    with open_run(finished_run) as run:
        urls = [page.url.text for page in run.pages(best_first=True)]
    assert [page["url"] for page in document["results"]] == urls
    relevance = [page["relevance"] for page in document["results"]]
    assert relevance == sorted(relevance, reverse=True)
    assert document["pages"] == len(urls)


def test_a_run_that_has_no_page_yet_is_no_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, lock = RunFolder.create(tmp_path / "run", to_toml(Settings()))
    lock.close()
    SqliteStore(folder.database_file).close()
    assert main(["results", str(folder.path)]) == 0
    assert "0 pages" in capsys.readouterr().out
    assert main(["results", str(folder.path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"] == []


def test_on_a_terminal_there_is_a_table(finished_run: Path) -> None:
    controller, terminal = pty.openpty()
    command = [sys.executable, "-m", "honeyguide.cli.main", "results", str(finished_run), "--top", "3"]
    subprocess.run(command, stdout=terminal, check=True, env={**os.environ, "TERM": "xterm", "COLUMNS": "80"})
    os.close(terminal)
    shown = os.read(controller, 100_000).decode()
    os.close(controller)
    assert "relevance" in shown
    assert "3 of " in shown
    assert "--all shows the rest" in shown


def test_a_reader_that_stops_reading_is_no_mistake(finished_run: Path) -> None:
    command = f"'{sys.executable}' -m honeyguide.cli.main results '{finished_run}' --all | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_what_a_terminal_would_obey_is_left_out_of_a_title() -> None:
    assert one_line("Rocks\x1b[2J\x07 and\r\n minerals\u202e") == "Rocks [2J and minerals"


def test_only_pages_as_relevant_as_asked(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open_run(finished_run) as run:
        best = list(run.pages(best_first=True))
    floor = best[4].relevance
    assert main(["results", str(finished_run), "--min-relevance", str(floor), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["results"]
    assert [page["url"] for page in shown] == [page.url.text for page in best if page.relevance >= floor]
    assert main(["results", str(finished_run), "--relevant", "--all", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["results"]
    assert [page["url"] for page in shown] == [page.url.text for page in best if page.is_relevant]


def test_a_snippet_has_words_of_the_topic(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["results", str(finished_run), "--top", "3", "--json"]) == 0
    for page in json.loads(capsys.readouterr().out)["results"]:
        shown = f"{page['title']} {page['snippet']}".lower()
        assert any(word in shown for word in ("geolog", "rock", "mineral", "fossil"))
        assert not page["snippet"].startswith(page["title"])  # which stands above it
    assert main(["results", str(finished_run), "--top", "3", "--json", "--no-snippets"]) == 0
    assert {page["snippet"] for page in json.loads(capsys.readouterr().out)["results"]} == {None}
    assert main(["results", str(finished_run), "--top", "1", "--snippets"]) == 0
    assert len(capsys.readouterr().out.splitlines()[-1].split("\t")) == 6
