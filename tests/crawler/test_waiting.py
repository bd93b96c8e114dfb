"""While a good host rests: a fetch is spent on a poor one, or the crawl waits, as `crawl.hurry` says."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.driving import ByAnchorNumber, HandWired, script_settings
from crawler.small_crawls import crawl_in_pieces, settings_for, story
from honeyguide.crawler import Dispatch, Wait, crawl
from honeyguide.frontier import Haste, Resting
from honeyguide.frontier.frontier import LONGEST_WAIT_S, Ready
from honeyguide.runs import open_run
from scripted_world import ScriptedWorld, page_with
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "http://good.test/"
POOR = [f"http://poor{number}.test/" for number in range(6)]


def asked(folder: Path, poor_anchor: str, **overrides: object) -> tuple[list[str], float]:
    """Crawl a good host with six links of promise 9 and six poor hosts; who was asked after the seed, and seconds."""
    links = {f"9.{number}": f"{GOOD}{number}" for number in range(6)}
    links |= {f"{poor_anchor}{number}": url for number, url in enumerate(POOR)}
    world = ScriptedWorld({GOOD: page_with(**links), **dict.fromkeys([*links.values()], "a page")})
    chosen = {"budget__fetches": 7, "politeness__delay_s": 1.0, "crawl__concurrency": 4} | overrides
    settings = script_settings("best-first", **chosen)
    HandWired(folder / "run", world, settings, ByAnchorNumber()).run()
    with open_run(folder / "run") as run:
        return [step.url.host.removesuffix(".test")[:4] for step in run.steps()][1:], run.progress.spent_seconds


def test_without_hurry_every_fetch_goes_to_the_good_host(tmp_path: Path) -> None:
    hosts, seconds = asked(tmp_path, "1.", crawl__hurry=0.0)
    assert hosts == ["good"] * 6
    assert seconds > 6


def test_in_all_haste_whoever_is_ready_is_asked(tmp_path: Path) -> None:
    hosts, seconds = asked(tmp_path, "1.", crawl__hurry=1.0)
    assert hosts == ["poor"] * 6
    assert seconds < 3


def test_in_some_haste_poor_hosts_wait_and_hosts_that_are_nearly_as_good_do_not(tmp_path: Path) -> None:
    assert asked(tmp_path / "a", "1.", crawl__hurry=0.2)[0] == ["good"] * 6
    assert asked(tmp_path / "b", "8.", crawl__hurry=0.2)[0].count("poor") >= 4


def test_a_fetch_is_left_to_another_shard_that_waits_for_a_better_link(tmp_path: Path) -> None:
    links = {f"{number}": url for number, url in enumerate(POOR, start=1)}
    world = ScriptedWorld({GOOD: page_with(**links)})
    wired = HandWired(tmp_path / "run", world, script_settings("best-first", crawl__hurry=0.2), ByAnchorNumber())
    core = wired.core
    seed = core.choose(0.0)
    assert isinstance(seed, Dispatch)
    core.apply(seed, world.answer(seed.url), 0.5)
    core.take_rests(10, [Resting(worth=100.0, moment=2.0)])
    assert isinstance(core.choose(1.0), Wait)
    core.take_rests(10, [Resting(worth=7.0, moment=2.0)])  # not that much better than 6, for a second
    assert isinstance(core.choose(1.0), Dispatch)


def test_a_host_that_rests_for_long_is_not_waited_for(tmp_path: Path) -> None:
    hosts, _ = asked(tmp_path, "1.", crawl__hurry=0.0, politeness__delay_s=LONGEST_WAIT_S + 1)
    assert hosts.count("poor") == 6


def test_seconds_that_are_short_are_not_spent_waiting(tmp_path: Path) -> None:
    hosts, _ = asked(tmp_path, "1.", crawl__hurry=0.0, budget__seconds=3.0, budget__fetches=1000)
    assert hosts.count("poor") == 6


def test_seconds_that_suffice_are_spent_waiting(tmp_path: Path) -> None:
    hosts, _ = asked(tmp_path, "1.", crawl__hurry=0.0, budget__seconds=60.0)
    assert hosts == ["good"] * 6


def test_an_order_without_promises_never_waits(tmp_path: Path) -> None:
    for hurry in (0.0, 1.0):
        settings = settings_for("depth-first", budget=40, crawl__hurry=hurry)
        crawl(tmp_path / str(hurry), settings, vectors=hashed_vectors()).close()
    assert story(tmp_path / "0.0") == story(tmp_path / "1.0")


@pytest.mark.parametrize("hurry", [pytest.param(0.0, marks=pytest.mark.thorough), 0.2])
def test_interrupted_and_resumed_it_waits_as_if_it_had_not_been(tmp_path: Path, hurry: float) -> None:
    settings = settings_for(budget=60, crawl__hurry=hurry)
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    assert crawl_in_pieces(tmp_path / "pieces", settings, random.Random(3), most_turns=25) > 2
    assert story(tmp_path / "pieces") == story(tmp_path / "whole")


@given(
    st.floats(-2, 2), st.integers(1, 300), st.floats(0, 60), st.floats(0, 60), st.floats(0, 0.99), st.floats(0, 0.99)
)
def test_a_wait_costs_more_the_longer_it_is_and_the_more_time_counts(
    ready: float, hosts: int, wait_s: float, longer_s: float, hurry: float, more: float
) -> None:
    def worth(wait_s: float, hurry: float, hosts: int) -> float:
        return float(Haste(hurry, 1.2).worth_a_wait(Ready(ready, hosts), np.array([wait_s]))[0])

    asked = worth(wait_s, hurry, hosts)
    assert asked >= max(ready, 0.0)
    assert worth(wait_s + longer_s, hurry, hosts) >= asked
    assert worth(wait_s, max(hurry, more), hosts) >= asked
    assert worth(wait_s, hurry, hosts + 1) >= asked
    assert worth(wait_s, 0.0, hosts) == max(ready, 0.0)
