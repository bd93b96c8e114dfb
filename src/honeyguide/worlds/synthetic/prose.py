"""The text of a page: its sentences, the targets of its links, and the navigation, sidebar and footer of its host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic.hashing import Hashes, Ints, hash_int, of_65536, quarters
from honeyguide.worlds.synthetic.layout import FEEDS, Layout
from honeyguide.worlds.synthetic.places import PageKind
from honeyguide.worlds.synthetic.words import CAPITAL, COLUMNS, COMMA, PLAIN, STOP, Lexicon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.worlds.synthetic.places import AddressBook, TraitTable

_SIDEBAR_LINKS = 4


def document(title: str, before: str, main: str, after: str) -> bytes:
    """Return a whole HTML document: the main part between what a site has around it."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n'
        f"<body>\n{before}\n<main>\n<h1>{title}</h1>\n{main}\n</main>\n{after}\n</body>\n</html>\n"
    ).encode()


class Chrome:
    """Wraps a page's own markup in its host's. Keeps two strings per host that has been asked for."""

    def __init__(self, layout: Layout, traits: TraitTable, addresses: AddressBook) -> None:
        self._layout = layout
        self._traits = traits
        self._addresses = addresses
        self._around: dict[int, tuple[str, str]] = {}
        self._doors: dict[int, str] = {}

    def wrap(self, host: int, title: str, main: str) -> bytes:
        """Return a whole HTML document."""
        around = self._around.get(host)
        if around is None:
            around = self._around[host] = self._build(host)
        before, after = around
        return document(title, before, main, after)

    def show_door(self, host: int, path: str, label: str) -> None:
        """Have the navigation of a host show one more link, on every page of it from now on."""
        self._doors[host] = f'<a href="{path}">{label}</a>'
        self._around.pop(host, None)

    def _build(self, host: int) -> tuple[str, str]:
        site = self._layout.hosts[host]
        name = site.name.partition(".")[0].rstrip("0123456789").replace("-", " ").title()
        entries = [f'<a href="/">{name}</a>']
        entries += [f'<a href="/{section}/">{section.title()}</a>' for section in site.sections]
        entries += filter(None, [self._doors.get(host, "")])
        before = f"<header>\n<nav>{' '.join(entries)}</nav>\n</header>"
        portal = self._addresses.home(hash_int(host) % self._layout.spec.portals)
        footer = f'<footer><p>{name}. Listed at <a href="{portal}">the portal</a>. All rights reserved.</p></footer>'
        return before, f"{self._sidebar(host)}\n{footer}"

    def _sidebar(self, host: int) -> str:
        """Return the site's most popular pages, by number alone, as sidebars go."""
        clusters = self._layout.open_by_host.members(host)[:_SIDEBAR_LINKS]
        heads = np.asarray(clusters * self._layout.spec.cluster_pages)
        if not len(heads):
            return ""
        urls = self._addresses.pages(self._traits.of(heads))
        items = "".join(f'<li><a href="{url}">Popular {place}</a></li>' for place, url in enumerate(urls, 1))
        return f"<aside><h2>Most read</h2><ul>{items}</ul></aside>"


CHILDREN: Final = 3
"""Pages of a cluster hang from its head in a tree, so many to each: how every page can be reached."""

# Where a link leads: its own cluster, its own topic, a topic that its topic feeds, an island, anywhere.
_NEAR, _SAME, _FED, _ISLAND, _ANYWHERE = range(5)


def _thresholds(near: float, same: float, fed: float, island: float) -> Ints:
    """Return thresholds from shares; what is left leads anywhere."""
    return np.cumsum([of_65536(share) for share in (near, same, fed, island)])


_TOPICAL: Final = _thresholds(0.08, 0.42, 0.20, 0.0)
_ON_ISLAND: Final = _thresholds(0.10, 0.25, 0.15, 0.20)
_HUB: Final = _thresholds(0.0, 0.75, 0.10, 0.0)
_BRIDGE: Final = _thresholds(0.05, 0.0, 0.0, 0.50)
_GENERAL: Final = _thresholds(0.10, 0.0, 0.0, 0.0)


class LinkChooser:
    """Chooses link targets for one page at a time."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._size = layout.spec.cluster_pages
        self._last = layout.spec.pages - 1

    def children(self, page: int) -> list[int]:
        """Return the pages that hang from this one in its cluster's tree, at most `CHILDREN`."""
        head = page // self._size * self._size
        first = head + (page - head) * CHILDREN + 1
        return list(range(first, min(first + CHILDREN, head + self._size, self._last + 1)))

    def choose(self, page: int, topic: int, kind: PageKind, draws: Hashes) -> Ints:
        """Return one target per draw, for a page of this topic and kind."""
        cluster = page // self._size
        mode, feed, cluster_rank, page_rank = quarters(draws)
        leads_to = self._choose_hidden_topic(cluster, int(draws[0])) if kind is PageKind.BRIDGE else topic
        edges = self._thresholds_for(cluster, topic, kind)
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

    def _thresholds_for(self, cluster: int, topic: int, kind: PageKind) -> Ints:
        if kind is PageKind.BRIDGE:
            return _BRIDGE
        if topic == self._layout.no_topic:
            return _GENERAL
        if kind is PageKind.HUB:
            return _HUB
        return _ON_ISLAND if self._layout.is_island[cluster] else _TOPICAL

    def _choose_hidden_topic(self, cluster: int, draw: int) -> int:
        """Return the topic of the islands a bridge leads to: its neighbourhood's own, or one that it feeds."""
        topic = int(self._layout.cluster_topic[cluster])
        if topic == self._layout.no_topic:
            return draw % self._layout.no_topic
        feed = draw % (FEEDS + 2)
        return topic if feed >= FEEDS else int(self._layout.feeds[topic, feed])


PARAGRAPH: Final = 36
"""Words and pieces of glue in one paragraph; a text is a whole number of paragraphs."""

_SENTENCES: Final = (
    (9, 13, 14), (7, 16, 13), (11, 8, 17), (10, 12, 14), (6, 15, 15), (12, 12, 12), (8, 10, 9, 9), (7, 9, 12, 8),
    (17, 19), (13, 6, 17), (5, 14, 10, 7), (15, 11, 10), (18, 7, 11), (9, 9, 18), (14, 5, 8, 9), (11, 11, 14),
)  # fmt: skip
_REPEATS: Final = 16  # of the patterns in a row, so that a long text can start at any of them


def _sentence(length: int) -> list[tuple[int, bool]]:
    """Form, and whether glue stands there, for each place of a sentence: glue and words by turns, a word at the end."""
    places = [(PLAIN, place % 2 == 0) for place in range(length)]
    places[0] = (CAPITAL, True)
    places[-1] = (STOP, False)
    if length > 10:
        places[length // 4 * 2 + 1] = (COMMA, False)
    return places


_PLACES = [place for paragraph in _SENTENCES for length in paragraph for place in _sentence(length)] * _REPEATS
_FORMS: Final = np.array([form for form, _ in _PLACES])
_IS_GLUE: Final = np.array([is_glue for _, is_glue in _PLACES])

PATTERNS: Final = len(_SENTENCES)
MOST_PARAGRAPHS: Final = PATTERNS * (_REPEATS - 1)


@dataclass(frozen=True, slots=True)
class Mixture:
    """Shares of a text's words that are core, jargon, of a second topic, and ambiguous."""

    topic: int
    second: int
    core: float
    jargon: float
    of_second: float
    ambiguous: float

    @property
    def edges(self) -> NDArray[np.float64]:
        """Thresholds for a 16-bit number; what is left is everyday words."""
        topical = self.core + self.jargon
        with_second = topical + self.of_second
        return np.array([self.core, topical, with_second, with_second + self.ambiguous]) * 65536


class ProseWriter:
    """Turns draws into paragraphs."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def words(self, draws: Hashes, mixture: Mixture, pattern: int) -> Ints:
        """Return the number of the word at each place of a text whose first paragraph has this sentence pattern."""
        lexicon = self._lexicon
        kind, column, _, _ = quarters(draws)
        rows = np.array(
            [mixture.topic, lexicon.jargon + mixture.topic, mixture.second, lexicon.shared, lexicon.general]
        )
        row = rows[mixture.edges.searchsorted(kind, side="right")]
        start = pattern * PARAGRAPH
        row[_IS_GLUE[start : start + len(draws)]] = lexicon.glue
        return lexicon.table[row, column % COLUMNS]

    def paragraphs(self, words: Ints, pattern: int) -> list[str]:
        """Return the text of `words`, which fill whole paragraphs."""
        start = pattern * PARAGRAPH
        spelled = self._lexicon.spell(words, _FORMS[start : start + len(words)])
        return [" ".join(spelled[place : place + PARAGRAPH]) for place in range(0, len(spelled), PARAGRAPH)]


def mixture_for(topic: int, second: int, draw: int, *, no_topic: int) -> Mixture:
    """Return how strongly a page is about its topic, from one draw: weakly, strongly, in plain words or in jargon."""
    strength = 0.09 + 0.45 * ((draw & 0xFFFF) / 65536) ** 1.3
    jargon_share = 0.25 + 0.6 * ((draw >> 16) & 0xFFFF) / 65536
    of_second = 0.30 * (((draw >> 32) & 0xFFFF) / 65536) ** 2
    if topic == no_topic:
        strength = 0.0
    return Mixture(
        topic=topic,
        second=second,
        core=strength * (1 - jargon_share),
        jargon=strength * jargon_share,
        of_second=of_second,
        ambiguous=0.06,
    )
