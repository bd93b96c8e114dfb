"""One crawl of an experiment: it goes on where it stopped, also with a larger budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.runs import open_run
from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab.crawl_task import CrawlTask
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from pathlib import Path


def task(folder: Path, budget: int, strategy: str = "depth-first", **crawl_table: Any) -> CrawlTask:
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock"]},
            "crawl": {"world": "synthetic:pages=200,hosts=6", "strategy": strategy, **crawl_table},
            "judge": {"kind": "keyword"},
            "budget": {"fetches": budget},
        }
    )
    return CrawlTask(folder, with_overrides(settings, LABORATORY))


def made(one: CrawlTask) -> CrawlTask:
    one.make(lambda: False, lambda _: None)
    return one


def fetched(one: CrawlTask) -> list[tuple[str, float]]:
    with open_run(one.run) as run:
        return [(step.url.text, step.score) for step in run.steps()]


@pytest.mark.parametrize(
    "strategy",
    [
        "best-first",
        "modified-depth-first",
        *(pytest.param(each, marks=pytest.mark.thorough) for each in ("depth-first", "random", "beam")),
    ],
)
def test_a_crawl_that_goes_on_with_a_larger_budget_equals_one_that_had_it_from_the_start(
    tmp_path: Path, strategy: str
) -> None:
    for budget in (1, 7, 20, 60):
        one = made(task(tmp_path / "grown", budget, strategy))
        assert one.is_done
        assert one.spent == budget
    whole = made(task(tmp_path / "whole", 60, strategy))
    assert fetched(one) == fetched(whole)
    with open_run(one.run) as grown, open_run(whole.run) as at_once:
        assert grown.progress == at_once.progress


def test_a_crawl_is_not_done_while_its_budget_is_larger_than_what_it_spent(tmp_path: Path) -> None:
    made(task(tmp_path, 5))
    assert not task(tmp_path, 6).is_done
    assert task(tmp_path, 6).spent == 5
    assert task(tmp_path, 5).is_done


def test_a_crawl_that_has_nothing_left_is_done_whatever_the_budget(tmp_path: Path) -> None:
    made(task(tmp_path, 1000))
    assert task(tmp_path, 100_000).is_done
    assert task(tmp_path, 100_000).spent == 100_000


def test_the_time_at_work_adds_up(tmp_path: Path) -> None:
    first = made(task(tmp_path, 5)).seconds
    second = made(task(tmp_path, 40)).seconds
    assert 0 < first < second
