"""The graph over the pages that a run discovered: a vertex for each, fetched or not, and the links between them."""

from __future__ import annotations

from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from honeyguide.model import RefusalReason, Url
from honeyguide.runs.graph import LinkGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    Select = Callable[..., Iterator[tuple[Any, ...]]]


class DiscoveredGraph:
    """Every URL that a run met is a vertex, with two exceptions.

    A URL that redirects is no page: the page at the end of the way stands for it. Of a circle of redirects, which has
    no end, the URL met first does. What robots.txt does not allow is no vertex at all. Edges are read from disk as they
    are asked for; in memory are only these exceptions.
    """

    def __init__(self, select: Select) -> None:
        """`select` reads the run's database, at one moment."""
        self._select = select
        # By link, for those that are no vertex of their own: the vertex that stands for it, None where there is none.
        self._vertex_by_link = self._read_exceptions()
        ((links,),) = select("SELECT count(*) FROM links")
        self.vertex_count: int = links - len(self._vertex_by_link)

    def vertices(self) -> Iterator[Url]:
        """Every vertex, in order of discovery."""
        rows = self._select("SELECT id, url FROM links ORDER BY id")
        return (Url(text) for link, text in rows if link not in self._vertex_by_link)

    def edges(self) -> Iterator[tuple[Url, tuple[Url, ...]]]:
        """Vertices with their successors, both in order of discovery: no loops, no edge twice."""
        rows = self._select(
            # A cross join keeps the order of the tables, and with it that of the rows: nothing has to be sorted.
            """SELECT e.source, e.target, t.url FROM edges e CROSS JOIN links t ON t.id = e.target
               ORDER BY e.source, e.target"""
        )
        for source, leads in groupby(rows, key=itemgetter(0)):
            if source in self._vertex_by_link:
                continue
            successors = self._successors((target, text) for _, target, text in leads)
            successors.pop(source, None)
            if successors:
                yield self._url(source), tuple(url for _, url in sorted(successors.items()))

    def link_graph(self) -> LinkGraph:
        """All of it in memory, as numbers: vertices in order of discovery, named by their URLs."""
        names = tuple(url.text for url in self.vertices())
        number_by_link = self._number_by_link()
        rows = self._select("SELECT source, target FROM edges ORDER BY source, target")
        links = np.fromiter(chain.from_iterable(rows), dtype=np.int64).reshape(-1, 2)
        links = links[self._is_vertex()[links[:, 0]]]  # a redirect is no edge
        sources, targets = number_by_link[links].T
        is_allowed = targets >= 0
        return LinkGraph.of(sources[is_allowed], targets[is_allowed], len(names), names)

    def _number_by_link(self) -> NDArray[np.int32]:
        """By link, the place of its vertex in order of discovery; -1 where it has none."""
        is_vertex = self._is_vertex()
        numbers = np.where(is_vertex, np.cumsum(is_vertex) - 1, -1).astype(np.int32)
        for link, vertex in self._vertex_by_link.items():
            numbers[link] = -1 if vertex is None else numbers[vertex]
        return numbers

    def _is_vertex(self) -> NDArray[np.bool_]:
        """By link, whether it is a vertex of its own."""
        is_vertex = np.ones(self.vertex_count + len(self._vertex_by_link), dtype=np.bool_)
        is_vertex[list(self._vertex_by_link)] = False
        return is_vertex

    def _successors(self, leads: Iterator[tuple[int, str]]) -> dict[int, Url]:
        """The vertices that some links lead to, by number."""
        successors = {}
        for link, text in leads:
            if link not in self._vertex_by_link:
                successors[link] = Url(text)
                continue
            vertex = self._vertex_by_link[link]
            if vertex is not None:
                successors[vertex] = self._url(vertex)
        return successors

    def _url(self, vertex: int) -> Url:
        ((text,),) = self._select("SELECT url FROM links WHERE id = ?", vertex)
        return Url(text)

    def _read_exceptions(self) -> dict[int, int | None]:
        hops: dict[int, int] = dict(
            self._select(
                "SELECT s.link, e.target FROM steps s JOIN edges e ON e.source = s.link WHERE s.outcome = 'redirected'"
            )
        )
        refused = self._select(
            # Without a reward the link waited to be tried again: the refusal did not last.
            "SELECT link FROM steps WHERE outcome = 'refused' AND reward IS NOT NULL AND reason = ?",
            RefusalReason.ROBOTS.value,
        )
        forbidden = {link for (link,) in refused}
        exceptions: dict[int, int | None] = dict.fromkeys(forbidden)
        for link, end in ends_of(hops).items():
            if end != link:
                exceptions[link] = None if end in forbidden else end
        return exceptions


def ends_of(hops: Mapping[int, int]) -> dict[int, int]:
    """Where each chain of hops ends; a circle ends at its lowest number."""
    ends: dict[int, int] = {}
    for start in hops:
        way: dict[int, None] = {}
        at = start
        while at in hops and at not in ends and at not in way:
            way[at] = None
            at = hops[at]
        if at in way:
            passed = list(way)
            at = min(passed[passed.index(at) :])
        ends |= dict.fromkeys(way, ends.get(at, at))
    return ends
