"""The replay memory: the last so many experiences, drawn evenly."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn.deep_q.training import MOST_NEXT, Experience, Replay, distinct


def experience(number: int, links: int = 0) -> Experience:
    return Experience(
        np.array([number, 1], dtype=np.float16),
        float(number),
        np.arange(2 * links, dtype=np.float16).reshape(links, 2),
    )


def rewards_in(replay: Replay) -> set[float]:
    return set(replay.arrays(2)["rewards"].tolist())


@given(capacity=st.integers(1, 8), count=st.integers(0, 30))
def test_the_last_ones_are_kept(capacity: int, count: int) -> None:
    replay = Replay(capacity)
    for number in range(count):
        replay.add(experience(number))
    assert len(replay) == min(capacity, count)
    assert rewards_in(replay) == set(map(float, range(max(0, count - capacity), count)))


def test_draws_are_even_and_repeat_under_a_seed() -> None:
    replay = Replay(10)
    for number in range(10):
        replay.add(experience(number))
    drawn = [each.reward for each in replay.drawn(20_000, np.random.default_rng(1))]
    again = [each.reward for each in replay.drawn(20_000, np.random.default_rng(1))]
    assert drawn == again
    shares = np.bincount(np.array(drawn, dtype=int)) / len(drawn)
    assert np.abs(shares - 0.1).max() < 0.01


@given(links=st.lists(st.integers(0, 5), max_size=12), more=st.integers(0, 5))
def test_a_memory_brought_back_goes_on_as_before(links: list[int], more: int) -> None:
    one, two = Replay(7), Replay(7)
    for number, count in enumerate(links):
        one.add(experience(number, count))
    two.restore(one.arrays(2))
    for number in range(more):
        one.add(experience(100 + number, 2))
        two.add(experience(100 + number, 2))
    first, second = one.arrays(2), two.arrays(2)
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert len(one) == len(two)
    if len(one):
        drawn = [replay.drawn(5, np.random.default_rng(3)) for replay in (one, two)]
        assert [each.reward for each in drawn[0]] == [each.reward for each in drawn[1]]
        assert all(np.array_equal(a.next_rows, b.next_rows) for a, b in zip(*drawn, strict=True))


def test_links_that_look_alike_are_kept_once() -> None:
    rows = np.array([[1, 2], [3, 4], [1, 2]], dtype=np.float16)
    assert distinct(rows, np.random.default_rng(1)).tolist() == [[1, 2], [3, 4]]


def test_of_a_huge_page_some_links_are_kept() -> None:
    rows = np.arange(2 * (MOST_NEXT + 500), dtype=np.float16).reshape(-1, 2)
    kept = distinct(rows, np.random.default_rng(1))
    assert len(kept) == MOST_NEXT == len(np.unique(kept, axis=0))
    assert {row.tobytes() for row in kept} < {row.tobytes() for row in rows}


def test_what_is_kept_does_not_hold_on_to_the_page() -> None:
    rows = np.zeros((1, 2), dtype=np.float16)
    kept = distinct(rows, np.random.default_rng(1))
    rows[0, 0] = 9
    assert kept.tolist() == [[0, 0]]
