"""PageRank, as in section 3 of the WikiCrawler document, and HITS, both by power iteration.

PageRank: a reader on page u follows one of its links with probability d (the damping), else restarts at a page drawn
from the restart r, which is uniform over all n pages unless given. Ranks are where the reader is in the long run:

    x'(v) = d Σ_{u → v} x(u) / out(u)  +  d D r(v)  +  (1 - d) r(v)        D = Σ x(u) over pages u without links

beginning with x = r, until Σ |x' - x| ≤ epsilon. On a page without links (dangling) the reader restarts by default (the
second term), so that ranks add up to 1. The document gives damping (0.85) and the test, and says neither where it
begins nor what becomes of dangling pages; `Dangling` has the other two readings.

HITS (Kleinberg 1999): a good authority is linked to by good hubs, a good hub links to good authorities.

    a(v) = Σ_{u → v} h(u)        h(u) = Σ_{u → v} a(v)

each scaled to add up to 1, from equal hubs, until neither changes by more than epsilon in all. Where several parts of a
graph have equal claims, the iteration from equal hubs still has one limit, which is the answer.

Both work on a graph whose edges are in several parts, as a run of several machines has them: each part sums up over its
own edges, and the sums are added, once an iteration. Only a vector goes to a part and one comes back, so a part may
be anywhere. A graph in one piece is one part.

`RefreshedRanks` computes PageRank of a growing graph every so many pages, beginning with the last ranks. The result
depends on the pages and their order alone, to the last bit, which is how a resumed crawl gets the same ranks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np

from honeyguide.errors import GraphError
from honeyguide.model.counts import count_of
from honeyguide.runs.graph import LinkGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Vector = NDArray[np.float64]


class Dangling(StrEnum):
    """The treatment of the rank of pages without links."""

    RESTART = "restart"  # goes where a restart goes; ranks add up to 1
    STAY = "stay"  # stays on the page, as if it linked to itself; ranks add up to 1
    LOST = "lost"  # goes nowhere; ranks add up to less than 1


@dataclass(frozen=True, slots=True)
class RankRules:
    """How ranks are computed. GraphError for values without a meaning."""

    damping: float = 0.85  # share of steps that follow a link; the document's value
    epsilon: float = 1e-6  # ranks are done when the sum of their changes is at most this
    dangling: Dangling = Dangling.RESTART
    most_iterations: int = 1000  # at a damping of 0.85 and any epsilon above 1e-15, 220 are enough

    def __post_init__(self) -> None:
        if not 0 <= self.damping <= 1:
            raise GraphError(f"damping is {self.damping}; give a number from 0 to 1")
        if not 0 < self.epsilon < math.inf:
            raise GraphError(f"epsilon is {self.epsilon}; give a number above 0, such as 0.01")
        if self.most_iterations < 1:
            raise GraphError(f"at most {self.most_iterations} iterations are allowed; allow one at least")


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """A rank for every vertex, and how it was computed."""

    values: Vector
    iterations: int
    change: float  # sum of the changes in the last iteration
    has_converged: bool


class GraphPart(Protocol):
    """Some of the edges of a graph, over the numbers of all its vertices. No edge is in two parts."""

    @property
    def vertices(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def out_degrees(self) -> NDArray[np.int64]: ...
    def along(self, values: Vector) -> Vector:
        """Return for each vertex the sum of the values of those that link to it."""

    def against(self, values: Vector) -> Vector:
        """Return for each vertex the sum of the values of those that it links to."""


def _parts_of(graph: GraphPart | Sequence[GraphPart]) -> Sequence[GraphPart]:
    parts: Sequence[GraphPart] = (graph,) if isinstance(graph, LinkGraph) else graph  # type: ignore[assignment]
    counts = {part.vertices for part in parts}
    if len(counts) != 1:
        raise GraphError(f"the parts have {sorted(counts)} vertices; give all parts those of the whole graph")
    return parts


def _added(vectors: Iterable[Vector]) -> Vector:
    first, *others = vectors
    total = np.array(first)  # what another process sends may be read only
    for vector in others:
        total += vector
    return total


def pagerank(
    graph: LinkGraph | Sequence[GraphPart],
    rules: RankRules | None = None,
    *,
    restart: Vector | None = None,
    start: Vector | None = None,
) -> Ranks:
    """Return the PageRank of every vertex of a graph, or of one in parts.

    `restart` weighs the vertices that a walk restarts at, for topic-sensitive ranks (`restart_on`). `start` are ranks
    to begin with, such as those of the graph as it was before: vertices beyond them begin with the average, and the
    result is the same within epsilon, sooner.
    """
    rules, parts = rules or RankRules(), _parts_of(graph)
    count = parts[0].vertices
    if not count:
        return Ranks(np.empty(0), 0, 0.0, has_converged=True)
    at_restart: Vector | float = 1.0 / count if restart is None else _distribution(restart, count, "restart")
    ranks = np.full(count, at_restart) if start is None else _distribution(_extended(start, count), count, "start")
    out_degrees = _added(part.out_degrees.astype(np.float64) for part in parts)
    dangling = np.flatnonzero(out_degrees == 0)
    share_of_link = rules.damping / np.maximum(out_degrees, 1)
    share_of_link[dangling] = 0.0
    for iteration in range(1, rules.most_iterations + 1):
        shares = ranks * share_of_link
        new = _added(part.along(shares) for part in parts)
        at_dead_ends = ranks[dangling]
        restarting = 1.0 - rules.damping
        if rules.dangling is Dangling.STAY:
            new[dangling] += rules.damping * at_dead_ends
        elif rules.dangling is Dangling.RESTART:
            restarting += rules.damping * float(at_dead_ends.sum())
        new += restarting * at_restart
        ranks -= new
        change = float(np.abs(ranks, out=ranks).sum())
        ranks = new
        if change <= rules.epsilon:
            return Ranks(ranks, iteration, change, has_converged=True)
    return Ranks(ranks, rules.most_iterations, change, has_converged=False)


def restart_on(vertices: Sequence[int], count: int) -> Vector:
    """Return an equal restart at each of these vertices. GraphError if there are none."""
    if not len(vertices):
        raise GraphError("no page to restart at; name one at least")
    restart = np.zeros(count)
    restart[np.asarray(vertices, dtype=np.int64)] = 1.0
    return restart


def _extended(start: Vector, count: int) -> Vector:
    """Extend earlier ranks to a graph that has grown since."""
    if len(start) > count:
        vertices = count_of(count, "vertex", "vertices")
        raise GraphError(f"{count_of(len(start), 'rank')} for {vertices}; begin with those of an earlier graph")
    average = float(start.sum()) / len(start) if len(start) else 1.0
    return np.concatenate((start, np.full(count - len(start), average)))


def _distribution(weights: Vector, count: int, name: str) -> Vector:
    if len(weights) != count:
        vertices = count_of(count, "vertex", "vertices")
        raise GraphError(f"{name} has {count_of(len(weights), 'weight')} for {vertices}; give one each")
    total = float(weights.sum())
    if not (math.isfinite(total) and total > 0 and float(weights.min()) >= 0):
        raise GraphError(f"{name} adds up to {total}; give weights of 0 or more, one of them above 0")
    return weights / total


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Authority and hub value of every vertex. In a graph without edges all are 0."""

    authorities: NDArray[np.float64]
    hubs: NDArray[np.float64]
    iterations: int
    change: float  # the larger sum of changes in the last iteration
    has_converged: bool


def hits(graph: LinkGraph | Sequence[GraphPart], rules: RankRules | None = None) -> Hits:
    """Return authorities and hubs, of a graph or of one in parts; of the rules, epsilon and most iterations count."""
    rules, parts = rules or RankRules(), _parts_of(graph)
    count = parts[0].vertices
    authorities, hubs = np.zeros(count), np.zeros(count)
    if not any(part.edges for part in parts):
        return Hits(authorities, hubs, 0, 0.0, has_converged=True)
    hubs += 1.0 / count
    change = 0.0
    for iteration in range(1, rules.most_iterations + 1):
        new_authorities = _scaled(_added(part.along(hubs) for part in parts))
        new_hubs = _scaled(_added(part.against(new_authorities) for part in parts))
        change = max(
            float(np.abs(new_authorities - authorities).sum()),
            float(np.abs(new_hubs - hubs).sum()),
        )
        authorities, hubs = new_authorities, new_hubs
        if change <= rules.epsilon:
            return Hits(authorities, hubs, iteration, change, has_converged=True)
    return Hits(authorities, hubs, rules.most_iterations, change, has_converged=False)


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values / values.sum()


class RefreshedRanks:
    """PageRank over the links met so far, by their numbers. 8 bytes an edge and 8 a vertex. Not thread-safe."""

    def __init__(self, every: int, rules: RankRules | None = None) -> None:
        """Ranks are computed again after every so many pages."""
        if every < 1:
            raise GraphError(f"ranks are to be refreshed every {every} pages; give 1 or more")
        self._every = every
        self._rules = rules or RankRules()
        self._edges = np.empty((2, 1024), dtype=np.int32)
        self._edge_count = 0
        self._vertex_count = 0
        self._ranks = np.empty(0)
        self.pages = 0
        self.iterations = 0  # of the last refresh

    @property
    def edges(self) -> int:
        """How many edges are stored, those of pages added twice included."""
        return self._edge_count

    def add_page(self, page: int, targets: Sequence[int] | NDArray[np.integer]) -> bool:
        """Add a page with its links. True if the ranks were computed again."""
        self._add_edges(page, np.asarray(targets, dtype=np.int32))
        self.pages += 1
        if self.pages % self._every:
            return False
        self.refresh()
        return True

    def add_redirect(self, source: int, target: int) -> None:
        """Add a redirect, which passes all its rank on, as a page with that link alone would."""
        self._add_edges(source, np.array([target], dtype=np.int32))

    def refresh(self) -> None:
        """Compute all ranks again, beginning with the last ones."""
        sources, targets = self._edges[:, : self._edge_count]
        graph = LinkGraph.of(sources, targets, self._vertex_count)
        found = pagerank(graph, self._rules, start=self._ranks if len(self._ranks) else None)
        self._ranks, self.iterations = found.values, found.iterations

    def values(self) -> NDArray[np.float64]:
        """Return the rank of every link known at the last refresh; they add up to 1."""
        return self._ranks.copy()

    def importance(self, link: int) -> float:
        """Return the rank of a link at the last refresh over the average rank.

        A link met since then has the lowest rank of the others; before the first refresh all are average.
        """
        return float(self.importances(np.array([link]))[0])

    def importances(self, links: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the importance of many links."""
        count = len(self._ranks)
        if not count:
            return np.ones(len(links))
        is_ranked = links < count
        return count * np.where(is_ranked, self._ranks[np.where(is_ranked, links, 0)], self._ranks.min())

    def _add_edges(self, source: int, targets: NDArray[np.int32]) -> None:
        count = self._edge_count + len(targets)
        if count > self._edges.shape[1]:
            grown = np.empty((2, max(count, 2 * self._edges.shape[1])), dtype=np.int32)
            grown[:, : self._edge_count] = self._edges[:, : self._edge_count]
            self._edges = grown
        self._edges[0, self._edge_count : count] = source
        self._edges[1, self._edge_count : count] = targets
        self._edge_count = count
        self._vertex_count = max(self._vertex_count, source + 1, int(targets.max(initial=-1)) + 1)
