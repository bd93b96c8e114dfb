"""The index follows the run: what is missing is added, what is lost is made anew, and nobody is in another's way."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.search import Searcher
from honeyguide.search import indexing as module
from honeyguide.search.indexing import IndexedPage, StoredPage, index_as_they_come, index_language, open_indexes
from honeyguide.search.page_index import FOLDER, IndexBusy, IndexLock, PageIndex, last_step
from honeyguide.settings import settings_from
from scripted_world import ScriptedWorld
from search.small_runs import html, run_of, settings_for
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from honeyguide.model import Fetched, Page, Url
    from honeyguide.runs import CrawledPage

WORDS = ["basalt", "granite", "lava", "quartz", "gneiss", "mica", "slate", "chalk", "flint", "marble"]
PAGES = {
    f"http://h{n % 3}.test/{n}": html(f"{WORDS[n % 10]} {n}", f"{WORDS[n % 7]} and {WORDS[n % 9]}. " * 3 + "rock.")
    for n in range(40)
}
QUERIES = ("basalt", "rock", "granite OR lava", "title:quartz -mica", '"lava and lava"')


def answers(run: Path, **overrides: object) -> list[object]:
    """Everything that some queries find, in order, with scores."""
    with Searcher(run, {f"search.{key}": value for key, value in overrides.items()}) as searcher:
        return [
            [(hit.url, hit.score, hit.snippet) for hit in searcher.search(query, per_page=100, show_all=True).hits]
            for query in QUERIES
        ]


def crawled(path: Path, budget: int = 40, **overrides: object) -> Path:
    return run_of(path, PAGES, budget__fetches=budget, **overrides)


def go_on(run: Path, budget: int) -> None:
    world = ScriptedWorld(PAGES, entry_urls=list(PAGES))
    honeyguide.resume(run, budget=budget, world=world, vectors=hashed_vectors()).close()


def test_catching_up_equals_building_again(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", 10)
    assert answers(run)[1]
    for budget in (11, 25, 40):
        go_on(run, budget)
        caught_up = answers(run)
        shutil.rmtree(run / FOLDER)
        assert answers(run) == caught_up
    assert len(caught_up[1]) == 40  # type: ignore[arg-type]


def test_only_new_pages_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = crawled(tmp_path / "run", 10)
    answers(run)
    read: list[int] = []
    real = IndexedPage.read

    def counted(page: CrawledPage, body: bytes | None, parse: Callable[[Url, Fetched], Page]) -> IndexedPage:
        read.append(page.step)
        return real(page, body, parse)

    monkeypatch.setattr(IndexedPage, "read", counted)
    answers(run)
    assert read == []
    go_on(run, 13)
    answers(run)
    assert read == [11, 12, 13]


def test_an_index_of_another_language_or_an_empty_folder_is_made_again(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run")
    expected = answers(run)
    about = run / FOLDER / "about.json"
    assert "english" in about.read_text()
    about.write_text(about.read_text().replace("english", "german"))
    assert answers(run) == expected
    shutil.rmtree(run / FOLDER)
    (run / FOLDER).mkdir()
    assert answers(run) == expected


def test_a_process_killed_while_it_indexes_leaves_what_can_be_gone_on_with(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run")
    expected = answers(run)
    shutil.rmtree(run / FOLDER)
    script = f"""
import os, signal
from honeyguide.search import indexing
indexing.COMMIT_EVERY = 15
def kill_at_20(done, all_):
    if done == 20:
        os.kill(os.getpid(), signal.SIGKILL)
from honeyguide.search import Searcher
Searcher({str(run)!r}, on_progress=kill_at_20)
"""
    killed = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    left = PageIndex.to_read(run / FOLDER, "english")
    assert left is not None
    assert last_step(left.searcher()) == 15
    assert answers(run) == expected


def test_while_another_writes_the_rest_is_searched_in_memory(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", 10)
    answers(run)
    go_on(run, 40)
    with IndexLock(run), honeyguide.open_run(run) as opened:
        indexes = open_indexes(opened)
        assert not indexes.is_written
        assert [last_step(part.searcher) for part in indexes.parts] == [10, 40]
        assert [part.searcher.num_docs for part in indexes.parts] == [10, 30]
        assert {hit[0] for hit in answers(run)[1]} == set(PAGES)  # type: ignore[attr-defined]
    index = PageIndex.to_read(run / FOLDER, "english")
    assert index is not None
    assert last_step(index.searcher()) == 10
    answers(run)
    assert last_step(index.searcher()) == 40


def test_a_writer_is_waited_for_where_much_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = crawled(tmp_path / "run")
    monkeypatch.setattr(module, "FEW_PAGES", 5)
    lock = IndexLock(run)
    release = threading.Timer(0.5, lock.close)
    release.start()
    with honeyguide.open_run(run) as opened:
        assert open_indexes(opened).is_written
    release.join()
    with IndexLock(run), honeyguide.open_run(run) as opened:
        shutil.rmtree(run / FOLDER)
        assert not open_indexes(opened, patience_s=0.1).is_written


@pytest.mark.thorough
def test_two_processes_search_a_new_run_at_once(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run")
    script = f"import honeyguide; print(honeyguide.search_runs({str(run)!r}, 'rock').total)"
    both = [
        subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert [process.communicate(timeout=60) for process in both] == [("40\n", "")] * 2


def test_beside_a_crawl_it_leaves_the_log_of_the_database_to_be_tidied(tmp_path: Path) -> None:
    """Where pages were stored before the index thread had looked, the log grew for as long as the crawl went on."""
    run = crawled(tmp_path / "run", 10)
    could_tidy: list[bool] = []

    def pages_to_come() -> Iterator[StoredPage]:
        with closing(sqlite3.connect(run / "crawl.sqlite", timeout=0)) as database:
            database.execute("UPDATE pages SET relevance = relevance / 2")
            database.commit()
            ((is_busy, _, _),) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            could_tidy.append(not is_busy)
        yield from ()

    assert index_as_they_come(run, settings_for(), 4, pages_to_come()) == ""
    assert could_tidy == [True]
    index = PageIndex.to_read(run / FOLDER, "english")
    assert index is not None
    assert last_step(index.searcher()) == 4


def test_one_process_holds_the_lock_once(tmp_path: Path) -> None:
    with IndexLock(tmp_path), pytest.raises(IndexBusy):
        IndexLock(tmp_path)
    IndexLock(tmp_path).close()


def test_a_folder_that_may_not_be_written_is_searched_and_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed, bare = crawled(tmp_path / "indexed", 10), crawled(tmp_path / "bare")
    answers(indexed)
    go_on(indexed, 40)
    # Stands for a read-only folder, which the superuser that tests may run as could write to all the same.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    for run in (indexed, bare):
        before = {path: path.stat().st_mtime_ns for path in run.rglob("*") if "sqlite" not in path.name}
        assert {hit[0] for hit in answers(run)[1]} == set(PAGES)  # type: ignore[attr-defined]
        assert {path: path.stat().st_mtime_ns for path in run.rglob("*") if "sqlite" not in path.name} == before


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_write_permission_is_searched(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run")
    expected = answers(run)
    folders = [run, run / FOLDER, run / FOLDER / "pages"]
    for folder in folders:
        folder.chmod(0o500)
    try:
        assert answers(run) == expected
    finally:
        for folder in folders:
            folder.chmod(0o700)


def test_an_open_searcher_sees_new_pages_when_refreshed(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", 10)
    with Searcher(run) as searcher:
        assert searcher.search("rock").total == 10
        go_on(run, 40)
        assert searcher.search("rock").total == 10
        searcher.refresh()
        assert searcher.search("rock").total == 40


class TestLive:
    def test_pages_are_in_the_index_when_the_crawl_ends(self, tmp_path: Path) -> None:
        live, later = crawled(tmp_path / "live", search__live="on"), crawled(tmp_path / "later")
        assert (live / FOLDER / "about.json").exists()
        assert not (later / FOLDER).exists()
        with honeyguide.open_run(live) as opened:
            index = PageIndex.to_read(live / FOLDER, "english")
            assert index is not None
            assert last_step(index.searcher()) == opened.progress.steps == 40
        assert answers(live) == answers(later)

    def test_auto_indexes_what_comes_over_http(self, tmp_path: Path) -> None:
        for is_offline in (True, False):
            world = ScriptedWorld({"http://a.test/": html("A", "rock")}, is_offline=is_offline, latency_s=0.0)
            run = tmp_path / f"offline-{is_offline}"
            settings = settings_for(search__live="auto", crawl__workers=0)
            honeyguide.crawl(run, settings, world=world, vectors=hashed_vectors()).close()
            assert (run / FOLDER).exists() is not is_offline

    def test_a_resumed_crawl_adds_to_the_index_and_makes_up_for_what_it_lacks(self, tmp_path: Path) -> None:
        run = crawled(tmp_path / "run", 10, search__live="on")
        shutil.rmtree(run / FOLDER)
        go_on(run, 40)
        index = PageIndex.to_read(run / FOLDER, "english")
        assert index is not None
        assert index.searcher().num_docs == 40

    def test_a_crawl_goes_on_where_the_index_cannot_be_written(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "run").mkdir()
        run = crawled(tmp_path / "run", 10, search__live="on")
        with IndexLock(run):
            go_on(run, 40)
        assert "another process is writing it; searching will catch up" in caplog.text
        assert len(answers(run)[1]) == 40  # type: ignore[arg-type]

    @pytest.mark.parametrize(("error", "commit_every"), [(OSError("no room"), 5), (ValueError("a bug"), 1_000)])
    def test_a_crawl_goes_on_where_indexing_stops(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        error: Exception,
        commit_every: int,
    ) -> None:
        def stop(_: PageIndex) -> None:
            raise error

        with monkeypatch.context() as patched:
            patched.setattr(PageIndex, "commit", stop)
            run = crawled(tmp_path / "run", search__live="on", search__commit_every=commit_every)
        assert "searching will catch up" in caplog.text
        assert len(answers(run)[1]) == 40  # type: ignore[arg-type]

    def test_pages_that_ask_not_to_be_indexed_are_not(self, tmp_path: Path) -> None:
        pages = {
            "http://a.test/": html("Open", "rock"),
            "http://a.test/x": '<meta name="robots" content="noindex">' + html("Closed", "rock"),
        }
        for live in ("on", "off"):
            run = run_of(tmp_path / live, pages, search__live=live)
            assert [hit.title for hit in honeyguide.search_runs(run, "rock OR closed").hits] == ["Open"]

    def test_a_crawl_is_searched_while_it_goes_on(self, tmp_path: Path) -> None:
        seen: list[tuple[int, int]] = []

        def look(event: object) -> None:
            if type(event).__name__ == "PageJudged" and event.progress.pages % 13 == 0:  # type: ignore[attr-defined]
                total = honeyguide.search_runs(tmp_path / "run", "rock").total
                seen.append((event.progress.pages, total))  # type: ignore[attr-defined]

        world = ScriptedWorld(PAGES, entry_urls=list(PAGES))
        settings = settings_for(search__live="on", search__commit_every=5)
        crawl = honeyguide.crawl(tmp_path / "run", settings, world=world, vectors=hashed_vectors(), listeners=[look])
        crawl.close()
        assert seen == [(13, 13), (26, 26), (39, 39)]


def test_a_run_that_stored_no_bodies_is_searched_by_title(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", store__archive="none")
    assert honeyguide.search_runs(run, "basalt").total == 4
    assert honeyguide.search_runs(run, "rock").total == 0
    live = crawled(tmp_path / "live", store__archive="none", search__live="on")
    assert honeyguide.search_runs(live, "rock").total == 40


def test_a_run_with_an_archive_is_searched_by_text(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", store__archive="warc")
    assert honeyguide.search_runs(run, "rock").total == 40


def test_a_language_without_stems_in_the_index_keeps_words_whole() -> None:
    def indexed(judge: str, search: str = "judge") -> str:
        return index_language(settings_from({"judge": {"language": judge}, "search": {"language": search}}))

    assert [indexed("german"), indexed("polish"), indexed("polish", "russian")] == ["german", "none", "russian"]
