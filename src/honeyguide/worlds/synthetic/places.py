"""Places on the synthetic web and their URLs, and the traits of a page that are known before it is written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic import words as common_words
from honeyguide.worlds.synthetic.hashing import Ints, hash_each, of_65536, quarters, unit
from honeyguide.worlds.synthetic.words import BRIDGE_SECTIONS, COLUMNS, PLAIN_SLUGS, Lexicon

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import Url
    from honeyguide.worlds.synthetic.layout import Layout

LIST_LENGTH: Final = 40
"""Entries on one page of a section list or of a portal's directory."""

FILE_ENDINGS: Final = ("pdf", "png")
_PAGE: Final = re.compile(r"/[a-z]+/(?:[a-z]+-)+([0-9a-z]{1,12})(?:\.html)?")
_ALIAS: Final = re.compile(r"/(go|moved)/([0-9a-z]{1,12})")
_FILE: Final = re.compile(r"/files/([0-9a-z]{1,12})\.(pdf|png)")
_LIST: Final = re.compile(r"/([a-z]+)/(?:\?page=([1-9][0-9]{0,6}))?")


@dataclass(frozen=True, slots=True)
class NumberedPage:
    """A numbered page and its traits."""

    traits: Traits

    @property
    def page(self) -> int:
        return int(self.traits.pages[0])


@dataclass(frozen=True, slots=True)
class ListPlace:
    """One page of a section list, or of a portal's directory; the home page when `section` is -1."""

    host: int
    section: int
    number: int  # from 1


@dataclass(frozen=True, slots=True)
class AliasPlace:
    """A former address of a page, which redirects; `has_moved` marks the second hop of two."""

    page: int
    host: int
    has_moved: bool


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file that is not HTML, kept beside a page."""

    page: int
    ending: str


@dataclass(frozen=True, slots=True)
class RobotsPlace:
    """A host's robots.txt."""

    host: int


Place = NumberedPage | ListPlace | AliasPlace | FilePlace | RobotsPlace


class AddressBook:
    """Writes the URL of every place and finds the place of a URL."""

    def __init__(self, layout: Layout, lexicon: Lexicon, traits: TraitTable) -> None:
        self._layout = layout
        self._slugs = lexicon.slugs
        self._traits = traits
        self._prefixes = [
            [f"http://{host.name}/{section}/" for section in (*host.sections, *BRIDGE_SECTIONS)]
            for host in layout.hosts
        ]

    def pages(self, traits: Traits) -> list[str]:
        """Return the URLs of some pages."""
        hosts = self._layout.cluster_host[traits.clusters].tolist()
        sections = self._layout.cluster_section[traits.clusters].tolist()
        slugs, prefixes, bridge = self._slugs, self._prefixes, int(PageKind.BRIDGE)
        urls = []
        for page, host, section, title, slug, kind in zip(
            traits.pages.tolist(), hosts, sections, traits.titles.tolist(), traits.slugs.tolist(),
            traits.kinds.tolist(), strict=True,
        ):  # fmt: skip
            words = PLAIN_SLUGS[slug - 1] if slug else f"{slugs[title[0]]}-{slugs[title[1]]}"
            # A bridge with a telling title also stands in a telling section, after the host's own.
            prefix = prefixes[host][-1 - page % len(BRIDGE_SECTIONS) if not slug and kind == bridge else section]
            urls.append(f"{prefix}{words}-{base36(page)}{'.html' if host & 1 else ''}")
        return urls

    def page(self, page: int) -> str:
        return self.pages(self._traits.of(np.array([page], dtype=np.int64)))[0]

    def home(self, host: int) -> str:
        return f"http://{self._layout.hosts[host].name}/"

    def section(self, host: int, section: int, number: int = 1) -> str:
        query = f"?page={number}" if number > 1 else ""
        return f"{self._prefixes[host][section]}{query}"

    def alias(self, page: int, host: int, *, has_moved: bool = False) -> str:
        """Return a former address of `page` on its own host or on a portal."""
        return f"{self.home(host)}{'moved' if has_moved else 'go'}/{base36(page)}"

    def file(self, page: int, host: int, ending: str) -> str:
        return f"{self.home(host)}files/{base36(page)}.{ending}"

    def host_of(self, page: int) -> int:
        return int(self._layout.cluster_host[page // self._layout.spec.cluster_pages])

    def find(self, url: Url) -> Place | None:
        """Return the place whose own URL this is; None where the web has nothing."""
        host = self._layout.host_numbers.get(url.host)
        if host is None or url.scheme != "http":
            return None
        path = url.path_and_query
        if path in ("/", "/robots.txt"):
            return ListPlace(host, -1, 1) if path == "/" else RobotsPlace(host)
        if match := _LIST.fullmatch(path):
            return self._find_list(host, match[1], int(match[2] or 1), url.text)
        if match := _ALIAS.fullmatch(path):
            return self._find_alias(host, match[2], has_moved=match[1] == "moved")
        if match := _FILE.fullmatch(path):
            return self._find_file(host, match[1], match[2])
        return self._find_page(path, url.text)

    def _find_page(self, path: str, url: str) -> NumberedPage | None:
        match = _PAGE.fullmatch(path)
        page = self._number(match[1]) if match else None
        if page is None:
            return None
        traits = self._traits.of(np.array([page], dtype=np.int64))
        return NumberedPage(traits) if self.pages(traits) == [url] else None

    def _number(self, digits: str) -> int | None:
        number = int(digits, 36)
        return number if number < self._layout.spec.pages and base36(number) == digits else None

    def _find_list(self, host: int, name: str, number: int, url: str) -> ListPlace | None:
        sections = self._layout.hosts[host].sections
        if name not in sections:
            return None
        section = sections.index(name)
        is_own = number <= self.list_pages(host, section) and self.section(host, section, number) == url
        return ListPlace(host, section, number) if is_own else None

    def list_pages(self, host: int, section: int) -> int:
        """Return how many pages a section list has, at least one."""
        if self._layout.hosts[host].is_portal:
            entries = len(self._layout.hosts)
        else:
            entries = len(self._layout.section_clusters(host, section))
        return max(1, -(-entries // LIST_LENGTH))

    def _find_file(self, host: int, digits: str, ending: str) -> FilePlace | None:
        page = self._number(digits)
        return FilePlace(page, ending) if page is not None and self.host_of(page) == host else None

    def _find_alias(self, host: int, digits: str, *, has_moved: bool) -> AliasPlace | None:
        page = self._number(digits)
        if page is None or (host != self.host_of(page) and not self._layout.hosts[host].is_portal):
            return None
        return AliasPlace(page, host, has_moved)


TITLE_WORDS: Final = 3
_TOPICAL_SLUG_SHARE: Final = 0.55  # pages with their title in their address
_SHY: Final = 0.6  # of the plain anchors belong to pages that never get any other
_KIND, _TITLE, _ORIGIN = range(200, 203)
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


class PageKind(IntEnum):
    """The kinds of pages."""

    BRIDGE = 0  # an off-topic list of links that leads into islands
    HUB = 1  # a long list of links of its topic
    COPY = 2  # nearly the same text as another page
    STRAY = 3  # about another topic than its cluster
    ORDINARY = 4


# numpy compares with plain integers ten times as fast as with members of an enum.
_BRIDGE, _STRAY = int(PageKind.BRIDGE), int(PageKind.STRAY)


@dataclass(frozen=True, slots=True, eq=False)
class Traits:
    """Columns over some pages."""

    pages: Ints
    clusters: Ints
    kinds: Ints  # as in `PageKind`
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
        """Return the traits of each page; some 30 microseconds a call, and less than half of one for each page."""
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
        """Return the original of a copy: the head of a cluster of the same topic, on any host."""
        topics = self._layout.cluster_topic[page // self._size :][:1]
        fraction = unit(hash_each(np.array([page], dtype=np.int64), self._origin_key))
        return int(self._layout.open_by_topic.pick(topics, fraction)[0]) * self._size

    def _titles(self, randoms: Ints, topics: Ints, is_bridge: NDArray[np.bool_]) -> Ints:
        """Return three words for each page, from its topic's core words or from its jargon."""
        rows = topics + self._lexicon.titles[randoms[3] & 1]
        rows[is_bridge] = self._lexicon.links
        return self._lexicon.table[rows, randoms[:TITLE_WORDS] % COLUMNS].T


def base36(number: int) -> str:
    """Return a number in digits and small letters, as page addresses carry it."""
    digits = ""
    while number >= 36:
        number, rest = divmod(number, 36)
        digits = _DIGITS[rest] + digits
    return _DIGITS[number] + digits
