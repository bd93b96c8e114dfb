"""Where the pages of a map lie."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.runs.report.drawing import lay_out


def distance(places: np.ndarray[tuple[int, ...], np.dtype[np.float64]], one: int, other: int) -> float:
    return float(np.linalg.norm(places[one] - places[other]))


def test_it_is_the_same_every_time() -> None:
    hosts = ["a", "b", "c", "a"] * 5
    links = [(number, (number * 7) % 20) for number in range(20)]
    assert (lay_out(hosts, links) == lay_out(hosts, links)).all()


def test_linked_pages_are_nearer_than_others() -> None:
    """Two groups of eight pages, each page linked with all of its group."""
    groups = [range(8), range(8, 16)]
    links = [(one, other) for group in groups for one in group for other in group if one < other]
    places = lay_out([str(number) for number in range(16)], links)
    within = np.mean([distance(places, one, other) for one, other in links])
    across = np.mean([distance(places, one, other) for one in groups[0] for other in groups[1]])
    assert within < 0.7 * across


def test_pages_of_a_host_lie_together() -> None:
    hosts = ["a", "b", "c"] * 6
    places = lay_out(hosts, [])
    pairs = [(one, other) for one in range(18) for other in range(one)]
    same = np.mean([distance(places, one, other) for one, other in pairs if hosts[one] == hosts[other]])
    others = np.mean([distance(places, one, other) for one, other in pairs if hosts[one] != hosts[other]])
    assert same < others


@settings(max_examples=8, deadline=None)
@given(
    st.integers(0, 60).flatmap(
        lambda count: st.tuples(
            st.lists(st.sampled_from("abcdef"), min_size=count, max_size=count),
            st.lists(st.tuples(st.integers(0, max(0, count - 1)), st.integers(0, max(0, count - 1))), max_size=80),
        )
    )
)
def test_every_page_is_in_sight_and_none_upon_another(graph: tuple[list[str], list[tuple[int, int]]]) -> None:
    hosts, links = graph
    places = lay_out(hosts, links if hosts else [])
    assert places.shape == (len(hosts), 2)
    assert np.isfinite(places).all()
    assert ((places >= 0) & (places <= 1)).all()
    for one in range(len(hosts)):
        for other in range(one):
            assert distance(places, one, other) > 0.015
