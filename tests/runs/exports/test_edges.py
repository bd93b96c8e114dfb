"""A run written as a list of edges."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import honeyguide
from crawler.driving import HandWired, script_settings
from honeyguide.errors import RunDamaged, SettingsError
from honeyguide.runs import open_run
from honeyguide.runs.exports import EdgesWritten, write
from runs.exports.scripted_runs import WIKI, crawled
from scripted_world import ScriptedWorld, page_with, redirect_to

if TYPE_CHECKING:
    from scripted_world import Script


def lines_of(run: Path) -> list[str]:
    out = io.StringIO()
    with open_run(run) as opened:
        write(opened, out)
    assert out.getvalue().endswith("\n")
    return out.getvalue().splitlines()


def test_the_number_of_vertices_then_an_edge_a_line(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", {"http://s.test/": page_with("/a", "/b"), "http://s.test/a": page_with("/b")})
    assert lines_of(run) == [
        "3",
        "http://s.test/ http://s.test/a",
        "http://s.test/ http://s.test/b",
        "http://s.test/a http://s.test/b",
    ]


def test_articles_of_a_wiki_are_written_as_their_paths(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", crawl__profile="wikipedia")
    assert lines_of(run) == [
        "4",
        "/wiki/A /wiki/B",
        "/wiki/A /wiki/C%20c",
        "/wiki/B /wiki/A",
        "/wiki/B /wiki/Caf%C3%A9",
    ]


def test_a_wiki_that_redirects_from_another_address_is_still_one_wiki(tmp_path: Path) -> None:
    script: Script = {"http://old.test/wiki/A": redirect_to("http://w.test/wiki/A"), **WIKI}
    assert lines_of(crawled(tmp_path / "run", script, crawl__profile="wikipedia"))[:2] == ["4", "/wiki/A /wiki/B"]


def test_articles_of_two_wikis_keep_their_hosts(tmp_path: Path) -> None:
    script: Script = {**WIKI, "http://v.test/wiki/A": page_with("/wiki/B")}
    seeds = ["http://w.test/wiki/A", "http://v.test/wiki/A"]
    lines = lines_of(crawled(tmp_path / "run", script, crawl__profile="wikipedia", crawl__seed_urls=seeds))
    assert "http://v.test/wiki/A http://v.test/wiki/B" in lines
    assert "http://w.test/wiki/A http://w.test/wiki/B" in lines


def test_without_the_profile_urls_are_written_whole(tmp_path: Path) -> None:
    assert "http://w.test/wiki/A http://w.test/w/x" in lines_of(crawled(tmp_path / "run"))


def test_a_run_that_has_fetched_nothing_yet_has_its_seeds(tmp_path: Path) -> None:
    HandWired(tmp_path / "run", ScriptedWorld(WIKI), script_settings()).close()
    assert lines_of(tmp_path / "run") == ["1"]


def test_no_line_has_more_than_one_blank(tmp_path: Path) -> None:
    odd = "/a%20b", "/c d", "/e\tf", "/g?h=i j", "/\u00a0k", "/l\u2028m"
    run = crawled(tmp_path / "run", {"http://s.test/": page_with(*odd)})
    count, *edges = lines_of(run)
    assert int(count) == len(edges) + 1 == len({edge.split()[1] for edge in edges}) + 1
    assert all(len(edge.split()) == 2 and edge.count(" ") == 1 for edge in edges)


def test_progress_is_reported_page_by_page(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    with open_run(crawled(tmp_path / "run")) as run:
        written = write(run, io.StringIO(), on_progress=lambda done, pages: told.append((done, pages)))
    assert told == [(1, 2), (2, 2)]
    assert str(written) == "6 vertices, 6 edges"
    assert str(EdgesWritten(1, 1)) == "1 vertex, 1 edge"


class TestTheCall:
    def test_a_file_is_replaced_when_the_new_one_is_whole(self, tmp_path: Path) -> None:
        run, file = crawled(tmp_path / "run"), tmp_path / "graph.txt"
        file.write_text("old", encoding="utf-8")
        written = honeyguide.export(run, file, "edges")
        assert file.read_text(encoding="utf-8").splitlines() == lines_of(run)
        assert written == EdgesWritten(6, 6)
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["graph.txt", "run"]

    def test_a_failure_leaves_the_old_file_and_nothing_else(self, tmp_path: Path) -> None:
        run, file = crawled(tmp_path / "run"), tmp_path / "graph.txt"
        file.write_text("old", encoding="utf-8")

        def stop(_done: int, _pages: int) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            honeyguide.export(run, file, on_progress=stop)
        assert file.read_text(encoding="utf-8") == "old"
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["graph.txt", "run"]

    def test_a_symbolic_link_stays_one(self, tmp_path: Path) -> None:
        run, link = crawled(tmp_path / "run"), tmp_path / "link.txt"
        link.symlink_to(tmp_path / "graph.txt")
        honeyguide.export(run, link)
        assert link.is_symlink()
        assert (tmp_path / "graph.txt").read_text(encoding="utf-8").startswith("6\n")

    def test_what_is_no_plain_file_is_written_to_as_it_is(self, tmp_path: Path) -> None:
        run, pipe = crawled(tmp_path / "run"), tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        honeyguide.export(run, pipe)
        assert os.read(reader, 10_000).decode().splitlines() == lines_of(run)
        os.close(reader)
        assert pipe.is_fifo()

    def test_an_unknown_format_and_no_run_are_refused_before_anything_is_written(self, tmp_path: Path) -> None:
        run = crawled(tmp_path / "run")
        with pytest.raises(
            SettingsError,
            match="the format is 'dot': choose one of edges, jsonl, csv, parquet, ",
        ):
            honeyguide.export(run, tmp_path / "graph.dot", "dot")
        with pytest.raises(RunDamaged, match="not a run folder"):
            honeyguide.export(tmp_path / "nowhere", tmp_path / "graph.txt")
        assert [entry.name for entry in tmp_path.iterdir()] == ["run"]

    def test_a_folder_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError, match="nowhere"):
            honeyguide.export(crawled(tmp_path / "run"), Path(tmp_path / "nowhere" / "graph.txt"))
