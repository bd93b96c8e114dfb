"""The names of the traps that a synthetic web can have, one at a time.

What a page of the synthetic web really is, and when fetching it was for nothing.

What traps are built from: the honest host they stand on, hosts of their own, words, links and markup.

The seam between the synthetic web and a trap in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeVar

import numpy as np
import xxhash

from honeyguide.worlds.synthetic.hashing import draws, hash_int, of_65536
from honeyguide.worlds.synthetic.layout import Host
from honeyguide.worlds.synthetic.prose import PARAGRAPH, PATTERNS, ProseWriter, document, mixture_for
from honeyguide.worlds.synthetic.words import COLUMNS, HOST_ENDINGS, HOST_WORDS, PLAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from honeyguide.model import Url
    from honeyguide.worlds.synthetic.layout import Layout
    from honeyguide.worlds.synthetic.places import AddressBook, TraitTable
    from honeyguide.worlds.synthetic.prose import Chrome
    from honeyguide.worlds.synthetic.words import Lexicon


@dataclass(frozen=True, slots=True)
class Truth:
    """For grading a crawl, and nowhere on the page."""

    trap: str  # the scenario whose page this is, its honest pages included; "" on the honest web
    page: str  # the address of the page that is shown here; several addresses may show one page
    is_worthless: bool = False  # nobody would want this page, whenever it is fetched
    nearly: str = ""  # the address of an honest page whose text this one repeats but for a few words


class Waste:
    """Tells, page by page as a crawl took them in, which fetches were for nothing.

    Wasted is a worthless page, and one that has come in before under another address: the first copy of a page is worth
    as much as the page.
    """

    def __init__(self) -> None:
        self._met: set[str] = set()

    def is_wasted(self, truth: Truth) -> bool:
        """Whether this fetch, the next one of the crawl, was wasted."""
        if truth.is_worthless:
            return True
        if truth.page in self._met:
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


class Ground:
    """The honest web, as far as a trap needs it.

    `home` is the honest host beside whose pages a trap stands: rather large, and open to crawlers where one is.
    """

    def __init__(
        self, layout: Layout, lexicon: Lexicon, traits: TraitTable, addresses: AddressBook, chrome: Chrome
    ) -> None:
        self.layout = layout
        self.lexicon = lexicon
        self.traits = traits
        self.addresses = addresses
        self._chrome = chrome
        self._prose = ProseWriter(lexicon)
        # Plain lists: a few words are drawn from them ten times as fast as with numpy.
        self._address_words = [lexicon.slugs[number] for number in lexicon.table[lexicon.general].tolist()]
        rows = slice(lexicon.titles[0], lexicon.titles[0] + layout.no_topic + 1)
        self._title_words: list[list[str]] = lexicon.spell(lexicon.table[rows].astype(np.int64), PLAIN)
        self.usual_topic = layout.spec.seed * 7 % layout.no_topic
        self.home = self._choose_home()
        self.home_name = layout.hosts[self.home].name
        self.home_url = addresses.home(self.home)  # ends with a slash

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
        """What a page of a trap is about: often the topic whose crawlers the trap is for."""
        draw = hash_int(key, _TITLE)
        is_usual = (draw >> 32) & 0xFFFF < of_65536(self.layout.spec.trap_topic_share)
        return self.usual_topic if is_usual else draw % self.layout.no_topic

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


def url_key(url: Url) -> int:
    """A number that belongs to an address, whatever it looks like."""
    return xxhash.xxh3_64_intdigest(url.text.encode())


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


class Door(NamedTuple):
    """A link in the navigation of the honest host that a trap stands on."""

    path: str
    label: str


class Trap(Protocol):
    """Pages computed from their URLs, on hosts of its own or beside the honest pages of one host.

    It is asked only for addresses at which the honest web has nothing. The same address always shows the same page, and
    nothing is remembered. `page` and `truth` know the same addresses.
    """

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Those that are the trap's own."""
        ...

    @property
    def door(self) -> Door | None:
        """How the honest host that it stands on leads to it, on every page."""
        ...

    def page(self, url: Url) -> bytes | None:
        """The HTML at an address; None where the trap has nothing."""
        ...

    def truth(self, url: Url) -> Truth | None:
        """What that page really is."""
        ...

    def entrance(self, number: int) -> str:
        """Where the link of the comment with this number leads."""
        ...
