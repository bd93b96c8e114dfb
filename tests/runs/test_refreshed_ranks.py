"""Ranks of a graph that grows: the same as from scratch, sooner, and the same bits when told again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import GraphError
from honeyguide.runs import LinkGraph, RankRules, RefreshedRanks, pagerank

TIGHT = RankRules(epsilon=1e-12)


def grown_web(pages: int, seed: int = 7) -> list[list[int]]:
    """Where the links of each page lead: most to pages with low numbers, some to new ones."""
    chance = np.random.default_rng(seed)
    return [(chance.random(12) ** 3 * (2 * page + 5)).astype(int).tolist() for page in range(pages)]


def from_scratch(web: list[list[int]], vertices: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    sources = np.repeat(np.arange(len(web)), [len(targets) for targets in web])
    graph = LinkGraph.of(sources, np.array([each for targets in web for each in targets]), vertices)
    return pagerank(graph, TIGHT).values


@pytest.mark.parametrize(("epsilon", "share"), [(1e-4, 0.75), (1e-9, 0.9)])
def test_refreshed_ranks_are_those_from_scratch_in_fewer_iterations(epsilon: float, share: float) -> None:
    web, rules = grown_web(2000), RankRules(epsilon=epsilon)
    ranks, cold = RefreshedRanks(40, rules), RefreshedRanks(2000, rules)
    for page, targets in enumerate(web):
        ranks.add_page(page, targets)
        cold.add_page(page, targets)
    still_to_come = epsilon * 0.85 / 0.15  # at most, after a change of epsilon
    exact = from_scratch(web, len(ranks.values()))
    assert np.abs(ranks.values() - exact).sum() <= still_to_come + 1e-9
    assert np.abs(cold.values() - exact).sum() <= still_to_come + 1e-9
    assert ranks.iterations <= share * cold.iterations


def test_ranks_are_refreshed_every_so_many_pages() -> None:
    ranks = RefreshedRanks(3)
    assert [ranks.add_page(page, [page + 1]) for page in range(7)] == [False, False, True, False, False, True, False]
    assert (ranks.pages, ranks.edges, len(ranks.values())) == (7, 7, 7)


def test_importance_is_against_the_average() -> None:
    ranks = RefreshedRanks(2, TIGHT)
    assert ranks.importance(5) == 1.0  # nothing is known
    ranks.add_page(0, [2])
    ranks.add_page(1, [2])
    assert ranks.importance(2) > 1.0 > ranks.importance(0) == ranks.importance(1)
    assert sum(map(ranks.importance, range(3))) == pytest.approx(3.0)
    assert ranks.importance(99) == ranks.importance(0)  # met since then


def test_a_redirect_hands_its_rank_on() -> None:
    ranks = RefreshedRanks(1, TIGHT)
    ranks.add_redirect(1, 2)
    ranks.add_page(0, [1])
    assert ranks.importance(2) > ranks.importance(1) > ranks.importance(0)


def test_pages_without_links_count_as_vertices() -> None:
    ranks = RefreshedRanks(1)
    ranks.add_page(4, [])
    assert ranks.values() == pytest.approx([0.2] * 5)


@settings(deadline=None)  # scipy is loaded when it is first needed
@given(st.integers(1, 7), st.integers(1, 30), st.integers(0, 3))
def test_the_same_pages_give_the_same_bits(every: int, pages: int, seed: int) -> None:
    web = grown_web(pages, seed)
    one, other = RefreshedRanks(every), RefreshedRanks(every)
    for page, targets in enumerate(web):
        one.add_page(page, targets)
        other.add_page(page, sorted(set(targets)))  # as a store gives them back
    assert one.values().tobytes() == other.values().tobytes()


def test_it_is_refreshed_at_least_sometime() -> None:
    with pytest.raises(GraphError, match="every 0 pages"):
        RefreshedRanks(0)
