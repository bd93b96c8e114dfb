"""One crawl of an experiment: it goes on where it stopped, also with a larger budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.crawler import PagesRead
from honeyguide.crawler.preparing import Preparation
from honeyguide.runs import open_run
from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab import crawl_task
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


def test_pages_that_an_earlier_crawl_has_read_are_not_parsed_again_and_make_the_same_crawl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = PagesRead()
    monkeypatch.setattr(crawl_task, "shared_readings", lambda: readings)
    first = made(task(tmp_path / "first", 30, "best-first"))
    assert readings.elsewhere_s == 0
    parsed: list[str] = []
    monkeypatch.setattr(Preparation, "prepare", lambda _, url, __: parsed.append(url.text))
    second = made(task(tmp_path / "second", 30, "best-first"))
    assert not parsed
    assert fetched(second) == fetched(first)
    with open_run(first.run) as one, open_run(second.run) as other:
        assert [page.relevance for page in one.pages()] == [page.relevance for page in other.pages()]
    assert 0 < readings.elsewhere_s < second.processor_s_per_step * 30  # reading them counts all the same


def test_a_page_is_read_again_for_a_crawl_that_parses_in_another_manner_and_the_oldest_one_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = PagesRead(most_bytes=50_000)
    monkeypatch.setattr(crawl_task, "shared_readings", lambda: readings)
    made(task(tmp_path / "first", 60, "breadth-first"))
    made(task(tmp_path / "second", 60, "tag-path-bandit"))  # looks at the place of every link
    again = task(tmp_path / "third", 60, "tag-path-bandit")
    with_own = task(tmp_path / "fourth", 60, "tag-path-bandit")
    made(again)
    monkeypatch.setattr(crawl_task, "shared_readings", PagesRead)
    assert fetched(made(with_own)) == fetched(again)
