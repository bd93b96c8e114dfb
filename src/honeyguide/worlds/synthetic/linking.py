"""Where the links of a page lead: topical locality, feeder topics, bridges into islands, popular targets."""

from __future__ import annotations

from typing import Final

import numpy as np

from honeyguide.worlds.synthetic.hashing import Hashes, Ints, of_65536, quarters
from honeyguide.worlds.synthetic.layout import FEEDS, Layout
from honeyguide.worlds.synthetic.traits import Kind

CHILDREN: Final = 3
"""Pages of a cluster hang from its head in a tree, so many to each: how every page can be reached."""

# Where a link leads: its own cluster, its own topic, a topic that its topic feeds, an island, anywhere.
_NEAR, _SAME, _FED, _ISLAND, _ANYWHERE = range(5)


def _modes(near: float, same: float, fed: float, island: float) -> Ints:
    """Thresholds from shares; what is left leads anywhere."""
    return np.cumsum([of_65536(share) for share in (near, same, fed, island)])


_TOPICAL: Final = _modes(0.08, 0.42, 0.20, 0.0)
_ON_ISLAND: Final = _modes(0.10, 0.25, 0.15, 0.20)
_HUB: Final = _modes(0.0, 0.75, 0.10, 0.0)
_BRIDGE: Final = _modes(0.05, 0.0, 0.0, 0.50)
_GENERAL: Final = _modes(0.10, 0.0, 0.0, 0.0)


class LinkChooser:
    """Chooses link targets for one page at a time."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._size = layout.spec.cluster_pages
        self._last = layout.spec.pages - 1

    def children(self, page: int) -> list[int]:
        """The pages that hang from this one in its cluster's tree, at most `CHILDREN`."""
        head = page // self._size * self._size
        first = head + (page - head) * CHILDREN + 1
        return list(range(first, min(first + CHILDREN, head + self._size, self._last + 1)))

    def choose(self, page: int, topic: int, kind: Kind, draws: Hashes) -> Ints:
        """One target per draw, for a page of this topic and kind."""
        cluster = page // self._size
        mode, feed, cluster_rank, page_rank = quarters(draws)
        leads_to = self._hidden_topic(cluster, int(draws[0])) if kind is Kind.BRIDGE else topic
        edges = self._edges(cluster, topic, kind)
        modes = edges.searchsorted(mode, side="right")
        feeds = self._layout.feeds[topic][feed % FEEDS]
        topics = np.where(modes == _FED, feeds, leads_to)
        rank = cluster_rank / 65536
        clusters = self._layout.open_by_topic.pick(topics, rank * rank)
        anywhere = self._layout.open_clusters
        is_anywhere = modes == _ANYWHERE
        clusters[is_anywhere] = anywhere[(rank[is_anywhere] * len(anywhere)).astype(np.int64)]
        clusters[modes == _NEAR] = cluster
        depth = page_rank / 65536
        places = (depth * depth * self._size).astype(np.int64)  # a cluster's head is popular, its last page is not
        if edges[_ISLAND] > edges[_FED]:
            # An island is entered at its head, from which its tree hangs.
            is_island = modes == _ISLAND
            clusters[is_island] = self._layout.islands_by_topic.pick(topics[is_island], rank[is_island])
            places[is_island] = 0
        return np.minimum(clusters * self._size + places, self._last)

    def _edges(self, cluster: int, topic: int, kind: Kind) -> Ints:
        if kind is Kind.BRIDGE:
            return _BRIDGE
        if topic == self._layout.no_topic:
            return _GENERAL
        if kind is Kind.HUB:
            return _HUB
        return _ON_ISLAND if self._layout.is_island[cluster] else _TOPICAL

    def _hidden_topic(self, cluster: int, draw: int) -> int:
        """The topic of the islands a bridge leads to: its neighbourhood's own, or one that it feeds."""
        topic = int(self._layout.cluster_topic[cluster])
        if topic == self._layout.no_topic:
            return draw % self._layout.no_topic
        feed = draw % (FEEDS + 2)
        return topic if feed >= FEEDS else int(self._layout.feeds[topic, feed])
