"""Buckets: edges, order, and what the two indexes of Han tell together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from honeyguide.learn.han_features import change_classes, change_halves, five_buckets, six_buckets, tenths

numbers = st.floats(-3, 3) | st.sampled_from([round(tenth / 10, 1) for tenth in range(-30, 31)])
some_numbers = arrays.arrays(float, st.integers(0, 12), elements=numbers)


def below(edge: float) -> float:
    return float(np.nextafter(edge, -np.inf))


def index(function: object, *numbers: float) -> list[int]:
    assert callable(function)
    return [int(entry) for entry in function(np.array(numbers))]


def test_five_buckets_of_han_3_1() -> None:
    assert index(five_buckets, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0) == [0, 1, 2, 3, 4, 4]
    assert index(five_buckets, *map(below, (0.2, 0.4, 0.6, 0.8, 1.0))) == [0, 1, 2, 3, 4]


def test_six_buckets_of_han_3_1() -> None:
    assert index(six_buckets, 0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0) == [0, 1, 2, 3, 4, 5, 5]
    assert index(six_buckets, *map(below, (0.1, 0.3, 0.5, 0.7, 0.9, 1.0))) == [0, 1, 2, 3, 4, 5]


def test_tenths_of_pertejo_3_3_1() -> None:
    assert index(tenths, 0.0, 0.1, 0.25, 0.3, 0.6, 0.7, 0.99, 1.0) == [0, 1, 2, 3, 6, 7, 9, 9]
    assert index(tenths, *map(below, (0.1, 0.3, 0.7, 1.0))) == [0, 2, 6, 9]


@pytest.mark.parametrize("function", [five_buckets, six_buckets, tenths])
def test_what_is_outside_falls_into_the_nearest_bucket(function: object) -> None:
    lowest, highest = index(function, 0.0, 1.0)
    assert index(function, -0.3, -1.0, -np.inf, np.nan) == [lowest] * 4
    assert index(function, 1.0000001, 2.0, np.inf) == [highest] * 3


@settings(deadline=None)
@given(some_numbers)
def test_hans_two_indexes_together_are_pertejos_one(values: np.ndarray) -> None:
    assert np.array_equal(five_buckets(values) + six_buckets(values), tenths(values))


def test_hans_two_indexes_have_ten_values_together() -> None:
    """Han 3.1: the state space has a factor of 10 for each relevance."""
    values = np.linspace(0, 1, 1001)
    assert len(set(zip(five_buckets(values).tolist(), six_buckets(values).tolist(), strict=True))) == 10


def test_classes_of_change_of_han_3_1() -> None:
    """δ1 = 0.1 and δ2 = 0.3 as in section 4."""

    def classes(*changes: float) -> list[int]:
        return change_classes(np.array(changes), 0.1, 0.3).tolist()

    assert classes(0.0, 0.05, -0.05, 0.1, -0.1) == [0] * 5
    assert classes(0.11, 0.3) == [1, 1]
    assert classes(0.31, 1.0) == [2, 2]
    assert classes(-0.11, -0.3) == [3, 3]
    assert classes(-0.31, -2.0) == [4, 4]
    assert classes(np.nan, np.inf, -np.inf) == [0, 2, 4]


def test_halves_of_change_of_pertejo_3_3_1() -> None:
    assert index(change_halves, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0) == [0, 1, 2, 3, 4, 5, 6, 7, 7]
    assert index(change_halves, *map(below, (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5))) == [0, 1, 2, 3, 4, 5, 6]
    assert index(change_halves, -3.0, 3.0, np.nan) == [0, 7, 4]


@settings(deadline=None)
@given(some_numbers)
def test_a_higher_number_never_has_a_lower_index(values: np.ndarray) -> None:
    ordered = np.sort(values)
    for function in (five_buckets, six_buckets, tenths, change_halves):
        assert (np.diff(function(ordered)) >= 0).all()


@settings(deadline=None)
@given(some_numbers)
def test_many_at_once_are_as_one_by_one(values: np.ndarray) -> None:
    for function in (five_buckets, six_buckets, tenths, change_halves):
        assert function(values).tolist() == [int(function(np.array([value]))[0]) for value in values]
    assert change_classes(values, 0.1, 0.3).tolist() == [
        int(change_classes(np.array([value]), 0.1, 0.3)[0]) for value in values
    ]
