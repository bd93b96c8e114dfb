"""A crawl that is looked at now and then is the crawl that nobody looked at."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from honeyguide.runs import open_run
from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab.crawl_task import CrawlTask
from honeyguide_lab.parallel import run_crawls
from honeyguide_lab.reproduce.lim2016.measured_crawl import MeasuredCrawl, Milestone
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.settings import Settings

MILESTONES = (1, 5, 20, 40)


def settings(strategy: str = "depth-first", budget: int = MILESTONES[-1]) -> Settings:
    crawl = {"world": "synthetic:seed=2,pages=400,hosts=6", "strategy": strategy}
    return with_overrides(settings_from({"crawl": crawl, "budget": {"fetches": budget}}), LABORATORY)


def measured(folder: Path, strategy: str = "depth-first") -> MeasuredCrawl:
    return MeasuredCrawl(folder, settings(strategy), MILESTONES)


def made(crawl: MeasuredCrawl) -> MeasuredCrawl:
    crawl.make(lambda: False, lambda _: None)
    return crawl


def timeless(seen: list[Milestone]) -> list[Milestone]:
    return [replace(each, real_s=0.0) for each in seen]


def test_a_milestone_is_what_a_crawl_of_that_budget_ends_with(tmp_path: Path) -> None:
    strategy = "modified-depth-first"
    seen = made(measured(tmp_path / "measured", strategy)).measured()
    assert [each.iterations for each in seen] == list(MILESTONES)
    for each in seen:
        alone = CrawlTask(tmp_path / str(each.iterations), settings(strategy, each.iterations))
        alone.make(lambda: False, lambda _: None)
        with open_run(alone.run) as run:
            progress = run.progress
        assert (each.fetches, each.pages, each.waiting, each.largest_waiting, each.pages_not_followed) == (
            progress.fetches,
            progress.pages,
            progress.waiting,
            progress.largest_waiting,
            progress.pages_not_followed,
        )
        assert each.simulated_s == pytest.approx(progress.now, abs=1e-4)
        assert each.real_s > 0


def test_a_crawl_stopped_in_between_goes_on_to_the_same_milestones(tmp_path: Path) -> None:
    crawl = measured(tmp_path / "stopped")
    answers = iter([False] * 30 + [True] * 10_000)
    crawl.make(lambda: next(answers), lambda _: None)
    assert not crawl.is_done
    assert [each.iterations for each in crawl.measured()] == [1, 5]
    assert 5 < crawl.spent < 20
    again = made(measured(tmp_path / "stopped"))
    assert timeless(again.measured()) == timeless(made(measured(tmp_path / "whole")).measured())
    assert again.is_done
    assert again.spent == MILESTONES[-1]


def test_a_crawl_that_is_done_is_left_alone(tmp_path: Path) -> None:
    crawl = made(measured(tmp_path))
    before = (crawl.run / "crawl.sqlite").stat().st_mtime_ns
    assert run_crawls([crawl], jobs=1)
    assert (crawl.run / "crawl.sqlite").stat().st_mtime_ns == before


@pytest.mark.parametrize("damage", ["[{", '[{"iterations": 1}]'])
def test_where_what_was_seen_is_lost_the_crawl_starts_over(tmp_path: Path, damage: str) -> None:
    crawl = made(measured(tmp_path / "one"))
    expected = timeless(crawl.measured())
    (tmp_path / "one" / "milestones.json").write_text(damage)
    assert not crawl.is_done
    assert timeless(made(crawl).measured()) == expected


@pytest.mark.thorough
def test_a_crawl_that_runs_out_of_links_is_seen_at_every_later_milestone(tmp_path: Path) -> None:
    crawl = MeasuredCrawl(tmp_path, settings(budget=5000), (10, 2000, 5000))
    first, second, third = made(crawl).measured()
    assert not first.is_exhausted
    assert second.is_exhausted
    assert second.waiting == 0
    assert second.fetches < 2000
    assert replace(third, iterations=2000) == second


@pytest.mark.thorough
def test_several_are_made_in_processes_of_their_own(tmp_path: Path) -> None:
    crawls = [measured(tmp_path / strategy, strategy) for strategy in ("breadth-first", "depth-first")]
    spent: list[int] = []
    assert run_crawls(crawls, jobs=2, on_progress=spent.append)
    assert spent[-1] == 2 * MILESTONES[-1]
    assert all(crawl.is_done for crawl in crawls)
    assert json.loads((tmp_path / "depth-first" / "milestones.json").read_text())[-1]["fetches"] == MILESTONES[-1]
