"""Which links the table shows: the newest, the best of the others, a fair sample of the rest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import SettingsError
from honeyguide_lab.environment import TableSpec
from honeyguide_lab.environment.focused_crawl import shortlist


def chance() -> np.random.Generator:
    return np.random.default_rng(0)


def test_newest_come_first_then_the_best_then_a_sample() -> None:
    scores = np.array([0.1, 0.9, 0.5, 0.9, 0.2, 0.3, 0.8, 1.0])
    places = shortlist(scores, TableSpec(rows=4, newest=0.25, best=0.5), chance()).tolist()
    assert places[:3] == [7, 1, 3]
    assert places[3] in {0, 2, 4, 5, 6}


def test_everything_is_shown_while_it_fits() -> None:
    assert sorted(shortlist(np.zeros(6), TableSpec(rows=8), chance()).tolist()) == list(range(6))


def test_the_first_come_of_equals_are_the_best() -> None:
    assert shortlist(np.zeros(9), TableSpec(rows=3, newest=0.0, best=1.0), chance()).tolist() == [0, 1, 2]


def test_the_sample_is_uniform_over_the_links_that_have_no_other_place() -> None:
    scores = np.array([5.0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    generator, drawn = chance(), np.zeros(10)
    for _ in range(4000):
        drawn[shortlist(scores, TableSpec(rows=4, newest=0.25, best=0.25), generator)[2:]] += 1
    assert drawn[0] == drawn[9] == 0
    assert np.abs(drawn[1:9] / 4000 - 2 / 8).max() < 0.03


@given(
    scores=st.lists(st.floats(-1, 1), max_size=40),
    rows=st.integers(1, 20),
    newest=st.floats(0, 0.5),
    best=st.floats(0, 0.5),
)
def test_no_link_is_shown_twice_and_no_row_is_wasted(
    scores: list[float], rows: int, newest: float, best: float
) -> None:
    places = shortlist(np.array(scores), TableSpec(rows, newest, best), chance())
    assert len(set(places.tolist())) == len(places) == min(rows, len(scores))


@pytest.mark.parametrize(("newest", "best"), [(0.6, 0.6), (-0.1, 0.5), (0.0, 1.1), (float("nan"), 0.5)])
def test_shares_that_make_no_table_are_refused(newest: float, best: float) -> None:
    with pytest.raises(SettingsError, match="together at most 1"):
        TableSpec(newest=newest, best=best)


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(SettingsError, match="at least one"):
        TableSpec(rows=0)
