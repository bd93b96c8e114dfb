"""The status file: whole, true, and no burden to the crawl."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from crawler.small_crawls import settings_for, story
from honeyguide.crawler import Builder, PageJudged, crawl
from honeyguide.crawler.resume import restore
from honeyguide.crawler.status import BEST_LINKS, MOST_QUESTIONS, best_waiting
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import SqliteStore, open_run
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from honeyguide.crawler import Event


def read(run: Path) -> dict[str, Any]:
    status: dict[str, Any] = json.loads((run / "status.json").read_text())
    return status


def test_while_it_crawls_it_says_what_is_under_way_and_what_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("honeyguide.crawler.between_steps.LOOK_EVERY_S", 0.0)
    monkeypatch.setattr("honeyguide.crawler.status.WRITE_EVERY_S", 0.0)
    monkeypatch.setattr("honeyguide.crawler.status.LARGEST_SHARE", float("inf"))
    run = tmp_path / "run"
    seen: list[dict[str, Any]] = []

    def look(event: Event) -> None:
        if isinstance(event, PageJudged) and event.progress.steps > 40:
            seen.append(read(run))

    monkeypatch.setattr("honeyguide.crawler.status.QUESTIONS_EVERY_S", 0.0)
    settings = settings_for(budget=60, judge__kind="learned")
    crawl(run, settings, vectors=hashed_vectors(), listeners=[look]).close()
    status = seen[-1]
    assert status["budget"] == 60
    assert 40 <= status["progress"]["steps"] <= 60
    assert status["progress"]["waiting"] > 100
    assert any(each["in_flight"] for each in seen)
    assert any(each["resting_hosts"] for each in seen)
    best = status["best_waiting"]
    assert len(best) == BEST_LINKS
    assert [(each["level"], -each["score"]) for each in best] == sorted(
        (each["level"], -each["score"]) for each in best
    )
    assert {"url", "score", "level", "anchor", "found_on", "page_relevance", "depth"} == best[0].keys()
    with open_run(run) as opened:
        fetched = {step.url.text for step in opened.steps()}
    assert len(status["questions"]) == MOST_QUESTIONS
    assert {each["url"] for each in status["questions"]} <= fetched
    assert {"url", "title", "relevance"} == status["questions"][0].keys()
    best_ones = {link["url"] for each in seen for link in each["best_waiting"]}
    assert best_ones & fetched, "some of the best links are fetched soon"


def test_at_the_end_it_says_why_the_crawl_stopped(tmp_path: Path) -> None:
    crawl(tmp_path / "run", settings_for(budget=30), vectors=hashed_vectors()).close()
    status = read(tmp_path / "run")
    assert status["progress"]["stop_reason"] == "budget of fetches spent"
    assert status["in_flight"] == []
    assert not (tmp_path / "run" / "status.json.draft").exists()


def test_it_says_whether_it_pays_to_go_on(tmp_path: Path) -> None:
    settings = settings_for(budget=130, crawl__blind_spots=0.2)
    with crawl(tmp_path / "run", settings, vectors=hashed_vectors()) as run:
        told = run.outlook()
    assert told.next_fetches
    assert told.blind_spots is not None
    assert read(tmp_path / "run")["outlook"] == json.loads(json.dumps(asdict(told)))


def test_the_best_waiting_link_is_the_next_to_come_out(tmp_path: Path) -> None:
    settings = settings_for(budget=80)
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    parts = Builder(settings, hashed_vectors()).parts(is_restored=True)
    store = SqliteStore(tmp_path / "run" / "crawl.sqlite")
    restore(parts, settings, store, SimulatedClock())
    store.close()
    first, *_ = best_waiting(parts, 3)
    taken = parts.frontier.take(1e9)
    assert (taken.level, taken.worth, taken.link) == first  # type: ignore[union-attr]


def test_a_file_that_cannot_be_written_is_told_of_once_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_for(budget=30)
    crawl(tmp_path / "run", settings, vectors=hashed_vectors()).close()
    monkeypatch.setattr("honeyguide.crawler.between_steps.LOOK_EVERY_S", 0.0)
    monkeypatch.setattr("honeyguide.crawler.status.WRITE_EVERY_S", 0.0)
    with patch("honeyguide.crawler.status.RealClock", side_effect=OSError(28, "No space left on device")):
        crawl(tmp_path / "other", settings, vectors=hashed_vectors()).close()
    assert caplog.text.count("the crawl goes on without it") == 1
    assert story(tmp_path / "other") == story(tmp_path / "run")
