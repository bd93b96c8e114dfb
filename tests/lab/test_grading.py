"""What a crawl is charged for, and what it is credited with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.crawler import crawl
from honeyguide.model import RefusalReason, Refused, Unknown
from honeyguide.settings import settings_from
from honeyguide_lab.grading import MOST_UNKNOWN, Grade, grade
from honeyguide_lab.oracle import Oracle
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.model import Url
    from scripted_world import Script

HOME = "http://web.test/"
ROCK = "http://web.test/rock"


def graded(folder: Path, script: Script, budget: int = 10) -> Grade:
    """A breadth-first crawl from the home page, in which only the page about rock is on topic."""
    settings = settings_from(
        {
            "crawl": {"world": "synthetic", "strategy": "breadth-first", "concurrency": 1},
            "budget": {"fetches": budget},
            "politeness": {"delay_s": 0.0},
        }
    )
    oracle = Oracle(1, [min(step, 1) for step in range(budget + 1)], [0, 0] + [1] * (budget - 1))

    def is_on_topic(url: Url) -> bool:
        return url.text == ROCK

    with crawl(folder / "run", settings, world=ScriptedWorld(script), vectors=hashed_vectors()) as run:
        return grade(run, is_on_topic, budget, oracle)


def test_refusals_failures_and_every_redirect_hop_cost_one(tmp_path: Path) -> None:
    script: Script = {
        HOME: page_with("/closed", "/gone", "/a"),
        "http://web.test/closed": Refused(RefusalReason.ROBOTS, "closed"),
        "http://web.test/a": redirect_to("http://web.test/b"),
        "http://web.test/b": redirect_to(ROCK),
        ROCK: page_with(),
    }
    result = graded(tmp_path, script)
    assert result.fetches == 6
    assert result.curve == [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]


def test_a_page_counts_once_by_its_final_url_however_many_links_lead_to_it(tmp_path: Path) -> None:
    script: Script = {
        HOME: page_with("/a", "/b", "/rock"),
        "http://web.test/a": redirect_to(ROCK),
        "http://web.test/b": redirect_to(ROCK),
        ROCK: page_with(),
    }
    result = graded(tmp_path, script)
    assert result.relevant == 1
    assert result.document()["requests_per_relevant"] == 4.0


def test_what_a_replayed_run_does_not_know_costs_nothing_and_is_told(tmp_path: Path) -> None:
    script: Script = {HOME: page_with("/x", "/y", "/rock"), ROCK: page_with()}
    script = {**script, "http://web.test/x": Unknown("never asked"), "http://web.test/y": Unknown("never asked")}
    result = graded(tmp_path, script)
    assert result.fetches == 2
    assert result.curve[:4] == [0, 0, 1, 1]
    assert result.unknown_share == 0.5 > MOST_UNKNOWN


def test_a_crawl_that_found_nothing_divides_by_nothing(tmp_path: Path) -> None:
    figures = graded(tmp_path, {HOME: page_with()}).document()
    assert (figures["relevant"], figures["of_oracle"], figures["target_recall"]) == (0, 0.0, 0.0)
    assert figures["requests_per_relevant"] is None
    assert figures["steps_to_first_relevant"] is None


def test_harvest_at_r_is_only_known_where_the_budget_lasts_so_long(tmp_path: Path) -> None:
    script: Script = {HOME: page_with("/rock"), ROCK: page_with()}
    assert graded(tmp_path, script).document()["harvest_at_R"] == 0
    oracle = Oracle(50, [0, 1], [0, 1])
    assert Grade([0, 1], oracle, 1, 1, 1, 1, 0, 0, [], 0.0, "").document()["harvest_at_R"] is None
