"""HITS: numbers by hand, and the same as networkx where that has one answer."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings

from honeyguide.runs import LinkGraph, RankRules, hits
from runs.random_graphs import Edges, edges


def test_by_hand() -> None:
    # 0 → 2, 1 → 2, 1 → 3: a = (a2, a3) with h0 = a2, h1 = a2 + a3; a2 : a3 is the golden ratio.
    golden = (1 + 5**0.5) / 2
    found = hits(LinkGraph.of(np.array([0, 1, 1]), np.array([2, 2, 3])), RankRules(epsilon=1e-13))
    assert found.authorities == pytest.approx([0, 0, golden / (1 + golden), 1 / (1 + golden)])
    assert found.hubs == pytest.approx([1 / (1 + golden), golden / (1 + golden), 0, 0])
    assert found.has_converged


def test_a_graph_without_edges_has_neither() -> None:
    none = np.empty(0, dtype=np.int64)
    for vertices in (0, 3):
        found = hits(LinkGraph.of(none, none, vertices))
        assert found.authorities.tolist() == found.hubs.tolist() == [0.0] * vertices
        assert found.iterations == 0


def test_iterations_end_at_epsilon_or_at_the_limit() -> None:
    graph = LinkGraph.of(np.array([0, 1, 1]), np.array([2, 2, 3]))
    loose, tight = hits(graph, RankRules(epsilon=0.01)), hits(graph, RankRules(epsilon=1e-9))
    assert loose.iterations < tight.iterations
    assert tight.change <= 1e-9
    given_up = hits(graph, RankRules(epsilon=1e-9, most_iterations=2))
    assert (given_up.iterations, given_up.has_converged) == (2, False)


@given(edges(least=1))
@settings(deadline=None)  # networkx loads scipy when it is first asked
def test_values_are_those_of_networkx_where_one_part_leads(given_edges: Edges) -> None:
    theirs = given_edges.as_networkx(with_loops=False)
    assume(theirs.number_of_edges() > 0)
    strengths = np.linalg.svd(nx.to_numpy_array(theirs), compute_uv=False)
    assume(len(strengths) < 2 or strengths[1] < 0.95 * strengths[0])
    found = hits(LinkGraph.of(*given_edges), RankRules(epsilon=1e-13, most_iterations=5000))
    their_hubs, their_authorities = nx.hits(theirs, max_iter=5000, tol=1e-13)
    assert found.hubs == pytest.approx([their_hubs[vertex] for vertex in theirs], abs=1e-8)
    assert found.authorities == pytest.approx([their_authorities[vertex] for vertex in theirs], abs=1e-8)
