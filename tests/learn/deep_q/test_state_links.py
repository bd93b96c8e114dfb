"""The sample of links that every state keeps."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.learn.deep_q.training import KEPT, StateLinks


def rows_in(state: int, links: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.float16]]:
    return np.array([[state, link] for link in links], dtype=np.float16).reshape(-1, 2)


@given(links=st.lists(st.integers(0, 200), min_size=1, max_size=120), cut=st.integers(0, 120), data=st.data())
def test_the_sample_does_not_depend_on_the_order_of_pages(links: list[int], cut: int, data: st.DataObject) -> None:
    one, two = StateLinks(1, 2), StateLinks(1, 2)
    one.add(rows_in(3, links))
    shuffled = data.draw(st.permutations(links))
    for part in (shuffled[:cut], shuffled[cut:]):
        two.add(rows_in(3, part))
    state = one.state_of(rows_in(3, [0])[0])
    assert np.array_equal(one.of(state), two.of(state))
    assert len(one.of(state)) == min(KEPT, len(set(links)))
    assert {row[1] for row in one.of(state)} <= set(links)


def test_states_do_not_mix() -> None:
    links = StateLinks(1, 2)
    links.add(rows_in(1, [10, 11]))
    links.add(rows_in(2, [12]))
    links.add(rows_in(5, []))
    assert len(links) == 2
    assert links.of(links.state_of(rows_in(2, [0])[0])).tolist() == [[2, 12]]
    assert links.of(links.state_of(rows_in(9, [0])[0])).shape == (0, 2)


def test_negative_zero_is_zero() -> None:
    links = StateLinks(1, 2)
    links.add(np.array([[-0.0, 1]], dtype=np.float16))
    assert len(links.of(links.state_of(rows_in(0, [1])[0]))) == 1


def test_links_brought_back_are_the_same() -> None:
    one, two = StateLinks(1, 2), StateLinks(1, 2)
    two.restore(one.arrays())
    assert len(two) == 0
    one.add(rows_in(1, list(range(100))))
    one.add(rows_in(4, [7]))
    two.restore(one.arrays())
    assert one.states() == two.states()
    assert all(np.array_equal(one.of(state), two.of(state)) for state in one.states())
