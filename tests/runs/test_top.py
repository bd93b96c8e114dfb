"""Lists of the first pages, places, and what two lists have in common."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.runs import LinkGraph, jaccard, place_of, top

NONE = np.empty(0, dtype=np.int64)


def named(count: int, vertices: int | None = None) -> LinkGraph:
    return LinkGraph.of(NONE, NONE, vertices, tuple(f"/{number}" for number in range(count)))


def test_of_equal_pages_those_discovered_first_come_first() -> None:
    values = np.array([1, 3, 2, 3, 2])
    assert top(named(5), values, 4) == [("/1", 3), ("/3", 3), ("/2", 2), ("/4", 2)]
    assert top(named(5), values, 1) == [("/1", 3)]


def test_vertices_without_a_name_are_left_out() -> None:
    assert top(named(2, vertices=4), np.array([1, 2, 9, 9]), 4) == [("/1", 2), ("/0", 1)]
    assert top(named(0, vertices=3), np.array([1, 2, 3]), 2) == []


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=20), st.integers(0, 25))
def test_lists_are_the_beginning_of_all_sorted(values: list[float], count: int) -> None:
    expected = sorted(range(len(values)), key=lambda number: (-values[number], number))
    found = top(named(len(values)), np.array(values), count)
    assert [page.url for page in found] == [f"/{number}" for number in expected[:count]]
    for place, number in enumerate(expected, 1):
        assert place_of(np.array(values), number) == place


def test_jaccard_by_hand() -> None:
    assert jaccard(["a", "b", "c"], ["c", "d", "a", "e"]) == pytest.approx(2 / 5)
    assert jaccard(["a"], ["a"]) == 1.0
    assert jaccard(["a"], []) == 0.0
    assert jaccard([], []) == 0.0
