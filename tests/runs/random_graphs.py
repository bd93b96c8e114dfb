"""Graphs of all kinds, for properties: dangling pages, loops, duplicates, several parts, none at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import networkx as nx
import numpy as np
from hypothesis import strategies as st

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Edges(NamedTuple):
    """Edges as they come, and how many vertices there are."""

    sources: NDArray[np.int64]
    targets: NDArray[np.int64]
    vertices: int

    def as_networkx(self, *, with_loops: bool) -> nx.DiGraph:
        graph = nx.DiGraph()
        graph.add_nodes_from(range(self.vertices))
        pairs = zip(self.sources.tolist(), self.targets.tolist(), strict=True)
        graph.add_edges_from((source, target) for source, target in pairs if with_loops or source != target)
        return graph


@st.composite
def edges(draw: st.DrawFn, *, least: int = 0, most: int = 12) -> Edges:
    vertices = draw(st.integers(least, most))
    vertex = st.integers(0, max(vertices - 1, 0))
    pairs = draw(st.lists(st.tuples(vertex, vertex), max_size=40)) if vertices else []
    columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return Edges(columns[0], columns[1], vertices)
