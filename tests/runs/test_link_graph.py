"""The link graph as a value: edges, degrees, components, lists of the first pages."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import GraphError
from honeyguide.runs import Components, LinkGraph, jaccard, place_of, top
from runs.random_graphs import Edges, edges


def graph_of(*pairs: tuple[int, int], vertices: int | None = None, names: tuple[str, ...] = ()) -> LinkGraph:
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return LinkGraph.of(columns[0], columns[1], vertices, names)


class TestEdges:
    def test_a_duplicate_counts_once_and_a_loop_not_at_all(self) -> None:
        graph = graph_of((0, 1), (0, 1), (1, 1), (2, 0), (0, 1))
        assert (graph.vertices, graph.edges, graph.duplicates, graph.self_loops) == (3, 2, 2, 1)
        assert graph.in_degrees.tolist() == [1, 1, 0]
        assert graph.out_degrees.tolist() == [1, 0, 1]
        assert graph.dangling.tolist() == [1]

    def test_self_loops_are_stored_if_asked_for(self) -> None:
        graph = LinkGraph.of(np.array([0, 1, 1]), np.array([1, 1, 1]), keeps_self_loops=True)
        assert (graph.edges, graph.duplicates, graph.self_loops) == (2, 1, 0)
        assert graph.out_degrees.tolist() == [1, 1]

    def test_an_edge_given_three_hundred_times_counts_once(self) -> None:
        graph = LinkGraph.of(np.zeros(300, dtype=np.int32), np.ones(300, dtype=np.int32))
        assert (graph.edges, graph.duplicates) == (1, 299)

    def test_there_may_be_more_vertices_than_edges_name(self) -> None:
        assert graph_of((0, 1), vertices=5).vertices == 5
        assert graph_of((0, 1), names=("a", "b", "c")).vertices == 3
        assert graph_of().vertices == 0

    @given(edges())
    @settings(deadline=None, max_examples=40)
    def test_degrees_and_arrays_are_those_of_the_set_of_edges(self, given_edges: Edges) -> None:
        pairs = set(zip(given_edges.sources.tolist(), given_edges.targets.tolist(), strict=True))
        pairs = {(source, target) for source, target in pairs if source != target}
        graph = LinkGraph.of(*given_edges)
        sources, targets = graph.edge_arrays()
        assert list(zip(sources.tolist(), targets.tolist(), strict=True)) == sorted(pairs)
        for vertex in range(given_edges.vertices):
            assert graph.out_degrees[vertex] == sum(source == vertex for source, _ in pairs)
            assert graph.in_degrees[vertex] == sum(target == vertex for _, target in pairs)
        assert graph.edges + graph.duplicates + graph.self_loops == len(given_edges.sources)


class TestComponents:
    def test_by_hand(self) -> None:
        graph = graph_of((0, 1), (1, 0), (1, 2), (4, 3), vertices=6)
        assert graph.weak_components() == Components(3, 3)  # 012, 34, 5
        assert graph.strong_components() == Components(5, 2)  # 01, 2, 3, 4, 5
        assert graph_of().weak_components() == Components(0, 0)

    @given(edges(least=1))
    @settings(deadline=None, max_examples=40)  # scipy is loaded when it is first needed
    def test_are_those_of_networkx(self, given_edges: Edges) -> None:
        graph, theirs = LinkGraph.of(*given_edges), given_edges.as_networkx(with_loops=False)
        weak = [len(part) for part in nx.weakly_connected_components(theirs)]
        strong = [len(part) for part in nx.strongly_connected_components(theirs)]
        assert graph.weak_components() == Components(len(weak), max(weak))
        assert graph.strong_components() == Components(len(strong), max(strong))


class TestNames:
    def test_a_page_is_found_by_its_name(self) -> None:
        graph = graph_of((0, 1), names=("/a", "/b"))
        assert graph.number("/b") == 1
        with pytest.raises(GraphError, match="no page /c among the 2 of the graph"):
            graph.number("/c")


@pytest.mark.parametrize(
    ("sources", "targets", "vertices", "names", "words"),
    [
        ([0, 5], [1, 1], 2, (), "an edge names vertex 5 of 2 vertices, which are numbered from 0"),
        ([0, -1], [1, 1], 2, (), "an edge names vertex -1"),
        ([0], [2], None, ("a", "b"), "an edge names vertex 2"),
        ([0, 1], [1], None, (), "give one of each an edge"),
        ([0.0], [1.0], None, (), "vertices are given as float64"),
        ([0], [1], 2, ("a", "b", "c"), "3 names given for 2 vertices"),
        ([0], [1], 10**12, (), "1,000,000,000,000 vertices are more than fit"),
    ],
)
def test_numbers_that_are_none_of_a_vertex_are_refused(
    sources: list[float], targets: list[float], vertices: int | None, names: tuple[str, ...], words: str
) -> None:
    with pytest.raises(GraphError, match=words):
        LinkGraph.of(np.array(sources), np.array(targets), vertices, names)


def named(count: int, vertices: int | None = None) -> LinkGraph:
    return graph_of(vertices=vertices, names=tuple(f"/{number}" for number in range(count)))


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
