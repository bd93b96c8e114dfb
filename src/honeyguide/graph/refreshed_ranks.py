"""Ranks of a graph that grows while a crawl goes on, computed anew every so many pages.

Each time the power iteration begins with the last ranks, so it needs fewer iterations than from scratch. What comes of
it depends on the pages and their order alone: told the same pages again, a second one has the same ranks to the last
bit, which is how a resumed crawl gets them back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.errors import GraphError
from honeyguide.graph.link_graph import LinkGraph
from honeyguide.graph.pagerank import RankRules, pagerank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class RefreshedRanks:
    """PageRank over the links met so far, by their numbers. 8 bytes an edge and 8 a vertex. Not thread-safe."""

    def __init__(self, every: int, rules: RankRules | None = None) -> None:
        """`every` is how many pages come in between two refreshes."""
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
        """Edges kept, those of pages told twice included."""
        return self._edge_count

    def add_page(self, page: int, targets: Sequence[int] | NDArray[np.integer]) -> bool:
        """A page came in with these links. True if all ranks are new now."""
        self._add_edges(page, np.asarray(targets, dtype=np.int32))
        self.pages += 1
        if self.pages % self._every:
            return False
        self.refresh()
        return True

    def add_redirect(self, source: int, target: int) -> None:
        """A link led on to another: it hands all its rank on, as a page with that link alone would."""
        self._add_edges(source, np.array([target], dtype=np.int32))

    def refresh(self) -> None:
        """Compute all ranks anew, beginning with the last ones."""
        sources, targets = self._edges[:, : self._edge_count]
        graph = LinkGraph.of(sources, targets, self._vertex_count)
        found = pagerank(graph, self._rules, start=self._ranks if len(self._ranks) else None)
        self._ranks, self.iterations = found.values, found.iterations

    def values(self) -> NDArray[np.float64]:
        """The rank of every link that was met at the last refresh; they add up to 1."""
        return self._ranks.copy()

    def importance(self, link: int) -> float:
        """The rank of a link at the last refresh, against the average: 1 is an average one.

        A link met since then is as unimportant as the last of the others; before the first refresh all are average.
        """
        if not len(self._ranks):
            return 1.0
        rank = self._ranks[link] if link < len(self._ranks) else self._ranks.min()
        return float(rank * len(self._ranks))

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
