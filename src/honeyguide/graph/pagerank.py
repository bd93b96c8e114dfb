"""PageRank by power iteration, as the WikiCrawler document has it in its section 3, and with a choice of restart.

A walker on page u follows one of its links with probability d (the damping), else starts anew at a page drawn from the
restart r, which is uniform over all n pages unless given. Ranks are where the walker is in the long run:

    x'(v) = d Σ_{u → v} x(u) / out(u)  +  d D r(v)  +  (1 - d) r(v)        D = Σ x(u) over pages u without links

beginning with x = r, until Σ |x' - x| ≤ epsilon. A page without links (dangling) leaves its walker nowhere to go; by
default he starts anew (the second term), so that ranks add up to 1. The document names damping (0.85) and the test, and
says neither where it begins nor what becomes of dangling pages; `Dangling` has the other two readings.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.counts import count_of
from honeyguide.errors import GraphError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.graph.link_graph import LinkGraph

    Vector = NDArray[np.float64]


class Dangling(StrEnum):
    """What becomes of the rank of a page without links."""

    RESTART = "restart"  # goes where a restart goes; ranks add up to 1
    STAY = "stay"  # stays on the page, as if it linked to itself; ranks add up to 1
    LOST = "lost"  # goes nowhere; ranks add up to less than 1


@dataclass(frozen=True, slots=True)
class RankRules:
    """How ranks are computed. GraphError for values under which they would mean nothing."""

    damping: float = 0.85  # share of steps that follow a link; the document's value
    epsilon: float = 1e-6  # ranks are done when the sum of their changes is at most this
    dangling: Dangling = Dangling.RESTART
    most_iterations: int = 1000  # given up then; at a damping of 0.85 and any epsilon above 1e-15, 220 are enough

    def __post_init__(self) -> None:
        if not 0 <= self.damping <= 1:
            raise GraphError(f"damping is {self.damping}; give a number from 0 to 1")
        if not 0 < self.epsilon < math.inf:
            raise GraphError(f"epsilon is {self.epsilon}; give a number above 0, such as 0.01")
        if self.most_iterations < 1:
            raise GraphError(f"at most {self.most_iterations} iterations are allowed; allow one at least")


@dataclass(frozen=True, slots=True, eq=False)
class Ranks:
    """A rank for every vertex, and how it was come to."""

    values: Vector
    iterations: int
    change: float  # sum of the changes in the last iteration
    has_converged: bool


def pagerank(
    graph: LinkGraph,
    rules: RankRules | None = None,
    *,
    restart: Vector | None = None,
    start: Vector | None = None,
) -> Ranks:
    """The PageRank of every vertex.

    `restart` weighs the vertices that a walk begins anew at, for topic-sensitive ranks (`restart_on`). `start` are
    ranks to begin with, such as those of the graph as it was before: vertices beyond them begin with the average, and
    the result is the same within epsilon, sooner.
    """
    rules = rules or RankRules()
    count = graph.vertices
    if not count:
        return Ranks(np.empty(0), 0, 0.0, has_converged=True)
    anew: Vector | float = 1.0 / count if restart is None else _distribution(restart, count, "restart")
    ranks = np.full(count, anew) if start is None else _distribution(_extended(start, count), count, "start")
    links_in, dangling = graph.matrix(), graph.dangling
    share_of_link = rules.damping / np.maximum(graph.out_degrees, 1)
    share_of_link[dangling] = 0.0
    for iteration in range(1, rules.most_iterations + 1):
        new = links_in @ (ranks * share_of_link)
        at_dead_ends = ranks[dangling]
        restarting = 1.0 - rules.damping
        if rules.dangling is Dangling.STAY:
            new[dangling] += rules.damping * at_dead_ends
        elif rules.dangling is Dangling.RESTART:
            restarting += rules.damping * float(at_dead_ends.sum())
        new += restarting * anew
        ranks -= new
        change = float(np.abs(ranks, out=ranks).sum())
        ranks = new
        if change <= rules.epsilon:
            return Ranks(ranks, iteration, change, has_converged=True)
    return Ranks(ranks, rules.most_iterations, change, has_converged=False)


def restart_on(vertices: Sequence[int], count: int) -> Vector:
    """A restart at any of these vertices alike, each named once or more. GraphError if there are none."""
    if not len(vertices):
        raise GraphError("no page to restart at; name one at least")
    restart = np.zeros(count)
    restart[np.asarray(vertices, dtype=np.int64)] = 1.0
    return restart


def _extended(start: Vector, count: int) -> Vector:
    """Earlier ranks for a graph that has grown since."""
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
