"""Sums of a run: kept and extended, they are those of the whole run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.runs import RunSums, open_run, stats
from honeyguide.runs.sums import OTHER_PAGES, REDIRECTS, RELEVANT

if TYPE_CHECKING:
    from pathlib import Path


def settings_of(budget: int) -> honeyguide.Settings:
    return honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": "synthetic:pages=2000,hosts=20", "workers": 0},
            "budget": {"fetches": budget},
        }
    )


def sums_of(run: Path) -> RunSums:
    sums = RunSums()
    with open_run(run) as opened:
        sums.extend(opened)
    return sums


def shown(sums: RunSums) -> object:
    return sums.curve(50), sums.hosts(30), sums.causes(), sums.best(40), sums.newest(40), sums.relevant, len(sums)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sums") / "run"
    honeyguide.crawl(path, settings_of(60)).close()
    return path


def test_sums_that_grew_with_the_run_are_those_of_the_whole_run(run: Path) -> None:
    sums = sums_of(run)
    before = len(sums)
    honeyguide.resume(run, budget=90).close()
    with open_run(run) as opened:
        sums.extend(opened)
        sums.extend(opened)  # nothing is counted twice
        relevant = [page for page in opened.pages() if page.is_relevant]
        page = relevant[0]
    assert before < len(sums) == 90
    assert shown(sums) == shown(sums_of(run))
    honeyguide.answer(run, page.url.text, "no")
    with open_run(run) as opened:
        sums.extend(opened)
    assert shown(sums) == shown(sums_of(run))
    assert page.step not in sums.best(200)


def test_they_are_what_the_run_holds(run: Path) -> None:
    sums, counted = sums_of(run), stats(run, 100)
    with open_run(run) as opened:
        relevant = [page for page in opened.pages() if page.is_relevant]
        steps = list(opened.steps())
    assert sums.relevant == counted.relevant == len(relevant)
    best = sorted(relevant, key=lambda page: -page.relevance)[:10]
    assert sorted(sums.best(10)) == sorted(page.step for page in best)
    assert sums.newest(5) == [page.step for page in relevant[:-6:-1]]
    assert sums.curve(1000)[-1] == (counted.fetches, counted.relevant)
    assert len(sums.curve(20)) == 20
    assert {(each.host, each.asked, each.relevant) for each in sums.hosts(1000)} == {
        (each.host, each.fetches, each.relevant) for each in counted.top_hosts
    }
    failed = Counter(step.url.host for step in steps if step.outcome in {"failed", "refused"})
    assert {each.host: each.failed for each in sums.hosts(1000) if each.failed} == failed
    causes = {each.cause: each.fetches for each in sums.causes()}
    assert sum(causes.values()) == counted.fetches
    assert causes[RELEVANT] + causes[OTHER_PAGES] == counted.pages
    assert causes.get(REDIRECTS, 0) == counted.outcomes.get("redirected", 0)
    for reason, times in counted.without_page.items():
        assert causes[reason] == times


def test_a_run_without_fetches_has_sums_too() -> None:
    sums = RunSums()
    assert sums.curve(200) == ((0, 0),)
    assert (sums.hosts(5), sums.causes(), sums.best(5), sums.newest(5)) == ((), (), [], [])
