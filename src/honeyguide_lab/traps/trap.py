"""The parts that traps are built from: the honest host they stand on, words, links, markup, comments that lead in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from honeyguide.worlds.synthetic.hashing import draws, hash_int, of_65536
from honeyguide.worlds.synthetic.layout import Host
from honeyguide.worlds.synthetic.prose import PARAGRAPH, PATTERNS, ProseWriter, document, mixture_for
from honeyguide.worlds.synthetic.trap import trap_topic
from honeyguide.worlds.synthetic.words import COLUMNS, HOST_ENDINGS, HOST_WORDS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from honeyguide.model import Url
    from honeyguide.worlds.synthetic.trap import Truth, WebParts


class Scenario(StrEnum):
    """A trap, or what looks like one; `NONE` is the honest web alone."""

    NONE = "none"
    SELF_LINK = "self-link"
    RING = "ring"
    DYNAMIC = "dynamic"
    ENCYCLOPAEDIA = "encyclopaedia"
    CALENDAR = "calendar"
    FACETS = "facets"
    SESSION_IDS = "session-ids"
    SOFT_404 = "soft-404"
    PAGINATION = "pagination"
    REPEATING_SEGMENTS = "repeating-segments"
    MIRRORS = "mirrors"
    MAZE = "maze"
    MAZE_HOSTS = "maze-hosts"


class Waste:
    """Tells, page by page as a crawl fetched them, which fetches were wasted.

    Wasted is a worthless page, and one that has come in before under another address: the first copy of a page is worth
    as much as the page.
    """

    def __init__(self) -> None:
        self._met: set[str] = set()

    def is_wasted(self, truth: Truth) -> bool:
        """Whether this fetch, the next one of the crawl, was wasted."""
        if truth.is_worthless or truth.page in self._met:
            return True
        self._met.add(truth.page)
        return False

    @property
    def worthwhile(self) -> int:
        """How many pages have come in that were worth it."""
        return len(self._met)


_Choice = TypeVar("_Choice")

_TRAP: Final = 600
_HOME, _HOST, _TITLE, _TEXT = range(4)
_PAGE, _WORDS = 20, 22


class Ground:
    """The honest web, as far as a trap needs it.

    `home` is the honest host beside whose pages a trap stands: rather large, and open to crawlers where one is.
    """

    def __init__(self, parts: WebParts) -> None:
        self.layout, self.lexicon, self.traits, self.addresses, self._chrome = parts
        layout, lexicon = self.layout, self.lexicon
        self._prose = ProseWriter(lexicon)
        # Plain lists: a few words are drawn from them ten times as fast as with numpy.
        self._address_words = [lexicon.slugs[number] for number in lexicon.table[lexicon.general].tolist()]
        rows = slice(lexicon.titles[0], lexicon.titles[0] + layout.no_topic + 1)
        self._title_words: list[list[str]] = lexicon.spell(lexicon.table[rows].astype(np.int64), PLAIN)
        self._usual_topic = trap_topic(layout)
        self.home = self._choose_home()
        self.home_name = layout.hosts[self.home].name
        self.home_url = self.addresses.home(self.home)  # ends with a slash

    def key(self, *parts: int) -> int:
        """A number that belongs to this web and these parts."""
        return self.layout.key(_TRAP, *parts)

    def variant(self, choices: Sequence[_Choice], every: int = 1) -> _Choice:
        """One of several forms of a trap, which take turns from seed to seed, or change every so many seeds."""
        return choices[self.layout.spec.seed // every % len(choices)]

    def host(self, number: int, prefix: str = "") -> Host:
        """A host of the trap's own, named as the honest ones are."""
        draw = self.key(_HOST, number)
        first, ending = HOST_WORDS[draw % len(HOST_WORDS)], HOST_ENDINGS[(draw >> 16) % len(HOST_ENDINGS)]
        return Host(
            name=f"{prefix}{first}-{ending}{len(self.layout.hosts) + number}.test",
            sections=(),
            is_portal=False,
            closed_section="",
            crawl_delay_s=0.0,
            latency_s=0.03 + 0.1 * ((draw >> 32) % 1000 / 1000),
        )

    def topic(self, key: int) -> int:
        """Draw the topic of a page of a trap: often the one whose crawlers the trap is for."""
        draw = hash_int(key, _TITLE)
        is_usual = (draw >> 32) & 0xFFFF < of_65536(self.layout.spec.trap_topic_share)
        return self._usual_topic if is_usual else draw % self.layout.no_topic

    def title(self, key: int, topic: int | None = None) -> str:
        """Three words of a topic."""
        words = self._title_words[self.topic(key) if topic is None else topic]
        chosen = [words[place] for place in _places(hash_int(key, _TITLE, 1), 3)]
        return " ".join([chosen[0].capitalize(), *chosen[1:]])

    def paragraphs(self, key: int, count: int, topic: int | None = None) -> list[str]:
        """Running text as on an honest page."""
        no_topic = self.layout.no_topic
        draw = hash_int(key, _TEXT)
        about = self.topic(key) if topic is None else topic
        mixture = mixture_for(about, (draw >> 20) % no_topic, hash_int(draw), no_topic=no_topic)
        words = self._prose.words(draws(draw, count * PARAGRAPH), mixture, draw % PATTERNS)
        return self._prose.paragraphs(words, draw % PATTERNS)

    def words(self, key: int, count: int) -> list[str]:
        """Everyday words as they stand in addresses."""
        return [self._address_words[place] for place in _places(hash_int(key, _TEXT, 1), count)]

    def show_door(self, path: str, label: str) -> None:
        """Have every page of the honest host link to the trap."""
        self._chrome.show_door(self.home, path, label)

    def at_home(self, title: str, parts: Iterable[str]) -> bytes:
        """A page of the honest host, with its navigation around it."""
        return self._chrome.wrap(self.home, title, "\n".join(parts))

    def _choose_home(self) -> int:
        first, end = self.layout.spec.portals, len(self.layout.hosts)
        hosts = [number for number in range(first, end) if not self.layout.hosts[number].has_rules]
        hosts = hosts or list(range(first, end))
        middle = hosts[len(hosts) // 20 :][: max(1, len(hosts) // 6)]  # the largest come first
        return middle[self.key(_HOME) % len(middle)]


def on_own_host(name: str, entries: Sequence[tuple[str, str]], title: str, parts: Iterable[str]) -> bytes:
    """A page of a host that the trap owns, with these links as its navigation."""
    shown = name.partition(".")[0].rstrip("0123456789").replace("-", " ").title()
    before = f"<header>\n<nav>{' '.join(tag(url, label) for url, label in entries)}</nav>\n</header>"
    return document(title, before, "\n".join(parts), f"<footer><p>{shown}. All rights reserved.</p></footer>")


def tag(url: str, label: str) -> str:
    return f'<a href="{escape(url)}">{label}</a>'


def listed(links: Iterable[tuple[str, str]]) -> str:
    """Links as a list."""
    return "\n".join(["<ul>", *(f"<li>{tag(url, label)}</li>" for url, label in links), "</ul>"])


def in_paragraphs(paragraphs: Iterable[str]) -> list[str]:
    return [f"<p>{paragraph}</p>" for paragraph in paragraphs]


def _places(key: int, count: int) -> list[int]:
    """Places in a row of the lexicon, six for each hash."""
    places = []
    for number in range(count):
        if number % 6 == 0:
            key = hash_int(key, number)
        places.append((key >> number % 6 * 10) % COLUMNS)
    return places


def token(*parts: int) -> str:
    """Sixteen hexadecimal digits that look like chance."""
    return f"{hash_int(*parts):016x}"


class CommentedTrap(ABC):
    """A trap that comments on honest pages lead into, as many as `trap_entrances`.

    The first comments stand on the front pages of the portals, one on each, and the others under numbered pages,
    popular ones rather than others.
    """

    hosts: tuple[Host, ...] = ()

    def __init__(self, parts: WebParts, number: int) -> None:
        self._ground = Ground(parts)
        self._key = self._ground.key(number)

    @abstractmethod
    def page(self, url: Url) -> bytes | None:
        """Return the HTML at an address; None where the trap has nothing."""

    @abstractmethod
    def truth(self, url: Url) -> Truth | None:
        """Return what that page really is."""

    @abstractmethod
    def entrance(self, number: int) -> str:
        """The address that the link of the comment with this number leads to."""

    def under(self, page: int) -> str:
        return self._comments_by_page.get(page, "")

    def on_portal(self, portal: int) -> str:
        spec = self._ground.layout.spec
        has_comment = portal < min(spec.portals, spec.trap_entrances)
        return "\n<h2>Guest book</h2>" + self._comment(portal) if has_comment else ""

    @cached_property
    def _comments_by_page(self) -> dict[int, str]:
        spec, clusters = self._ground.layout.spec, self._ground.layout.open_clusters
        markup: dict[int, str] = {}
        for number in range(spec.portals, spec.trap_entrances):
            chance = (self._ground.key(_PAGE, number - spec.portals) & 0xFFFF) / 65536
            # The first page of a cluster always arrives.
            page = int(clusters[int(chance * chance * len(clusters))]) * spec.cluster_pages
            markup[page] = markup.get(page, "\n<h2>Comments</h2>") + self._comment(number)
        return markup

    def _comment(self, number: int) -> str:
        words = self._ground.words(self._ground.key(_WORDS, number), 12)
        link = tag(self.entrance(number), " ".join(words[6:8]))
        return f"\n<p>{' '.join(words[:6]).capitalize()} {link} {' '.join(words[8:])}.</p>"
