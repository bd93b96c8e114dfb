"""The link graph as two arrays: degrees, components, and lists of the first vertices by some value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from honeyguide.errors import GraphError
from honeyguide.model.counts import count_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Numbers = NDArray[np.integer]

MOST_VERTICES: Final = 100_000_000  # some bytes are kept of each; far more is a mistake in a file rather than a graph


@dataclass(frozen=True, slots=True)
class Components:
    """The components of a graph: how many, and the vertices of the largest."""

    count: int
    largest: int


@dataclass(frozen=True, eq=False)
class LinkGraph:
    """Vertices are numbered from 0; those that link to vertex v are `sources[starts[v]:starts[v + 1]]`, ascending.

    No edge is there twice. The first vertices have the names; vertices without names have no edges. `LinkGraph.of`
    makes one that fulfils this.
    """

    starts: NDArray[np.integer]
    sources: NDArray[np.integer]
    out_degrees: NDArray[np.int64]
    names: Sequence[str] = ()
    duplicates: int = 0  # edges that were given again, and counted once
    self_loops: int = 0  # edges from a vertex to itself, left out

    @classmethod
    def of(
        cls,
        sources: Numbers,
        targets: Numbers,
        vertices: int | None = None,
        names: Sequence[str] = (),
        *,
        keeps_self_loops: bool = False,
    ) -> LinkGraph:
        """Make a graph of the edges from `sources[i]` to `targets[i]`, in any order.

        Duplicates count once. Self-loops are left out, because a page that links to itself recommends nobody, unless
        `keeps_self_loops`. Without `vertices` there are as many as names, or as the edges need. GraphError for numbers
        that are no vertices.
        """
        count = _vertex_count(sources, targets, vertices, names)
        given = len(sources)
        if not keeps_self_loops:
            is_edge = sources != targets
            if not is_edge.all():
                sources, targets = sources[is_edge], targets[is_edge]
        loops = given - len(sources)
        matrix = _rows_of_sources(sources, targets, count)
        return cls(
            starts=matrix.indptr,
            sources=matrix.indices,
            out_degrees=np.bincount(matrix.indices, minlength=count),
            names=names,
            duplicates=given - loops - matrix.nnz,
            self_loops=loops,
        )

    @classmethod
    def joined(cls, parts: Sequence[LinkGraph], names: Sequence[str]) -> LinkGraph:
        """Join parts of a graph that have no edge in common and the vertices of all of it."""
        if len(parts) == 1:
            return replace(parts[0], names=names)
        columns = zip(*(part.edge_arrays() for part in parts), strict=True)
        sources, targets = (np.concatenate(column) for column in columns)
        loops = sum(part.self_loops for part in parts)
        return replace(cls.of(sources, targets, parts[0].vertices, names), self_loops=loops)

    @property
    def vertices(self) -> int:
        return len(self.starts) - 1

    @property
    def edges(self) -> int:
        return len(self.sources)

    @cached_property
    def in_degrees(self) -> NDArray[np.int64]:
        return np.diff(self.starts).astype(np.int64)

    @cached_property
    def dangling(self) -> NDArray[np.int64]:
        """Return the vertices without a link out."""
        return np.flatnonzero(self.out_degrees == 0)

    @cached_property
    def number_by_name(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def number(self, name: str) -> int:
        """Return the vertex of this name. GraphError if there is none."""
        found = self.number_by_name.get(name)
        if found is None:
            raise GraphError(
                f"no page {name} among the {self.vertices:,} of the graph; give one as it is written there"
            )
        return found

    def edge_arrays(self) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Return sources and targets of all edges, by source and then by target."""
        order = np.argsort(self.sources, kind="stable")  # targets ascend already
        targets = np.repeat(np.arange(self.vertices, dtype=self.sources.dtype), np.diff(self.starts))
        return self.sources[order], targets[order]

    def along(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each vertex the sum of the values of those that link to it."""
        found: NDArray[np.float64] = self.matrix @ values
        return found

    def against(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each vertex the sum of the values of those that it links to."""
        found: NDArray[np.float64] = self.matrix.T @ values
        return found

    @cached_property
    def matrix(self) -> csr_array:
        """Return a matrix of ones where a column's vertex links to a row's."""
        from scipy.sparse import csr_array  # noqa: PLC0415 - takes a while to load

        shape = (self.vertices, self.vertices)
        return csr_array((np.ones(self.edges), self.sources, self.starts), shape=shape)

    def weak_components(self) -> Components:
        """Count the parts that are connected if links are followed both ways."""
        return self._components("weak")

    def strong_components(self) -> Components:
        """Count the parts within which every page can be reached from every other."""
        return self._components("strong")

    def _components(self, connection: str) -> Components:
        if not self.vertices:
            return Components(0, 0)
        from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

        count, labels = connected_components(self.matrix, directed=True, connection=connection)
        return Components(int(count), int(np.bincount(labels).max()))


def _vertex_count(sources: Numbers, targets: Numbers, vertices: int | None, names: Sequence[str]) -> int:
    if sources.shape != targets.shape or sources.ndim != 1:
        raise GraphError(f"sources have the shape {sources.shape}, targets {targets.shape}; give one of each an edge")
    for given in (sources, targets):
        if given.dtype.kind not in "iu":
            raise GraphError(f"vertices are given as {given.dtype}; give whole numbers from 0")
    lowest = min((int(given.min()) for given in (sources, targets) if len(given)), default=0)
    highest = max((int(given.max()) for given in (sources, targets) if len(given)), default=-1)
    count = max(len(names), highest + 1 if not names else 0) if vertices is None else vertices
    if lowest < 0 or highest >= count:
        wrong = lowest if lowest < 0 else highest
        raise GraphError(f"an edge names vertex {wrong} of {_vertices(count)}, which are numbered from 0")
    if len(names) > count:
        raise GraphError(f"{count_of(len(names), 'name')} given for {_vertices(count)}; give at most one each")
    if count > MOST_VERTICES:
        raise GraphError(f"{count:,} vertices are more than fit here; at most {MOST_VERTICES:,} do")
    return count


def _rows_of_sources(sources: Numbers, targets: Numbers, count: int) -> csr_array:
    """Return edges by target, each target's sources ascending and distinct."""
    from scipy.sparse import coo_array  # noqa: PLC0415

    marks = np.ones(len(sources), dtype=np.bool_)  # the smallest thing that can be added up
    return coo_array((marks, (targets, sources)), shape=(count, count)).tocsr()


def _vertices(count: int) -> str:
    return count_of(count, "vertex", "vertices")


class RankedPage(NamedTuple):
    """A vertex by its name, with the value it is ranked by."""

    url: str
    value: float


def top(graph: LinkGraph, values: NDArray[np.number], count: int) -> list[RankedPage]:
    """Return the named vertices with the highest values; of equal ones, those with the lower numbers come first."""
    named = values[: len(graph.names)]
    kept = min(count, len(named))
    if kept <= 0:
        return []
    bound = np.partition(named, len(named) - kept)[len(named) - kept]
    candidates = np.flatnonzero(named >= bound)
    first = candidates[np.argsort(-named[candidates], kind="stable")][:kept]
    return [RankedPage(graph.names[number], named[number].item()) for number in first.tolist()]


def place_of(values: NDArray[np.number], number: int) -> int:
    """Return the place of a vertex in the list of all, from 1."""
    own = values[number]
    return 1 + int((values > own).sum()) + int((values[:number] == own).sum())


def jaccard(one: Iterable[Hashable], other: Iterable[Hashable]) -> float:
    """Return the share of things in both among those in either; 0 for two empty ones."""
    first, second = set(one), set(other)
    either = first | second
    return len(first & second) / len(either) if either else 0.0
