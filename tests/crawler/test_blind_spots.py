"""A share of the fetches goes to links drawn at random: counted apart, repeatable, and the same after a kill."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from crawler.small_crawls import contents, crawl_in_pieces, settings_for, story
from crawler.test_kill_and_resume import kill_after_a_while
from deep_strategies import runnable_strategies, thorough
from honeyguide.crawler import StopReason, crawl, resume
from honeyguide.errors import SettingsError
from honeyguide.runs import open_run
from honeyguide.settings import validate
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.runs import CrawledStep

SEED = "http://s.test/"
DRAWING = [name for name in runnable_strategies() if name != "iterative-deepening"]


def steps_of(path: Path, **overrides: object) -> list[CrawledStep]:
    settings = settings_for("best-first", politeness__delay_s=0.0, **overrides)  # type: ignore[arg-type]
    with crawl(path, settings, vectors=hashed_vectors()) as run:
        return list(run.steps())


@pytest.mark.thorough
def test_about_the_share_that_is_asked_for_is_drawn_whatever_its_score(tmp_path: Path) -> None:
    steps = steps_of(tmp_path / "run", budget=300, concurrency=1, crawl__blind_spots=0.2)
    drawn = [step.score for step in steps if step.explored]
    assert 35 <= len(drawn) <= 85  # of 60: four standard deviations
    best = [step.score for step in steps if not step.explored]
    assert sum(drawn) / len(drawn) < sum(best) / len(best)


def test_none_is_drawn_and_nothing_changes_without_the_setting(tmp_path: Path) -> None:
    assert not any(step.explored for step in steps_of(tmp_path / "run", budget=60))


@pytest.mark.thorough
def test_every_waiting_link_is_as_likely(tmp_path: Path) -> None:
    urls = [f"http://h{number}.test/" for number in range(8)]
    world = ScriptedWorld({SEED: page_with(**{str(place): url for place, url in enumerate(urls)})})
    first = []
    for seed in range(60):
        settings = script_settings(crawl__blind_spots=1.0, budget__fetches=2, crawl__seed=seed)
        HandWired(tmp_path / str(seed), world, settings, ByAnchorNumber()).run()
        with open_run(tmp_path / str(seed)) as run:
            first.append([step.url.text for step in run.steps()][1])
    assert set(first) == set(urls)


def test_draws_that_are_not_of_all_waiting_links_are_refused() -> None:
    refused = settings_for("iterative-deepening", crawl__blind_spots=0.05)
    with pytest.raises(SettingsError, match=r"crawl\.blind_spots is 0\.05, but iterative-deepening .*set it to 0"):
        validate(refused)
    validate(settings_for("iterative-deepening"))
    for strategy in DRAWING:
        validate(settings_for(strategy, crawl__blind_spots=0.05))


def test_a_link_that_was_drawn_is_fetched_though_the_strategy_would_skip_it(tmp_path: Path) -> None:
    world = ScriptedWorld({SEED: page_with(**{"3": "http://a.test/calendar"})})
    wired = HandWired(tmp_path / "run", world, script_settings(crawl__blind_spots=1.0), ByAnchorNumber(skipping="."))
    assert wired.run() is StopReason.EXHAUSTED
    assert world.fetches.total() == 2
    assert wired.core.progress.skips == 0


@pytest.mark.thorough
@pytest.mark.parametrize(("strategy", "concurrency"), [("online-ridge", 4), thorough("best-first", 1)])
def test_killed_and_resumed_it_draws_the_same(tmp_path: Path, strategy: str, concurrency: int) -> None:
    settings = settings_for(strategy, budget=120, concurrency=concurrency, crawl__blind_spots=0.3)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    killed, chance = tmp_path / "killed", random.Random(5)
    arguments = ["120", str(concurrency), strategy, "best", json.dumps({"crawl.blind_spots": 0.3})]
    for _ in range(3):
        kill_after_a_while(killed, arguments, chance)
    with open_run(killed) as run:
        assert 0 < run.progress.steps < 120
    resume(killed, vectors=hashed_vectors()).close()
    assert story(killed) == story(tmp_path / "whole")
    assert contents(killed) == contents(tmp_path / "whole")
    with open_run(killed) as run:
        assert sum(step.explored for step in run.steps()) > 20


@pytest.mark.parametrize("strategy", ["lfa-async", *(thorough(name) for name in DRAWING)])
def test_every_strategy_takes_what_is_drawn_and_goes_on_after_every_interruption(tmp_path: Path, strategy: str) -> None:
    settings = settings_for(strategy, budget=45, concurrency=6, crawl__blind_spots=0.3)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    assert crawl_in_pieces(tmp_path / "broken", settings, random.Random(7)) > 0
    assert story(tmp_path / "broken") == story(tmp_path / "whole")
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
