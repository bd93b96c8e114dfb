"""Events are announced in order, each after its step is safely stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.small_crawls import settings_for
from honeyguide.crawler import (
    AnswersTaken,
    CrawlRestarted,
    CrawlStarted,
    CrawlStopped,
    Event,
    FetchFailed,
    LinkRedirected,
    LinkRefused,
    LinkSkipped,
    PageJudged,
    StopReason,
    crawl,
    resume,
)
from honeyguide.runs import open_run
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

OUTCOME_BY_EVENT = {PageJudged: "fetched", LinkRedirected: "redirected", LinkRefused: "refused", FetchFailed: "failed"}


def test_a_listener_finds_the_step_it_is_told_of_in_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run"
    checked = 0

    def look_it_up(event: Event) -> None:
        nonlocal checked
        assert not isinstance(event, LinkSkipped | CrawlRestarted | AnswersTaken)
        with open_run(path) as run:
            assert run.progress == event.progress
            if isinstance(event, CrawlStarted | CrawlStopped):
                return
            last = list(run.steps())[-1]
            assert (last.step, last.url) == (event.progress.steps, event.url)
            assert last.outcome == OUTCOME_BY_EVENT[type(event)]
            checked += 1

    crawl(path, settings_for(budget=60), listeners=[look_it_up], vectors=hashed_vectors()).close()
    assert checked == 60


def test_events_tell_the_whole_story_in_the_order_of_the_steps(tmp_path: Path) -> None:
    events: list[Event] = []
    with crawl(tmp_path / "run", settings_for(budget=60), listeners=[events.append], vectors=hashed_vectors()) as run:
        steps = list(run.steps())
        progress = run.progress
    first, *told, last = events
    assert isinstance(first, CrawlStarted)
    assert not first.is_resumed
    assert last == CrawlStopped(StopReason.FETCHES, progress)
    assert [(event.url, OUTCOME_BY_EVENT[type(event)]) for event in told] == [  # type: ignore[union-attr]
        (step.url, step.outcome) for step in steps
    ]


def test_every_listener_hears_every_event(tmp_path: Path) -> None:
    one: list[Event] = []
    two: list[Event] = []
    listeners = [one.append, two.append]
    crawl(tmp_path / "run", settings_for(budget=10), listeners=listeners, vectors=hashed_vectors()).close()
    assert one == two
    assert len(one) == 12


def test_a_resumed_crawl_says_so(tmp_path: Path) -> None:
    crawl(tmp_path / "run", settings_for(budget=10), vectors=hashed_vectors()).close()
    events: list[Event] = []
    resume(tmp_path / "run", budget=12, listeners=[events.append], vectors=hashed_vectors()).close()
    assert isinstance(events[0], CrawlStarted)
    assert events[0].is_resumed
    assert events[0].progress.steps == 10
    assert len(events) == 4
