"""An outside caller can make the choices itself: the core needs no loop, no transport and no strategy of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.driving import script_settings
from honeyguide.crawler import Builder, CrawlCore, Dispatch, PageJudged, Stop, StopReason, Wait
from honeyguide.crawler.preparing import Unreadable
from honeyguide.model import LinkId, LinkState
from honeyguide.runs import SqliteStore
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SEED = "http://s.test/"
SCRIPT = {
    SEED: page_with(**{"1": "http://a.test/", "2": "http://b.test/", "3": "http://b.test/more"}),
    "http://a.test/": page_with(**{"7": "http://c.test/"}),
}


@pytest.fixture
def core() -> CrawlCore:
    return CrawlCore(Builder(script_settings(), hashed_vectors()).parts(), script_settings())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "crawl.sqlite")
    yield store
    store.close()


def test_a_caller_crawls_lowest_number_first_without_any_strategy(core: CrawlCore, store: SqliteStore) -> None:
    world = ScriptedWorld(SCRIPT)
    store.record(core.start(world.entry_urls(), now=0.0).record)
    visited = []
    for moment in range(4):
        lowest = min(link for link in map(LinkId, range(len(core.links))) if link in core.frontier)
        dispatch = core.choose_link(lowest, now=float(moment))
        step = core.apply(dispatch, world.answer(dispatch.url), now=moment + 0.5)
        store.record(step.record)
        visited.append(dispatch.url.text)
    assert visited == [SEED, "http://a.test/", "http://b.test/", "http://b.test/more"]
    progress = store.progress()
    assert progress is not None
    assert (progress.steps, progress.dispatches, progress.pages, progress.waiting) == (4, 4, 2, 1)


def test_a_link_that_does_not_wait_cannot_be_chosen(core: CrawlCore) -> None:
    core.start(ScriptedWorld(SCRIPT).entry_urls(), now=0.0)
    core.choose_link(LinkId(0), now=0.0)
    with pytest.raises(KeyError):
        core.choose_link(LinkId(0), now=0.0)


def test_choosing_by_hand_counts_as_a_dispatch_and_holds_the_host(core: CrawlCore) -> None:
    world = ScriptedWorld(SCRIPT)
    core.start(world.entry_urls(), now=0.0)
    dispatch = core.choose_link(LinkId(0), now=0.0)
    assert core.links.state(LinkId(0)) is LinkState.IN_FLIGHT
    assert (core.in_flight, core.progress.dispatches) == (1, 1)
    assert core.choose(now=0.0) == Wait(float("inf"))
    step = core.apply(dispatch, world.answer(dispatch.url), now=1.0)
    assert isinstance(step.events[0], PageJudged)
    assert isinstance(core.choose(now=1.0), Dispatch), "the other hosts are free"


def test_a_core_without_seeds_has_nothing_to_crawl(core: CrawlCore) -> None:
    core.start([], now=0.0)
    assert core.choose(now=0.0) == Stop(StopReason.EXHAUSTED)


def test_a_seed_named_twice_waits_once(core: CrawlCore) -> None:
    seeds = ScriptedWorld(SCRIPT).entry_urls()
    step = core.start([*seeds, *seeds], now=0.0)
    assert len(core.frontier) == len(step.record.new_links) == 1


def test_seconds_that_pass_without_an_answer_count_as_spent() -> None:
    settings = script_settings(budget__seconds=10.0)
    core = CrawlCore(Builder(settings, hashed_vectors()).parts(), settings)
    core.start(ScriptedWorld(SCRIPT).entry_urls(), now=100.0)
    assert core.choose(now=110.0) == Stop(StopReason.SECONDS)


@pytest.mark.parametrize(
    ("hosts", "is_live", "took_s", "read_s", "ready_at"),
    [
        (2, True, 0.25, 0.0, 12.25),
        (2, True, 0.25, 0.3, 15.25),
        (2, True, 0.25, 9.0, 17.25),  # at most
        (2, True, 0.05, 0.0, 10.5),  # as after any page
        (1, True, 0.25, 0.3, 10.5),  # there is nobody else to be asked
        (2, False, 0.25, 0.3, 10.5),
    ],
)
def test_a_host_rests_in_proportion_to_what_its_page_cost(
    hosts: int, took_s: float, read_s: float, ready_at: float, *, is_live: bool
) -> None:
    settings = script_settings(politeness__delay_s=0.5, politeness__delay_factor=0.0, politeness__max_delay_s=7.0)
    core = CrawlCore(Builder(settings, hashed_vectors()).parts(is_live=is_live), settings)
    seeds = [SEED, "http://other.test/"][:hosts]
    world = ScriptedWorld({SEED: page_with("/more"), "http://other.test/": page_with()}, entry_urls=seeds)
    core.start(world.entry_urls(), now=0.0)
    for link in reversed(range(hosts)):
        dispatch = core.choose_link(LinkId(link), now=9.0)
        core.apply(dispatch, world.answer(dispatch.url), now=10.0)
    core.taken_in(dispatch, 10.0, 10.0 + took_s, Unreadable("", read_s))
    choice = core.choose(now=10.0 + took_s)
    assert isinstance(choice, Wait)
    assert choice.until == pytest.approx(ready_at)
