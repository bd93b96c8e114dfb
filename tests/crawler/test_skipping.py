"""A strategy may skip a link whose turn has come: nothing is sent, nothing spent, the reason is kept."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from honeyguide.crawler import CrawlStopped, LinkSkipped, StopReason
from honeyguide.model import LinkState, Skipped, Url
from honeyguide.runs import SqliteStore
from scripted_world import ScriptedWorld, page_with

if TYPE_CHECKING:
    from pathlib import Path

SEED = "http://s.test/"
REASON = Skipped("matches calendar")


def a_world() -> ScriptedWorld:
    return ScriptedWorld(
        {
            SEED: page_with(
                **{"9": "http://one.test/calendar", "5": "http://a.test/", "3": "http://two.test/calendar"}
            ),
            "http://a.test/": page_with(**{"4": SEED, "2": "http://one.test/calendar"}),
        }
    )


def skips_in(path: Path) -> list[tuple[str, int, str]]:
    database = sqlite3.connect(path / "crawl.sqlite")
    rows = database.execute("SELECT url, after_steps, reason FROM skips JOIN links ON links.id = skips.link").fetchall()
    database.close()
    return rows


def test_a_skipped_link_is_never_asked_for_and_costs_nothing(tmp_path: Path) -> None:
    world = a_world()
    wired = HandWired(tmp_path / "run", world, script_settings(), ByAnchorNumber(skipping="calendar"))
    assert wired.run() is StopReason.EXHAUSTED
    assert world.fetches == {SEED: 1, "http://a.test/": 1}
    assert (wired.core.progress.dispatches, wired.core.progress.steps) == (2, 2)


def test_the_reason_for_a_skip_is_kept_and_announced_in_order(tmp_path: Path) -> None:
    wired = HandWired(tmp_path / "run", a_world(), script_settings(), ByAnchorNumber(skipping="calendar"))
    wired.run()
    one, two = Url.parse("http://one.test/calendar"), Url.parse("http://two.test/calendar")
    assert skips_in(tmp_path / "run") == [(one.text, 1, REASON.reason), (two.text, 2, REASON.reason)]
    assert wired.events[1] == LinkSkipped(one, REASON)
    assert wired.events[-2:] == [LinkSkipped(two, REASON), CrawlStopped(StopReason.EXHAUSTED, wired.core.progress)]


def test_a_strategy_that_skips_itself_dry_ends_as_exhausted_with_every_skip_told(tmp_path: Path) -> None:
    world = a_world()
    wired = HandWired(tmp_path / "run", world, script_settings(), ByAnchorNumber(skipping="."))
    assert wired.run() is StopReason.EXHAUSTED
    assert world.fetches.total() == 0
    assert [type(event) for event in wired.events] == [LinkSkipped, CrawlStopped]
    assert len(skips_in(tmp_path / "run")) == 1


def test_a_skipped_link_stays_skipped_in_a_resumed_crawl(tmp_path: Path) -> None:
    run = tmp_path / "run"
    HandWired(run, a_world(), script_settings(), ByAnchorNumber(skipping="calendar")).run()
    world = a_world()
    assert HandWired(run, world, script_settings(), ByAnchorNumber()).run() is StopReason.EXHAUSTED
    assert world.fetches.total() == 0
    store = SqliteStore(run / "crawl.sqlite")
    states = [link.state for link in store.links()]
    store.close()
    assert states.count(LinkState.SKIPPED) == 2
