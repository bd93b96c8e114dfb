"""What is true of a page before a word of it is written: its kind, topic, title and address, for many pages at once."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic import common_words
from honeyguide.worlds.synthetic.hashing import Ints, hash_each, of_65536, quarters, unit
from honeyguide.worlds.synthetic.lexicon import COLUMNS, Lexicon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.worlds.synthetic.layout import Layout

TITLE_WORDS: Final = 3
_TOPICAL_SLUG_SHARE: Final = 0.55  # pages with their title in their address
_SHY: Final = 0.6  # of the plain anchors belong to pages that never get any other
_KIND, _TITLE, _ORIGIN = range(200, 203)
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


class Kind(IntEnum):
    """What sort of page a page is."""

    BRIDGE = 0  # an off-topic list of links that leads into islands
    HUB = 1  # a long list of links of its topic
    COPY = 2  # nearly the same text as another page
    STRAY = 3  # about another topic than its cluster
    ORDINARY = 4


# numpy compares with plain integers ten times as fast as with members of an enum.
_BRIDGE, _STRAY = int(Kind.BRIDGE), int(Kind.STRAY)


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """Columns over some pages."""

    pages: Ints
    clusters: Ints
    kinds: Ints  # as in `Kind`
    topics: Ints
    is_failing: NDArray[np.bool_]
    is_shy: NDArray[np.bool_]  # never linked to with words that say what it is
    titles: Ints  # (n, TITLE_WORDS) word numbers
    slugs: Ints  # 0: the title is in the address; else which plain word is


class TraitTable:
    """Computes traits; keeps nothing per page."""

    def __init__(self, layout: Layout, lexicon: Lexicon) -> None:
        spec = layout.spec
        self._layout = layout
        self._lexicon = lexicon
        self._size = spec.cluster_pages
        self._keys = np.array([[layout.key(_KIND)], [layout.key(_TITLE)]], dtype=np.uint64)
        self._origin_key = np.uint64(layout.key(_ORIGIN))
        shares = (spec.bridge_share, spec.hub_share, spec.duplicate_share, spec.stray_share)
        self._kind_edges = np.cumsum([of_65536(share) for share in shares])
        self._failing = of_65536(spec.failing_share)
        self._shy = of_65536(spec.plain_anchor_share * _SHY)
        self._slugs = np.arange(65536) % len(common_words.PLAIN_SLUGS) + 1
        self._slugs[: of_65536(_TOPICAL_SLUG_SHARE)] = 0

    def of(self, pages: Ints) -> Traits:
        """The traits of each page; some 30 microseconds a call, and less than half of one for each page."""
        clusters = pages // self._size
        # A cluster's head is an ordinary page: its numbers are beyond every threshold.
        is_head = (clusters * self._size == pages).astype(np.int64) << 16
        kind, title = quarters(hash_each(pages, self._keys)).swapaxes(0, 1)
        role, other, failure, shyness = kind | is_head
        kinds = self._kind_edges.searchsorted(role, side="right")
        topics = np.where(kinds == _STRAY, other % self._layout.no_topic, self._layout.cluster_topic[clusters])
        is_bridge = kinds == _BRIDGE
        topics[is_bridge] = self._layout.no_topic
        return Traits(
            pages=pages,
            clusters=clusters,
            kinds=kinds,
            topics=topics,
            is_failing=failure < self._failing,
            is_shy=shyness < self._shy,
            titles=self._titles(title, topics, is_bridge),
            slugs=self._slugs[title[3]],
        )

    def original(self, page: int) -> int:
        """What a copy repeats: the head of a cluster of its own cluster's topic, wherever that may live."""
        topics = self._layout.cluster_topic[page // self._size :][:1]
        fraction = unit(hash_each(np.array([page], dtype=np.int64), self._origin_key))
        return int(self._layout.open_by_topic.pick(topics, fraction)[0]) * self._size

    def _titles(self, randoms: Ints, topics: Ints, is_bridge: NDArray[np.bool_]) -> Ints:
        """Three words each, by turns from the topic's core words and from its jargon, among words of other kinds."""
        rows = topics + self._lexicon.titles[randoms[3] & 1]
        rows[is_bridge] = self._lexicon.links
        return self._lexicon.table[rows, randoms[:TITLE_WORDS] % COLUMNS].T


def base36(number: int) -> str:
    """A number in digits and small letters, as page addresses carry it."""
    digits = ""
    while number >= 36:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return _DIGITS[number] + digits
