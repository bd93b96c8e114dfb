"""The longer pause that a host is given every so many fetches."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from crawler.driving import HandWired, script_settings
from crawler.small_crawls import contents, story
from honeyguide.crawler import crawl, resume
from honeyguide.runs import open_run
from scripted_world import ScriptedWorld, page_with, taking
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.settings import Settings
    from scripted_world import Script

PAGES = 35
LATENCY_S = 0.25


def long_script() -> Script:
    """A page that links to all the others, on one host."""
    urls = [f"http://one.test/{number}" for number in range(PAGES)]
    return {urls[0]: page_with(*urls[1:]), **dict.fromkeys(urls[1:], "<p>end")}


def paused_settings(**overrides: object) -> Settings:
    chosen: dict[str, object] = {"politeness__delay_s": 0.5, "politeness__pause_every": 10}
    return script_settings(**(chosen | overrides))  # type: ignore[arg-type]


def gaps_of(path: Path) -> list[float]:
    """Seconds between the end of each fetch and the beginning of the next."""
    with closing(sqlite3.connect(path / "crawl.sqlite")) as database:
        times = database.execute("SELECT chosen_at, finished_at FROM steps ORDER BY step").fetchall()
    return [later[0] - earlier[1] for earlier, later in pairwise(times)]


def test_every_tenth_fetch_is_followed_by_a_longer_pause_on_top_of_the_usual(tmp_path: Path) -> None:
    world = ScriptedWorld(long_script(), latency_s=LATENCY_S)
    crawl(tmp_path / "run", paused_settings(), world=world, vectors=hashed_vectors()).close()
    gaps = gaps_of(tmp_path / "run")
    long = gaps[9::10]
    short = [gap for number, gap in enumerate(gaps, 1) if number % 10]
    assert len(long) == 3
    assert short == pytest.approx([0.5] * len(short))
    assert all(1.5 <= gap <= 2.7 for gap in long)
    assert len(set(long)) == 3


def test_the_pauses_are_part_of_the_seed(tmp_path: Path) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        world = ScriptedWorld(long_script(), latency_s=LATENCY_S)
        crawl(tmp_path / name, paused_settings(crawl__seed=seed), world=world, vectors=hashed_vectors()).close()
    assert gaps_of(tmp_path / "one") == gaps_of(tmp_path / "same") != gaps_of(tmp_path / "other")


@pytest.mark.parametrize("max_delay_s", [0.5, 60.0])
def test_a_crawl_stopped_in_a_longer_pause_keeps_it(tmp_path: Path, max_delay_s: float) -> None:
    world = ScriptedWorld(long_script(), latency_s=LATENCY_S)
    around = {"world": world, "vectors": hashed_vectors()}
    whole, broken = (
        paused_settings(politeness__max_delay_s=max_delay_s, budget__fetches=fetches) for fetches in (PAGES, 8)
    )
    crawl(tmp_path / "whole", whole, **around).close()  # type: ignore[arg-type]
    crawl(tmp_path / "broken", broken, **around).close()  # type: ignore[arg-type]
    for total in (9, 10, 11, 12, 20, PAGES):
        resume(tmp_path / "broken", budget=total, **around).close()  # type: ignore[arg-type]
    assert story(tmp_path / "broken") == story(tmp_path / "whole")
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
    assert gaps_of(tmp_path / "broken") == gaps_of(tmp_path / "whole")


def test_a_replayed_run_does_not_take_the_longer_pause_for_one_the_host_asked_for(tmp_path: Path) -> None:
    world = ScriptedWorld(long_script(), latency_s=LATENCY_S)
    crawl(tmp_path / "run", paused_settings(budget__fetches=10), world=world, vectors=hashed_vectors()).close()
    with open_run(tmp_path / "run") as run:
        answers = run.recorded_answers()
        delays = {answers.answer(step.url).host_delay_s for step in run.steps()}  # type: ignore[union-attr]
    assert delays == {0.0}


def test_a_replayed_run_still_knows_what_the_host_asked_for(tmp_path: Path) -> None:
    script: Script = {"http://one.test/": taking(1.0, "<p>x", host_delay_s=30.0)}
    settings = paused_settings(politeness__pause_every=1)
    crawl(tmp_path / "run", settings, world=ScriptedWorld(script), vectors=hashed_vectors()).close()
    with open_run(tmp_path / "run") as run:
        (step,) = run.steps()
        answer = run.recorded_answers().answer(step.url)
    assert answer is not None
    assert 30.0 - 1.2 <= answer.host_delay_s <= 30.0


def test_chance_is_asked_only_where_a_longer_pause_is_due(tmp_path: Path) -> None:
    wired = HandWired(tmp_path / "run", ScriptedWorld(long_script()), paused_settings(politeness__pause_every=2))
    is_drawn = []
    for number in range(4):
        before = wired.parts.chance.bit_generator.state
        wired.follow(f"http://one.test/{number}", now=100.0 * number)
        is_drawn.append(wired.parts.chance.bit_generator.state != before)
    wired.close()
    assert is_drawn == [False, True, False, True]
