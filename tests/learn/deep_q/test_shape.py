"""Which output of a fixed network a link has."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn.deep_q.networks import DIGITS, MOST_OUTPUTS, Shape, digits_of

FIXED = Shape(2, 2 + DIGITS, np.ones(2, dtype=np.float32), outputs=30_000)


def rows_of(outputs: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
    return np.concatenate((np.ones((len(outputs), 2), dtype=np.float16), digits_of(np.array(outputs))), axis=1)


@given(st.lists(st.integers(0, MOST_OUTPUTS - 1), min_size=1, max_size=20))
def test_a_number_is_told_exactly_in_half_precision(outputs: list[int]) -> None:
    which = FIXED.which(rows_of(outputs))
    assert which is not None
    assert which.tolist() == outputs


def test_a_number_too_large_to_be_told_has_no_value() -> None:
    assert FIXED.has_value(rows_of([MOST_OUTPUTS + 5, 10**12])).tolist() == [False, False]


def test_links_beyond_the_outputs_and_seeds_have_no_value() -> None:
    seed = np.zeros((1, 2 + DIGITS), dtype=np.float16)
    rows = np.concatenate((rows_of([0, 29_999, 30_000]), seed))
    assert FIXED.has_value(rows).tolist() == [True, True, False, False]


def test_every_link_has_a_value_where_links_go_in() -> None:
    pair = Shape(2, 5, np.ones(5, dtype=np.float32))
    rows = np.zeros((3, 5), dtype=np.float16)
    assert pair.which(rows) is None
    assert pair.has_value(rows).all()
    assert (pair.inputs, FIXED.inputs) == (5, 2)
