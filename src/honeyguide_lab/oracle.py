"""How well a crawl could have done: an upper bound, and a crawler that knows everything.

`bound` is min(fetches, on-topic pages that can be reached): no crawl is above it. Whether it can be met depends on the
links, and the best crawl of a given length is NP-hard to find (a set of seeds, each page a set of on-topic pages it
alone leads to, is maximum coverage). So `oracle` is the best of a few greedy crawls with full knowledge, each of which
obeys the rules of a crawl: a URL can be fetched only once a fetched page links to it or it is a seed, and a redirect
costs a fetch. It is a lower bound on the optimum, and a crawl may in principle beat it.

All of them fetch an on-topic page as soon as it is known, which never costs anything: in any crawl that leaves it out,
the last fetch can be exchanged for it. They differ in where they go when none is known:

- *nearest*: along the shortest path to the nearest on-topic page, of several to the one that makes most others known;
- *gain*: to the page v that brings most per fetch, (on-topic pages it makes known) / (path to v + those pages);
- *eager gain*: the same with the path counted double, so that small gains near by come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.crawler.world_graph import WorldGraph

_FAR: Final = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True)
class Oracle:
    """Both curves, over 0, 1, 2, … fetches, and how many on-topic pages there are to be reached."""

    reachable: int  # R
    bound: list[int]
    curve: list[int]


def oracle(graph: WorldGraph, on_topic: NDArray[np.bool_], seeds: Sequence[int], budget: int) -> Oracle:
    """The bound and the best greedy crawl at every step; the same graph, labels and seeds give the same curves."""
    reachable = int((on_topic & graph.is_page & graph.reachable(seeds)).sum())
    curves = [
        harvest_of(best_informed_crawl(graph, on_topic, seeds, budget, rule), on_topic & graph.is_page, budget)
        for rule in RULES
    ]
    return Oracle(
        reachable=reachable,
        bound=[min(step, reachable) for step in range(budget + 1)],
        curve=[max(at_step) for at_step in zip(*curves, strict=True)],
    )


def harvest_of(fetched: Sequence[int], on_topic: NDArray[np.bool_], budget: int) -> list[int]:
    """The curve of a crawl given as nodes in the order fetched; what it leaves unspent brings nothing."""
    hits = np.zeros(budget + 1, dtype=np.int64)
    hits[1 : len(fetched) + 1] = on_topic[np.array(fetched, dtype=np.int64)]
    return np.cumsum(hits).tolist()


def best_informed_crawl(
    graph: WorldGraph, on_topic: NDArray[np.bool_], seeds: Sequence[int], budget: int, rule: Rule
) -> list[int]:
    """One greedy crawl with full knowledge: nodes in the order fetched, at most as many as the budget."""
    state = _Crawl(graph, on_topic & graph.is_page, seeds)
    while len(state.fetched) < budget:
        known = state.known_on_topic()
        if known is not None:
            state.fetch(known)
            continue
        goal = rule(state, budget - len(state.fetched))
        if goal is None:
            break
        for node in state.path_to(goal)[: budget - len(state.fetched)]:
            state.fetch(node)
    return state.fetched


class _Crawl:
    """A crawl under way.

    Invariants: `distance[n]` is the least number of fetches it takes to have n, 0 once it is fetched; `parent` leads
    back along such a path; `makes_known[n]` counts the unfetched on-topic pages that n links to and that are not
    known yet, which is to say further than one fetch away.
    """

    def __init__(self, graph: WorldGraph, on_topic: NDArray[np.bool_], seeds: Sequence[int]) -> None:
        size = len(graph.urls)
        self._graph = graph
        self._reverse_starts, self._reverse_targets = _reversed(graph)
        self.on_topic = on_topic
        self.fetched: list[int] = []
        self.distance = np.full(size, _FAR, dtype=np.int32)
        self.parent = np.full(size, -1, dtype=np.int32)
        source = np.repeat(np.arange(size), np.diff(graph.starts))
        leads_to_topic = on_topic[graph.targets] & (graph.targets != source)
        self.makes_known = np.bincount(source[leads_to_topic], minlength=size)
        self._known: list[int] = []
        roots = np.unique(np.array(seeds, dtype=np.int32))
        self.distance[roots] = 1
        self._note_known(roots)
        self._shorten(roots)

    def known_on_topic(self) -> int | None:
        """An on-topic page that is one fetch away: of those, the one that became known last."""
        while self._known:
            node = self._known.pop()
            if self.distance[node] == 1:
                return node
        return None

    def fetch(self, node: int) -> None:
        self.fetched.append(node)
        self.distance[node] = 0
        self._shorten(np.array([node], dtype=np.int32))

    def path_to(self, goal: int) -> list[int]:
        """Return the pages still to be fetched to have `goal`, in order, `goal` itself the last."""
        path = [goal]
        while self.distance[path[-1]] > 1:
            path.append(int(self.parent[path[-1]]))
        return path[::-1]

    def _shorten(self, nodes: NDArray[np.int32]) -> None:
        """Carry a shorter distance of some nodes on to all that follow from it; all of them are equally far."""
        while len(nodes):
            linked, source = self._graph.links_of(nodes)
            nearer = self.distance[linked] > self.distance[source] + 1
            linked, source = linked[nearer], source[nearer]
            self.distance[linked] = self.distance[source] + 1
            self.parent[linked] = source
            nodes = np.unique(linked)
            if len(nodes) and self.distance[nodes[0]] == 1:
                self._note_known(nodes)

    def _note_known(self, nodes: NDArray[np.int32]) -> None:
        found = nodes[self.on_topic[nodes]]
        self._known.extend(found.tolist())
        for node in found.tolist():
            linking = self._reverse_targets[self._reverse_starts[node] : self._reverse_starts[node + 1]]
            np.subtract.at(self.makes_known, linking[linking != node], 1)


def _nearest(crawl: _Crawl, left: int) -> int | None:
    wanted = np.flatnonzero(crawl.on_topic & (crawl.distance > 0) & (crawl.distance <= left))
    if not len(wanted):
        return None
    nearest = wanted[crawl.distance[wanted] == crawl.distance[wanted].min()]
    return int(nearest[np.argmax(crawl.makes_known[nearest])])


def _gain(crawl: _Crawl, left: int, path_weight: float = 1.0) -> int | None:
    open_nodes = np.flatnonzero((crawl.distance > 0) & (crawl.distance < left) & (crawl.makes_known > 0))
    if not len(open_nodes):
        return None
    path = crawl.distance[open_nodes]
    gain = np.minimum(crawl.makes_known[open_nodes], left - path)
    return int(open_nodes[np.argmax(gain / (path_weight * path + gain))])


def _eager_gain(crawl: _Crawl, left: int) -> int | None:
    return _gain(crawl, left, path_weight=2.0)


Rule: TypeAlias = "Callable[[_Crawl, int], int | None]"
"""Where to go when no on-topic page is known, given the fetches left; None when it is not worth going anywhere."""

RULES: Final = (_nearest, _gain, _eager_gain)


@lru_cache(maxsize=1)  # many crawls of one graph are asked for in a row
def _reversed(graph: WorldGraph) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    size = len(graph.urls)
    source = np.repeat(np.arange(size, dtype=np.int32), np.diff(graph.starts))
    order = np.argsort(graph.targets, kind="stable")
    counts = np.bincount(graph.targets, minlength=size)
    return np.concatenate(([0], np.cumsum(counts))), source[order]
