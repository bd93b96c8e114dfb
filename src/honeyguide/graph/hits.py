"""HITS (Kleinberg 1999): a good authority is linked to by good hubs, a good hub links to good authorities.

    a(v) = Σ_{u → v} h(u)        h(u) = Σ_{u → v} a(v)

each scaled to add up to 1, by power iteration from equal hubs, until neither changes by more than epsilon in all. Where
several parts of a graph have equal claims, the iteration from equal hubs still has one limit, which is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.graph.pagerank import RankRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.graph.link_graph import LinkGraph


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Two figures for every vertex. In a graph without edges all are 0."""

    authorities: NDArray[np.float64]
    hubs: NDArray[np.float64]
    iterations: int
    change: float  # the larger sum of changes in the last iteration
    has_converged: bool


def hits(graph: LinkGraph, rules: RankRules | None = None) -> Hits:
    """Authorities and hubs; of the rules, epsilon and the limit of iterations count."""
    rules = rules or RankRules()
    count = graph.vertices
    authorities, hubs = np.zeros(count), np.zeros(count)
    if not graph.edges:
        return Hits(authorities, hubs, 0, 0.0, has_converged=True)
    links_in = graph.matrix()
    links_out = links_in.T
    hubs += 1.0 / count
    change = 0.0
    for iteration in range(1, rules.most_iterations + 1):
        new_authorities = _scaled(links_in @ hubs)
        new_hubs = _scaled(links_out @ new_authorities)
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
