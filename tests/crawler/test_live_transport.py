"""Answers in real time: taken in as they come, given up when the crawl stops, and nothing left running."""

from __future__ import annotations

import asyncio
import gc
import time
from typing import TYPE_CHECKING

import pytest

from crawler.driving import HandWired, script_settings
from honeyguide.crawler import PageJudged, StopReason, crawl, resume
from honeyguide.crawler.transport import LiveTransport
from honeyguide.model.clock import RealClock
from scripted_world import ScriptedWorld, page_with, taking
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.crawler import Event

SEED = "http://s.test/"
HANGING_S = 30.0


def live_world(latencies_s: list[float]) -> ScriptedWorld:
    urls = [f"http://h{n}.test/" for n in range(len(latencies_s))]
    pages = {url: taking(latency_s, "page") for url, latency_s in zip(urls, latencies_s, strict=True)}
    return ScriptedWorld({SEED: taking(0.0, page_with(*urls)), **pages}, is_offline=False)


def test_answers_are_taken_in_as_they_come(tmp_path: Path) -> None:
    world = live_world([0.15, 0.1, 0.05])
    wired = HandWired(tmp_path / "run", world, script_settings(crawl__concurrency=3))
    started = time.monotonic()
    assert wired.run() is StopReason.EXHAUSTED
    hosts = [event.url.host for event in wired.events if isinstance(event, PageJudged)]
    assert hosts == ["s.test", "h2.test", "h1.test", "h0.test"]
    assert time.monotonic() - started < 0.3 + 1.0, "they are fetched at the same time"


def test_a_host_is_given_its_pause_in_real_time(tmp_path: Path) -> None:
    world = ScriptedWorld(
        {SEED: page_with("/a", "/b"), "http://s.test/a": "", "http://s.test/b": ""}, latency_s=0.0, is_offline=False
    )
    wired = HandWired(tmp_path / "run", world, script_settings(politeness__delay_s=0.1))
    started = time.monotonic()
    wired.run()
    assert wired.core.progress.steps == 3
    assert time.monotonic() - started >= 0.2


def test_an_interruption_does_not_wait_for_a_hanging_host(tmp_path: Path) -> None:
    run = tmp_path / "run"
    world = live_world([0.0, HANGING_S, HANGING_S])
    judged: list[Event] = []
    started = time.monotonic()
    with crawl(
        run,
        script_settings(crawl__concurrency=3),
        world=world,
        listeners=[lambda event: judged.append(event) if isinstance(event, PageJudged) else None],
        is_interrupted=lambda: len(judged) == 2 and world.fetches.total() == 4,
        vectors=hashed_vectors(),
    ) as stopped:
        assert time.monotonic() - started < HANGING_S
        assert stopped.progress.stop_reason == StopReason.INTERRUPTED
        assert (stopped.progress.steps, stopped.progress.dispatches) == (2, 4)
    with resume(run, world=live_world([0.0, 0.0, 0.0]), vectors=hashed_vectors()) as whole:
        assert (whole.progress.steps, whole.progress.dispatches) == (4, 4), "what was in flight is fetched again"


def test_the_budget_of_seconds_ends_a_live_crawl_while_a_host_has_its_pause(tmp_path: Path) -> None:
    script = {SEED: taking(0.0, page_with("/a"), host_delay_s=HANGING_S)}
    wired = HandWired(tmp_path / "run", ScriptedWorld(script, is_offline=False), script_settings(budget__seconds=0.5))
    started = time.monotonic()
    assert wired.run() is StopReason.SECONDS
    assert time.monotonic() - started < 5.0


def test_closing_gives_up_what_is_under_way_and_may_be_done_twice(tmp_path: Path) -> None:
    wired = HandWired(tmp_path / "run", live_world([HANGING_S] * 5), script_settings(crawl__concurrency=5))
    wired.close()
    transport = LiveTransport(wired.world, RealClock())

    async def start_and_close() -> int:
        dispatch = wired.core.choose_link(wired.link(SEED), now=0.0)
        wired.world.script[dispatch.url] = taking(HANGING_S, "never")
        await transport.start(dispatch)
        assert await transport.next_arrival(until=0.0) is None
        await transport.close()
        await transport.close()
        return len(asyncio.all_tasks())

    started = time.monotonic()
    assert asyncio.run(start_and_close()) == 1, "only the test itself still runs"
    assert time.monotonic() - started < 5.0
    gc.collect()  # a task destroyed while pending would be told of here


def test_an_answer_that_is_there_is_taken_in_before_another_fetch_begins(tmp_path: Path) -> None:
    wired = HandWired(tmp_path / "run", live_world([0.0] * 6), script_settings(crawl__concurrency=6))
    assert wired.run() is StopReason.EXHAUSTED
    begun = [event.progress.dispatches for event in wired.events if isinstance(event, PageJudged)]
    assert begun[1] < 7, "not all six were begun at once, before the first of them was taken in"


def test_an_error_of_the_world_reaches_the_caller_and_leaves_no_task(tmp_path: Path) -> None:
    world = live_world([HANGING_S, 0.0, HANGING_S])
    world.script[next(url for url in world.script if url.host == "h1.test")] = ZeroDivisionError("a bug")
    wired = HandWired(tmp_path / "run", world, script_settings(crawl__concurrency=3))
    with pytest.raises(ZeroDivisionError, match="a bug"):
        wired.run()
    gc.collect()
