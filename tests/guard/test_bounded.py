"""A table that forgets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.guard.bounded import Bounded


@given(st.lists(st.tuples(st.integers(0, 20), st.integers()), max_size=60), st.integers(1, 10))
def test_it_never_has_more_entries_than_it_may_and_keeps_the_newest(items: list[tuple[int, int]], most: int) -> None:
    table: Bounded[int, int] = Bounded(most)
    for key, value in items:
        table.put(key, value)
        assert len(table) <= most
    newest = list(dict.fromkeys(key for key, _ in reversed(items)))[:most]
    assert set(table) == set(newest)
    smaller: Bounded[int, int] = Bounded(max(1, most // 2))
    smaller.replace(table.items())
    assert list(smaller) == list(table)[-smaller.capacity :]
