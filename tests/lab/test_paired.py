"""Differences between strategies: the mean by hand, and intervals that know what luck is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide_lab.statistics import paired_difference


def test_every_topic_counts_alike_however_often_it_was_repeated() -> None:
    result = paired_difference([[1.0, 1.0, 1.0, 1.0], [3.0]])
    assert result.mean == 2.0
    assert result.pairs == 5
    assert (result.low, result.high) == (1.0, 3.0)


def test_a_difference_is_clear_only_over_topics_enough() -> None:
    assert not paired_difference([[1.0], [3.0], [2.0]]).is_clear
    assert paired_difference([[1.0], [3.0], [2.0], [1.5], [2.5], [2.0]]).is_clear
    assert not paired_difference([[1.0], [-3.0], [2.0], [1.5], [-2.5], [2.0]]).is_clear
    assert paired_difference([[0.5]] * 6).is_clear  # the same everywhere


def test_repeats_without_chance_in_them_do_not_make_a_difference_clearer() -> None:
    few = paired_difference([[0.4], [-0.1], [0.3]])
    many = paired_difference([[0.4] * 50, [-0.1] * 50, [0.3] * 50])
    assert many.low == pytest.approx(few.low, abs=0.02)
    assert not many.is_clear


def test_one_topic_speaks_of_its_repeats() -> None:
    result = paired_difference([[0.1, 0.2, 0.3]])
    assert 0.1 <= result.low < result.mean < result.high <= 0.3


def test_repeats_of_one_and_the_same_crawl_are_no_evidence() -> None:
    assert not paired_difference([[0.5, 0.5, 0.5]]).is_clear


def test_without_pairs_there_is_no_difference() -> None:
    with pytest.raises(ValueError, match="at least one"):
        paired_difference([])


@given(st.lists(st.lists(st.floats(-1, 1), min_size=1, max_size=3), min_size=1, max_size=4))
def test_the_interval_has_the_mean_in_it_and_turns_with_the_sign(differences: list[list[float]]) -> None:
    result = paired_difference(differences)
    assert result.low - 1e-9 <= result.mean <= result.high + 1e-9
    turned = paired_difference([[-value for value in each] for each in differences])
    assert turned.mean == pytest.approx(-result.mean)
    assert turned.low == pytest.approx(-result.high, abs=0.05)
