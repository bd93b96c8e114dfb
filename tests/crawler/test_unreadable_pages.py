"""A body on which the parser breaks: one failed page, wherever it is read, and a crawl that goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.driving import script_settings
from crawler.small_crawls import contents, story
from honeyguide.cli.run_document import summary
from honeyguide.crawler import build, crawl
from honeyguide.crawler import start as run_module
from honeyguide.crawler.live import needs_a_browser
from honeyguide.crawler.preparing import Preparation
from honeyguide.crawler.transport import SimulatedTransport
from honeyguide.model import Cap, Fetched
from honeyguide.model.clock import SimulatedClock
from honeyguide.parse import parse
from honeyguide.runs import body_packer, open_run
from parse.parsed import PAGE_URL
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.crawler.preparing import Prepared, Unreadable
    from honeyguide.crawler.transport import Transport
    from honeyguide.model import Page, Url
    from honeyguide.model.clock import Clock
    from honeyguide.worlds import World

SCRIPT = {
    "http://s.test/": page_with("/a", "/b", "/c"),
    "http://s.test/a": "<p>rock",
    "http://s.test/b": "<p>poison",
    "http://s.test/c": "<p>mineral",
}


def break_on_poison(url: Url, fetched: Fetched, **how: object) -> Page:
    if b"poison" in fetched.body:
        raise IndexError("no such place")
    return parse(url, fetched, **how)  # type: ignore[arg-type]


class Beside:
    """Prepares pages as a worker does, in this process."""

    def takes(self, _fetched: Fetched) -> bool:
        return True

    async def prepare(self, url: Url, fetched: Fetched) -> Prepared | Unreadable:
        return Preparation(break_on_poison, None, body_packer()).prepare(url, fetched)

    def prepare_one_at_home(self) -> bool:
        return False

    def note_idle(self, seconds: float) -> None:
        pass


def beside(world: World, start: float, _preparer: object) -> tuple[Transport, Clock]:
    clock = SimulatedClock(start)
    return SimulatedTransport(world, clock, Beside()), clock


@pytest.mark.parametrize("archive", ["store", "warc"])
def test_a_page_on_which_the_parser_breaks_is_a_failed_page_with_and_without_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, archive: str
) -> None:
    monkeypatch.setattr(build, "parser_for", lambda _settings, **_how: break_on_poison)
    settings = script_settings(store__archive=archive)
    crawl(tmp_path / "home", settings, world=ScriptedWorld(SCRIPT), vectors=hashed_vectors()).close()
    with open_run(tmp_path / "home") as run:
        assert [(step.url.path, step.outcome) for step in run.steps()] == [
            ("/", "fetched"), ("/a", "fetched"), ("/b", "failed"), ("/c", "fetched"),
        ]  # fmt: skip
        assert [step.detail for step in run.steps()][2] == "unreadable: IndexError: no such place"
        assert run.progress.pages == 3
    assert "no page could be made of http://s.test/b" in caplog.text
    monkeypatch.setattr(run_module, "transport_for", beside)
    crawl(tmp_path / "beside", settings, world=ScriptedWorld(SCRIPT), vectors=hashed_vectors()).close()
    assert story(tmp_path / "beside") == story(tmp_path / "home")
    assert contents(tmp_path / "beside") == contents(tmp_path / "home")
    kept = [(path.name, path.read_bytes()) for path in sorted((tmp_path / "home" / "archive").glob("*"))]
    assert bool(kept) == (archive == "warc")
    assert kept == [(path.name, path.read_bytes()) for path in sorted((tmp_path / "beside" / "archive").glob("*"))]


def test_a_page_on_which_the_parser_breaks_is_not_rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.crawler.live.parse", break_on_poison)
    assert needs_a_browser(PAGE_URL, Fetched(200, "text/html", b"<script>rock()</script>"))
    assert not needs_a_browser(PAGE_URL, Fetched(200, "text/html", b"<script>poison()</script>"))


def test_a_run_says_which_pages_were_cut_and_by_which_limit(tmp_path: Path) -> None:
    settings = script_settings(parse__max_links=2, parse__max_word_characters=5)
    with crawl(tmp_path / "run", settings, world=ScriptedWorld(SCRIPT), vectors=hashed_vectors()) as run:
        assert {page.url.path: page.cut_by for page in run.pages()} == {
            "/": (Cap.LINKS,), "/a": (), "/b": (Cap.WORD,),
        }  # fmt: skip
        assert run.cut_pages() == {"links": 1, "word": 1}
        assert summary(run)["cut_pages"] == {"links": 1, "word": 1}
