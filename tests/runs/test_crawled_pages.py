"""Pages are read in one way: in order, after any step, a row at a time, without those that asked not to be indexed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.model import Redirected, Url
from honeyguide.runs import CrawledPages
from search.small_runs import html, run_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.runs import Run
    from scripted_world import Script

CLOSED = '<meta name="robots" content="noindex">'
PAGES = {
    f"http://a.test/{n}": (CLOSED if n % 4 == 3 else "") + html(f"Page {n}", "rock " * n + "sand " * (9 - n))
    for n in range(10)
}
OPEN_STEPS = [1, 2, 3, 5, 6, 7, 9, 10]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with honeyguide.open_run(run_of(tmp_path_factory.mktemp("kept") / "run", PAGES)) as opened:
        yield opened


def test_pages_after_a_step_come_in_order_with_their_bodies(run: Run) -> None:
    for after in range(12):
        pages = run.crawled_pages(after_step=after)
        read = list(pages.all())
        assert [page.step for page in read] == [step for step in OPEN_STEPS if step > after]
        assert len(pages) == len(read)
        assert [pages.body(page) for page in read] == [PAGES[page.url.text].encode() for page in read]


def test_the_relevant_ones_after_a_step_are_both(run: Run) -> None:
    relevant = {page.step for page in run.crawled_pages().all() if page.is_relevant}
    assert 0 < len(relevant) < len(OPEN_STEPS)
    pages = run.crawled_pages(relevant_only=True, after_step=5)
    assert [page.step for page in pages.all()] == sorted(step for step in relevant if step > 5)
    assert len(pages) == len(list(pages.all()))


def test_the_best_come_first_and_of_equal_ones_the_earlier(run: Run) -> None:
    best = list(run.crawled_pages().all(best_first=True))
    assert best == sorted(run.crawled_pages().all(), key=lambda page: (-page.relevance, page.step))
    assert list(run.crawled_pages().all(best_first=True, limit=3)) == best[:3]


def test_pages_of_a_run_are_those_of_the_reader(run: Run) -> None:
    for relevant_only in (False, True):
        for best_first in (False, True):
            kept = list(run.crawled_pages(relevant_only=relevant_only).all(best_first=best_first))
            told = list(run.pages(relevant_only=relevant_only, best_first=best_first))
            assert [(page.url, page.step, page.title, page.relevance) for page in told] == [
                (page.url, page.step, page.title, page.relevance) for page in kept
            ]


def test_in_order_nothing_is_sorted_and_nothing_before_the_step_is_read(run: Run) -> None:
    """What keeps memory flat, and a search while the crawl goes on quick."""
    asked: list[str] = []
    database = sqlite3.connect(run.path / "crawl.sqlite")
    database.set_trace_callback(asked.append)
    list(CrawledPages(database, run.path / "crawl.sqlite", after_step=8).all())
    database.set_trace_callback(None)
    plan = [str(row[3]) for row in database.execute(f"EXPLAIN QUERY PLAN {asked[0]}")]
    database.close()
    assert plan[0] == "SEARCH s USING INTEGER PRIMARY KEY (rowid>?)"
    assert not [line for line in plan if "TEMP B-TREE" in line or line.startswith("SCAN p")]


def test_the_parents_of_the_first_pages_are_known_before_all_links_are_sorted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"/{number}" for number in range(9)]
    pages: Script = {f"http://a.test{name}": html(f"Page {name}", "rock", *names) for name in ["/", *names]}
    with honeyguide.open_run(run_of(tmp_path / "run", pages)) as run, run.at_one_moment():
        everything = run.crawled_pages()
        backwards = {page.url: everything.parents(page, 10) for page in reversed(list(everything.all()))}
    monkeypatch.setattr("honeyguide.runs.pages.FIRST_SORTED", 2)
    monkeypatch.setattr("honeyguide.runs.pages.MORE_SORTED", 2)
    with closing(sqlite3.connect(tmp_path / "run" / "crawl.sqlite")) as database:
        reader = CrawledPages(database, tmp_path)
        unread = reader.all()
        first = next(unread)
        told = {first.url: reader.parents(first, 10)}
        (sorted_so_far,) = database.execute("SELECT count(DISTINCT target) FROM temp.page_links").fetchone()
        told |= {page.url: reader.parents(page, 10) for page in unread}
    assert sorted_so_far <= 2
    assert told == backwards
    assert all(count == 9 for _, count in told.values() if count)


def test_parents_are_the_pages_whose_links_lead_here_redirects_resolved(tmp_path: Path) -> None:
    moved = {f"http://a.test/old{n}": Redirected(301, Url("http://a.test/end")) for n in range(2)}
    pages: Script = {
        "http://a.test/": html("Start", "rock", "/end", "/old0", "/old1", "/", "/closed"),
        "http://a.test/other": html("Other", "rock", "/old1", "/"),
        "http://a.test/closed": CLOSED + html("Closed", "rock", "/end"),
        "http://a.test/end": html("End", "rock", "/end", "/other"),
        **moved,
    }
    with honeyguide.open_run(run_of(tmp_path / "run", pages)) as run, run.at_one_moment():
        reader = run.crawled_pages()
        told = {page.url.path: [url.path for url in reader.parents(page, 10)[0]] for page in reader.all()}
        linked = sorted((target, source) for source, target in reader.links())
        by_number = {page.link: page for page in reader.all()}
        assert linked == sorted(
            (number, source)
            for number, page in by_number.items()
            for source, other in by_number.items()
            if other.url in reader.parents(page, 10)[0]
        )
    assert told == {"/": ["/other"], "/other": ["/end"], "/end": ["/", "/other"]}
