"""The dashboard in a real Chromium, over a crawl that goes on over HTTP on loopback meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from browser import chromium, needs_chromium
from cli.test_processes import wait_for_steps
from honeyguide.runs import open_run
from honeyguide.web.serving import serving_beside
from web.test_serving import ended, started
from web.watched_pages import WatchedPage, crawling

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = needs_chromium
Watch = Callable[..., WatchedPage]


@pytest.fixture(scope="module")
def browser(_crawled_once: Path) -> Iterator[Browser]:
    """A browser for the whole file. It runs an event loop, in which nothing can be crawled: the run is made before."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    """Open watched pages; all are closed with the test."""
    opened: list[WatchedPage] = []

    def open_one(**options: object) -> WatchedPage:
        opened.append(WatchedPage(browser, **options))  # type: ignore[arg-type]
        return opened[-1]

    yield open_one
    for each in opened:
        each.close()


def curve_end(watched: WatchedPage) -> str:
    return watched.page.locator("#part-harvest p.lead").inner_text()


def test_the_curve_grows_and_a_page_that_came_a_moment_ago_is_found(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with crawling(run), serving_beside([tmp_path]) as address:
        wait_for_steps(run, 5)
        live = watch()
        live.open(f"{address}runs/geology")
        first, fetches = curve_end(live), live.fetches()
        live.wait_for_fetches(fetches + 10)
        live.page.wait_for_function(
            "before => document.querySelector('#part-harvest p.lead').textContent !== before", arg=first
        )
        with open_run(run) as opened:
            newest = max(opened.pages(), key=lambda page: page.step)
        live.open(f"{address}runs/geology/search")
        live.page.get_by_label("Search").first.fill(f'"{newest.title}"')
        live.page.keyboard.press("Enter")
        live.page.wait_for_selector(f'ol.results a[href="{newest.url}"], li[data-page="{newest.url}"]')
        live.check(address)


PAGES = ("", "runs/geology", "runs/geology/questions", "runs/geology/search?q=rock", "runs/geology/search?q=%22", "api")


@pytest.mark.parametrize("width", [420, 1280])
def test_no_page_scrolls_sideways_in_either_scheme(watch: Watch, run: Path, width: int) -> None:
    with serving_beside([run.parent]) as address:
        for scheme in ("light", "dark"):
            watched = watch(width=width, scheme=scheme)
            for place in PAGES:
                page = watched.open(address + place)
                page.wait_for_selector("main")
                assert watched.excess() == 0, f"{place or 'the list of runs'} at {width} pixels, {scheme}"
            red, green, blue = page.evaluate(
                "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)"
            )
            assert (red + green + blue < 3 * 60) == (scheme == "dark")
            assert [each for each in watched.problems if "400" not in each] == []  # one query is wrong


@pytest.mark.thorough
def test_two_browsers_see_the_same(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with serving_beside([tmp_path]) as address:
        with crawling(run):
            wait_for_steps(run, 5)
            one, other = watch(), watch(width=420)
            for each in (one, other):
                each.open(f"{address}runs/geology")
            one.wait_for_fetches(one.fetches() + 10)
            other.wait_for_fetches(other.fetches() + 5)
        for each in (one, other):
            each.page.wait_for_selector("#part-figures .state.stopped")
        assert one.fetches() == other.fetches()
        assert curve_end(one) == curve_end(other)
        one.check(address)
        other.check(address)


@pytest.mark.thorough
def test_a_page_goes_on_by_itself_after_the_server_was_restarted(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with crawling(run):
        wait_for_steps(run, 5)
        server, address = started(tmp_path, "--port", 0)
        live = watch()
        live.open(f"{address}runs/geology")
        live.wait_for_fetches(5)
        before = live.fetches()
        ended(server)
        live.page.wait_for_function("document.querySelector('#connection').textContent.includes('does not answer')")
        server, again = started(tmp_path, "--port", address.rstrip("/").rpartition(":")[2])
        assert again == address
        live.wait_for_fetches(before + 10)
        live.page.wait_for_function("document.querySelector('#connection').textContent === ''")
        ended(server)


@pytest.mark.thorough
def test_a_crawl_that_was_killed_shows_as_stopped_and_goes_on_where_it_was(watch: Watch, tmp_path: Path) -> None:
    run = tmp_path / "geology"
    with serving_beside([tmp_path]) as address:
        live = watch()
        with crawling(run) as program:
            wait_for_steps(run, 20)
            live.open(f"{address}runs/geology")
            live.page.wait_for_selector("#part-figures .state.running")
            program.kill()
            live.page.wait_for_selector("#part-figures .state.stopped")
        with open_run(run) as opened:
            assert live.fetches() == opened.progress.fetches
        with crawling(run):
            live.page.wait_for_selector("#part-figures .state.running")
            live.wait_for_fetches(live.fetches() + 10)
        live.check(address)
