"""Harvest figures on numbers worked out by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Url
from honeyguide.runs import CrawledStep, downsampled, harvest_curve
from honeyguide_lab.grading import area_under_curve, graded, harvest_rate, share_found

GRADES = st.lists(st.booleans(), max_size=200)


def step(number: int, url: str, outcome: str) -> CrawledStep:
    return CrawledStep(number, Url.parse(url), outcome, 0.0, explored=False, reward=None, is_relevant=False, detail="")


def test_only_a_page_that_came_counts_and_the_judge_has_no_say() -> None:
    steps = [
        step(1, "http://rock.test/a", "fetched"),
        step(2, "http://rock.test/b", "failed"),
        step(3, "http://song.test/", "fetched"),
    ]
    assert list(graded(steps, lambda url: url.host == "rock.test")) == [True, False, False]


def test_a_curve_starts_at_nothing_and_adds_up() -> None:
    assert harvest_curve([True, False, True], budget=3) == [0, 1, 1, 2]


def test_a_crawl_that_stops_early_is_charged_for_the_whole_budget() -> None:
    curve = harvest_curve([True, True], budget=8)
    assert curve == [0, 1, 2, 2, 2, 2, 2, 2, 2]
    assert harvest_rate(curve) == 0.25


def test_what_comes_after_the_budget_does_not_count() -> None:
    assert harvest_curve([True] * 5, budget=2) == [0, 1, 2]


def test_area_is_one_when_every_fetch_brings_a_page_and_less_when_they_come_late() -> None:
    assert area_under_curve([0, 1, 2, 3, 4]) == 1.0
    assert area_under_curve([0, 1, 2, 2, 2]) == pytest.approx(7 / 10)
    assert area_under_curve([0, 0, 0, 1, 2]) == pytest.approx(3 / 10)
    assert area_under_curve([0]) == 0.0


def test_share_found_is_of_all_there_are() -> None:
    assert share_found([0, 1, 2], on_topic_pages=8) == 0.25
    assert share_found([0, 0], on_topic_pages=0) == 0.0


def test_a_long_curve_keeps_its_ends_when_thinned() -> None:
    curve = list(range(1001))
    assert downsampled(curve, 5) == [(0, 0), (250, 250), (500, 500), (750, 750), (1000, 1000)]
    assert downsampled([0, 1, 2], 100) == [(0, 0), (1, 1), (2, 2)]
    assert downsampled([0], 5) == [(0, 0)]


@given(GRADES, st.integers(1, 250))
def test_a_curve_never_falls_and_is_as_long_as_the_budget(grades: list[bool], budget: int) -> None:
    curve = harvest_curve(grades, budget)
    assert len(curve) == budget + 1
    assert all(0 <= after - before <= 1 for before, after in pairwise(curve))
    assert 0.0 <= area_under_curve(curve) <= 1.0
    assert harvest_rate(curve) == sum(grades[:budget]) / budget
