"""The graph over the pages that a run discovered: a vertex for each, fetched or not, and the links between them."""

from __future__ import annotations

from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.model import RefusalReason, Url
from honeyguide.runs.graph import LinkGraph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    Select = Callable[..., Iterator[tuple[Any, ...]]]


# A run that was looked at again in place has pages that none of its shards has.
_SHARDS: Final = "SELECT shard FROM gathered WHERE NOT EXISTS (SELECT 1 FROM passes) ORDER BY shard"
_EDGES_OF_SHARD: Final = """SELECT e.source, e.target FROM gathered_steps g CROSS JOIN steps s ON s.step = g.step
    CROSS JOIN pages p ON p.link = s.link AND p.step = s.step CROSS JOIN edges e ON e.source = s.link
    WHERE g.shard = ?"""


class DiscoveredGraph:
    """Every URL that a run met is a vertex, with two exceptions.

    The page at the end of a chain of redirects stands for all of it; in a circle of redirects, the URL met first does.
    A URL that robots.txt does not allow is no vertex at all. Edges are read from disk as they are asked for; in memory
    are only these exceptions.
    """

    def __init__(self, select: Select) -> None:
        """`select` reads the run's database, at one moment."""
        self._select = select
        # The vertex that stands for a link which is none itself; None where there is none.
        self._vertex_by_link = self._read_exceptions()
        ((links,),) = select("SELECT count(*) FROM links")
        self.vertex_count: int = links - len(self._vertex_by_link)

    def vertices(self) -> Iterator[Url]:
        """Yield every vertex in order of discovery."""
        rows = self._select("SELECT id, url FROM links ORDER BY id")
        return (Url(text) for link, text in rows if link not in self._vertex_by_link)

    def edges(self) -> Iterator[tuple[Url, tuple[Url, ...]]]:
        """Yield vertices with their successors, both in order of discovery: no loops, no edge twice."""
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
        """Return all of it in memory: vertices in order of discovery, named by their URLs."""
        return LinkGraph.joined(self.parts(), tuple(url.text for url in self.vertices()))

    def parts(self) -> list[LinkGraph]:
        """Return its edges in memory by the shard that has them, over the same vertices without names; else in one."""
        numbers, is_vertex = self._number_by_link(), self._is_vertex()
        shards = [shard for (shard,) in self._select(_SHARDS)]
        if not shards:
            return [self._part(numbers, is_vertex, "SELECT source, target FROM edges")]
        return [self._part(numbers, is_vertex, _EDGES_OF_SHARD, shard) for shard in shards]

    def _part(
        self, number_by_link: NDArray[np.int32], is_vertex: NDArray[np.bool_], query: str, *values: int
    ) -> LinkGraph:
        links = np.fromiter(chain.from_iterable(self._select(query, *values)), dtype=np.int64).reshape(-1, 2)
        links = links[is_vertex[links[:, 0]]]  # a redirect is no edge
        sources, targets = number_by_link[links].T
        is_allowed = targets >= 0
        return LinkGraph.of(sources[is_allowed], targets[is_allowed], self.vertex_count)

    def _number_by_link(self) -> NDArray[np.int32]:
        """Return, by link, the place of its vertex in order of discovery; -1 where it has none."""
        is_vertex = self._is_vertex()
        numbers = np.where(is_vertex, np.cumsum(is_vertex) - 1, -1).astype(np.int32)
        for link, vertex in self._vertex_by_link.items():
            numbers[link] = -1 if vertex is None else numbers[vertex]
        return numbers

    def _is_vertex(self) -> NDArray[np.bool_]:
        """Say of each link whether it is a vertex."""
        is_vertex = np.ones(self.vertex_count + len(self._vertex_by_link), dtype=np.bool_)
        is_vertex[list(self._vertex_by_link)] = False
        return is_vertex

    def _successors(self, leads: Iterator[tuple[int, str]]) -> dict[int, Url]:
        """Return the vertices that some links lead to, by number."""
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
        refused = self._select(
            # Without a reward the link waited to be tried again: the refusal did not last.
            "SELECT link FROM steps WHERE outcome = 'refused' AND reward IS NOT NULL AND reason = ?",
            RefusalReason.ROBOTS.value,
        )
        forbidden = {link for (link,) in refused}
        exceptions: dict[int, int | None] = dict.fromkeys(forbidden)
        for link, end in redirect_ends(self._select).items():
            if end != link:
                exceptions[link] = None if end in forbidden else end
        return exceptions


def redirect_ends(select: Select) -> dict[int, int]:
    """Return by link the end of its redirects, for all links of a run that redirect."""
    return ends_of(
        dict(
            select(
                """SELECT s.link, e.target FROM steps s JOIN edges e ON e.source = s.link
                   LEFT JOIN pages p ON p.link = s.link WHERE s.outcome = 'redirected' AND p.link IS NULL"""
            )
        )
    )


def ends_of(hops: Mapping[int, int]) -> dict[int, int]:
    """Return where each chain of hops ends; a circle ends at its lowest number."""
    ends: dict[int, int] = {}
    for start in hops:
        chain: dict[int, None] = {}
        at = start
        while at in hops and at not in ends and at not in chain:
            chain[at] = None
            at = hops[at]
        if at in chain:
            links = list(chain)
            at = min(links[links.index(at) :])
        ends |= dict.fromkeys(chain, ends.get(at, at))
    return ends
