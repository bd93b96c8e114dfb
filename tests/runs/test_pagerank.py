"""PageRank and HITS: numbers by hand, the same as networkx, and the effect of the rules."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from honeyguide.errors import GraphError
from honeyguide.runs import Dangling, LinkGraph, RankRules, hits, pagerank, restart_on
from runs.random_graphs import Edges, edges

if TYPE_CHECKING:
    from numpy.typing import NDArray

EXACT = RankRules(epsilon=1e-13)
NO_EDGES = np.empty(0, dtype=np.int64)
NOTHING = Edges(NO_EDGES, NO_EDGES, 0)
ONE_VERTEX = Edges(NO_EDGES, NO_EDGES, 1)
ONE_LOOP = Edges(np.array([0]), np.array([0]), 1)
TWO_PARTS = Edges(np.array([0, 1, 3]), np.array([1, 0, 4]), 6)


def chain() -> LinkGraph:
    """0 → 1, and 1 has no links."""
    return LinkGraph.of(np.array([0]), np.array([1]))


class TestByHand:
    def test_a_link_to_a_page_without_links(self) -> None:
        # x0 = (0.15 + 0.85 x1) / 2 and x1 = x0 + 0.85 x0, so that x0 (1 + 1.85) = 1.
        assert pagerank(chain(), EXACT).values == pytest.approx([1 / 2.85, 1.85 / 2.85], abs=1e-12)

    def test_the_first_iteration(self) -> None:
        once = pagerank(chain(), RankRules(epsilon=1.0))
        assert once.values == pytest.approx([0.075 + 0.2125, 0.075 + 0.2125 + 0.425])
        assert once.change == pytest.approx(0.425)
        assert (once.iterations, once.has_converged) == (1, True)

    def test_iterations_go_on_until_the_change_is_at_most_epsilon(self) -> None:
        # Each change is 0.425 of the one before: 0.425, 0.180625, 0.0767656, 0.0326254.
        change = 0.425
        for iterations in range(1, 5):
            found = pagerank(chain(), RankRules(epsilon=change * 1.0001))
            assert found.iterations == iterations
            assert found.change == pytest.approx(change)
            assert pagerank(chain(), RankRules(epsilon=change * 0.9999)).iterations == iterations + 1
            change *= 0.425

    def test_rank_that_stays_at_a_dead_end(self) -> None:
        # x0 = 0.075; x1 = 0.075 + 0.85 x0 + 0.85 x1.
        found = pagerank(chain(), RankRules(epsilon=1e-13, dangling=Dangling.STAY)).values
        assert found == pytest.approx([0.075, (0.075 + 0.06375) / 0.15], abs=1e-11)
        assert found.sum() == pytest.approx(1.0)

    def test_rank_that_is_lost_at_a_dead_end(self) -> None:
        found = pagerank(chain(), RankRules(epsilon=1e-13, dangling=Dangling.LOST)).values
        assert found == pytest.approx([0.075, 0.075 + 0.06375], abs=1e-12)

    def test_a_walk_that_restarts_at_one_page_never_sees_what_it_does_not_lead_to(self) -> None:
        graph = LinkGraph.of(np.array([0, 1, 2]), np.array([1, 0, 0]))
        found = pagerank(graph, EXACT, restart=restart_on([0], 3)).values
        assert found == pytest.approx([1 / 1.85, 0.85 / 1.85, 0.0], abs=1e-12)

    def test_without_damping_all_pages_are_equal(self) -> None:
        assert pagerank(chain(), RankRules(damping=0.0)).values == pytest.approx([0.5, 0.5])

    def test_a_circle_without_restarts_that_never_settles_is_given_up(self) -> None:
        graph = LinkGraph.of(np.array([0, 1]), np.array([1, 0]))
        rules = RankRules(damping=1.0, most_iterations=50)
        found = pagerank(graph, rules, start=np.array([1.0, 0.0]))
        assert (found.iterations, found.has_converged, found.change) == (50, False, 2.0)


class TestAgainstNetworkx:
    @example(given_edges=NOTHING, keeps_loops=False, damping=0.85)
    @example(given_edges=ONE_VERTEX, keeps_loops=False, damping=0.85)
    @example(given_edges=ONE_LOOP, keeps_loops=True, damping=0.85)
    @example(given_edges=ONE_LOOP, keeps_loops=False, damping=0.85)
    @example(given_edges=TWO_PARTS, keeps_loops=False, damping=0.5)
    @given(given_edges=edges(), keeps_loops=st.booleans(), damping=st.sampled_from([0.85, 0.5, 0.99, 0.0]))
    @settings(deadline=None, max_examples=40)  # networkx loads scipy when it is first asked
    def test_ranks_are_the_same_within_1e_8(self, given_edges: Edges, keeps_loops: bool, damping: float) -> None:
        graph = LinkGraph.of(*given_edges, keeps_self_loops=keeps_loops)
        ours = pagerank(graph, RankRules(damping=damping, epsilon=1e-12, most_iterations=10_000))
        theirs = nx.pagerank(given_edges.as_networkx(with_loops=keeps_loops), alpha=damping, tol=1e-13, max_iter=10_000)
        assert ours.has_converged
        assert ours.values == pytest.approx([theirs[vertex] for vertex in range(given_edges.vertices)], abs=1e-8)

    @given(edges(least=1), st.lists(st.floats(0, 1), min_size=12, max_size=12))
    @settings(deadline=None, max_examples=40)
    def test_so_are_those_that_restart_at_chosen_pages(self, given_edges: Edges, weights: list[float]) -> None:
        restart = np.array(weights[: given_edges.vertices])
        assume(restart.sum() > 0.01)
        ours = pagerank(LinkGraph.of(*given_edges), EXACT, restart=restart).values
        theirs = nx.pagerank(
            given_edges.as_networkx(with_loops=False),
            personalization=dict(enumerate(restart.tolist())),
            tol=1e-13,
            max_iter=10_000,
        )
        assert ours == pytest.approx([theirs[vertex] for vertex in range(given_edges.vertices)], abs=1e-8)


class TestLaws:
    @settings(deadline=None, max_examples=40)
    @given(edges(least=1), st.sampled_from([Dangling.RESTART, Dangling.STAY]))
    def test_ranks_add_up_to_one(self, given_edges: Edges, dangling: Dangling) -> None:
        ranks = pagerank(LinkGraph.of(*given_edges), RankRules(dangling=dangling)).values
        assert ranks.sum() == pytest.approx(1.0)
        assert (ranks > 0).all()

    @settings(deadline=None, max_examples=40)
    @given(edges(least=1), st.integers(0, 11))
    def test_names_do_not_matter(self, given_edges: Edges, shift: int) -> None:
        sources, targets, count = given_edges
        ranks = pagerank(LinkGraph.of(sources, targets, count), EXACT).values
        moved = LinkGraph.of((sources + shift) % count, (targets + shift) % count, count)
        assert pagerank(moved, EXACT).values == pytest.approx(np.roll(ranks, shift), abs=1e-10)

    @settings(deadline=None, max_examples=40)
    @given(edges(least=1), st.lists(st.floats(0.01, 1), min_size=12, max_size=12))
    def test_where_it_begins_does_not_matter(self, given_edges: Edges, start: list[float]) -> None:
        graph = LinkGraph.of(*given_edges)
        begun_elsewhere = pagerank(graph, EXACT, start=np.array(start[: graph.vertices])).values
        assert begun_elsewhere == pytest.approx(pagerank(graph, EXACT).values, abs=1e-10)

    @settings(deadline=None, max_examples=40)
    @given(edges(least=1))
    def test_begun_with_the_answer_it_ends_at_once(self, given_edges: Edges) -> None:
        graph = LinkGraph.of(*given_edges)
        assert pagerank(graph, start=pagerank(graph, EXACT).values).iterations == 1

    def test_what_it_is_given_is_not_changed(self) -> None:
        start, restart = np.array([1.0, 1.0]), np.array([2.0, 2.0])
        pagerank(chain(), start=start, restart=restart)
        assert (start.tolist(), restart.tolist()) == ([1.0, 1.0], [2.0, 2.0])


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"damping": 1.5}, "damping is 1.5"),
        ({"damping": math.nan}, "damping is nan"),
        ({"epsilon": 0.0}, "epsilon is 0.0; give a number above 0"),
        ({"epsilon": math.nan}, "epsilon is nan"),
        ({"most_iterations": 0}, "at most 0 iterations"),
    ],
)
def test_rules_that_mean_nothing_are_refused(rules: dict[str, float], words: str) -> None:
    with pytest.raises(GraphError, match=words):
        RankRules(**rules)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("restart", "start", "words"),
    [
        ([1.0], None, "restart has 1 weight for 2 vertices"),
        ([0.0, 0.0], None, "restart adds up to 0.0"),
        ([2.0, -1.0], None, "give weights of 0 or more"),
        ([math.nan, 1.0], None, "restart adds up to nan"),
        (None, [1.0, 1.0, 1.0], "3 ranks for 2 vertices"),
    ],
)
def test_weights_that_are_no_distribution_are_refused(
    restart: list[float] | None, start: list[float] | None, words: str
) -> None:
    given_arrays = [None if weights is None else np.array(weights) for weights in (restart, start)]
    with pytest.raises(GraphError, match=words):
        pagerank(chain(), restart=given_arrays[0], start=given_arrays[1])


def test_a_restart_needs_a_page() -> None:
    with pytest.raises(GraphError, match="no page to restart at"):
        restart_on([], 3)
    assert restart_on([2, 2, 0], 3).tolist() == [1.0, 0.0, 1.0]


def test_hits_by_hand() -> None:
    # 0 → 2, 1 → 2, 1 → 3: a = (a2, a3) with h0 = a2, h1 = a2 + a3; a2 : a3 is the golden ratio.
    golden = (1 + 5**0.5) / 2
    found = hits(LinkGraph.of(np.array([0, 1, 1]), np.array([2, 2, 3])), RankRules(epsilon=1e-13))
    assert found.authorities == pytest.approx([0, 0, golden / (1 + golden), 1 / (1 + golden)])
    assert found.hubs == pytest.approx([1 / (1 + golden), golden / (1 + golden), 0, 0])
    assert found.has_converged


def test_a_graph_without_edges_has_no_hubs_and_authorities() -> None:
    none = np.empty(0, dtype=np.int64)
    for vertices in (0, 3):
        found = hits(LinkGraph.of(none, none, vertices))
        assert found.authorities.tolist() == found.hubs.tolist() == [0.0] * vertices
        assert found.iterations == 0


def test_iterations_of_hits_end_at_epsilon_or_at_the_limit() -> None:
    graph = LinkGraph.of(np.array([0, 1, 1]), np.array([2, 2, 3]))
    loose, tight = hits(graph, RankRules(epsilon=0.01)), hits(graph, RankRules(epsilon=1e-9))
    assert loose.iterations < tight.iterations
    assert tight.change <= 1e-9
    given_up = hits(graph, RankRules(epsilon=1e-9, most_iterations=2))
    assert (given_up.iterations, given_up.has_converged) == (2, False)


@given(edges(least=1))
@settings(deadline=None, max_examples=40)  # networkx loads scipy when it is first asked
def test_hits_are_those_of_networkx_where_one_part_leads(given_edges: Edges) -> None:
    theirs = given_edges.as_networkx(with_loops=False)
    assume(theirs.number_of_edges() > 0)
    strengths = np.linalg.svd(nx.to_numpy_array(theirs), compute_uv=False)
    assume(len(strengths) < 2 or strengths[1] < 0.95 * strengths[0])
    found = hits(LinkGraph.of(*given_edges), RankRules(epsilon=1e-13, most_iterations=5000))
    their_hubs, their_authorities = nx.hits(theirs, max_iter=5000, tol=1e-13)
    assert found.hubs == pytest.approx([their_hubs[vertex] for vertex in theirs], abs=1e-8)
    assert found.authorities == pytest.approx([their_authorities[vertex] for vertex in theirs], abs=1e-8)


def in_parts(drawn: Edges, part_of: list[int]) -> list[LinkGraph]:
    """The edges by the part that their source belongs to; parts without any among them."""
    parts = np.array([part_of[source % len(part_of)] for source in drawn.sources.tolist()], dtype=np.int64)
    return [
        LinkGraph.of(drawn.sources[parts == part], drawn.targets[parts == part], drawn.vertices)
        for part in range(max(part_of) + 1)
    ]


PARTITIONS = st.lists(st.integers(0, 6), min_size=1, max_size=12)


@settings(max_examples=100)
@given(edges(most=30), PARTITIONS, st.sampled_from(Dangling), st.floats(0, 1))
def test_ranks_over_parts_are_those_of_the_whole_graph(
    drawn: Edges, part_of: list[int], dangling: Dangling, damping: float
) -> None:
    rules = RankRules(damping=damping, epsilon=1e-12, dangling=dangling, most_iterations=50)
    whole, parts = LinkGraph.of(*drawn), in_parts(drawn, part_of)
    assert pagerank(parts, rules).values == pytest.approx(pagerank(whole, rules).values, abs=1e-9)
    if drawn.vertices:
        restart = restart_on([0], drawn.vertices)
        found = pagerank(parts, rules, restart=restart).values
        assert found == pytest.approx(pagerank(whole, rules, restart=restart).values, abs=1e-9)


@settings(max_examples=100)
@given(edges(most=30), PARTITIONS)
def test_authorities_and_hubs_over_parts_are_those_of_the_whole_graph(drawn: Edges, part_of: list[int]) -> None:
    rules = RankRules(epsilon=1e-12, most_iterations=50)
    whole, parts = hits(LinkGraph.of(*drawn), rules), hits(in_parts(drawn, part_of), rules)
    assert parts.authorities == pytest.approx(whole.authorities, abs=1e-9)
    assert parts.hubs == pytest.approx(whole.hubs, abs=1e-9)


@given(edges(most=30), PARTITIONS)
def test_parts_joined_are_the_whole_graph(drawn: Edges, part_of: list[int]) -> None:
    whole, joined = LinkGraph.of(*drawn), LinkGraph.joined(in_parts(drawn, part_of), ())
    assert (joined.starts.tolist(), joined.sources.tolist()) == (whole.starts.tolist(), whole.sources.tolist())
    assert joined.self_loops == whole.self_loops


def test_a_part_only_exchanges_vectors() -> None:
    """So that it may be anywhere."""

    class Elsewhere:
        def __init__(self, graph: LinkGraph) -> None:
            self._graph = graph
            self.vertices, self.edges, self.out_degrees = graph.vertices, graph.edges, graph.out_degrees

        def along(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
            return self._graph.along(values)

        def against(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
            return self._graph.against(values)

    graph = LinkGraph.of(np.array([0, 1, 2]), np.array([1, 2, 0]))
    parts = in_parts(Edges(np.array([0, 1, 2]), np.array([1, 2, 0]), 3), [0, 1, 1])
    found = pagerank([Elsewhere(part) for part in parts], EXACT).values
    assert found == pytest.approx(pagerank(graph, EXACT).values, abs=1e-12)


def test_parts_of_different_graphs_are_refused() -> None:
    with pytest.raises(GraphError, match=r"the parts have \[2, 3\] vertices"):
        pagerank([LinkGraph.of(NO_EDGES, NO_EDGES, 2), LinkGraph.of(NO_EDGES, NO_EDGES, 3)])
