"""Totals of a run are what its growing sums say, without keeping anything by fetch."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.runs import RunSums, RunTotals, open_run
from honeyguide.settings import settings_from

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("totals") / "run"
    settings = {
        "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
        "crawl": {"world": "synthetic:pages=2000,hosts=20", "workers": 0},
        "budget": {"fetches": 80},
    }
    honeyguide.crawl(path, settings_from(settings)).close()
    return path


def test_totals_are_those_of_sums_that_grow(run: Path) -> None:
    sums = RunSums()
    with open_run(run) as opened:
        sums.extend(opened)
        totals = RunTotals(opened, points=30)
    assert (totals.fetches, totals.relevant) == (len(sums), sums.relevant)
    assert totals.curve == sums.curve(30)
    assert tuple(totals.hosts()) == sums.hosts(1000)


def test_totals_are_those_of_the_pages_and_failures_of_the_run(run: Path) -> None:
    with open_run(run) as opened:
        totals = RunTotals(opened, bins=5)
        pages, steps = list(opened.pages()), list(opened.steps())
    places = Counter(min(4, int(page.relevance * 5)) for page in pages)
    good = Counter(min(4, int(page.relevance * 5)) for page in pages if page.is_relevant)
    assert totals.bins == [(places[place], good[place]) for place in range(5)]
    failed = Counter(step.url.host for step in steps if step.outcome in {"failed", "refused"})
    worst = totals.failing_hosts(1000)
    assert {each.host: each.failed for each in worst} == failed
    assert [each.failed for each in worst] == sorted((each.failed for each in worst), reverse=True)
    assert totals.failing_hosts(1) == worst[:1]
