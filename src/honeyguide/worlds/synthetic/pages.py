"""Write numbered pages, with links, anchors and the words around them, and the pages that only list links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic.hashing import Hashes, Ints, draws, hash_int, of_65536, quarters
from honeyguide.worlds.synthetic.places import FILE_ENDINGS, LIST_LENGTH, PageKind
from honeyguide.worlds.synthetic.prose import (
    CHILDREN,
    MOST_PARAGRAPHS,
    PARAGRAPH,
    PATTERNS,
    LinkChooser,
    ProseWriter,
    mixture_for,
)
from honeyguide.worlds.synthetic.words import CAPITAL, COLUMNS, PLAIN, PLAIN_ANCHORS, STOP, TITLE_FORMS

if TYPE_CHECKING:
    from honeyguide.worlds.synthetic.layout import Host
    from honeyguide.worlds.synthetic.places import Traits
    from honeyguide.worlds.synthetic.trap import WebParts, WebTrap

_TEXT, _OWN = range(300, 302)
_CONTEXT: Final = 8  # words around a link in running text, half on each side
_CONTEXT_FORMS: Final = np.array([CAPITAL, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, PLAIN, STOP])
_CONTEXT_GLUE: Final = np.array([False, True, False, False, True, False, False, False])
_TELLING: Final = of_65536(0.6)  # links in running text whose surroundings speak of the target
_SOURCE_WORDS: Final = of_65536(0.2)  # words around a link that are core words of the page it stands on
_CHANGED_WORDS: Final = 4  # words in which a near-duplicate differs
_MOST_LINKS: Final = 120
_FINE, _DEAD, _REDIRECT, _FILE = range(4)


class PageWriter:
    """Computes the HTML of any numbered page from its number."""

    def __init__(self, web: WebParts, trap: WebTrap) -> None:
        self._layout, self._lexicon, self._traits, self._addresses, self._chrome = web
        self._trap = trap
        self._links = LinkChooser(web.layout)
        self._prose = ProseWriter(web.lexicon)
        self._text_key, self._own_key = web.layout.key(_TEXT), web.layout.key(_OWN)
        spec = web.layout.spec
        # What is plain because its target is shy comes on top of these.
        self._anchor_edges = np.cumsum(
            [of_65536(spec.misleading_anchor_share), of_65536(spec.plain_anchor_share * 0.5)]
        )
        self._fate_edges = np.cumsum(
            [of_65536(1.0 - spec.dead_share - spec.redirect_share - spec.file_share)]
            + [of_65536(share) for share in (spec.dead_share, spec.redirect_share)]
        )

    def write(self, own: Traits) -> bytes:
        """Return the HTML of the one page that `own` describes; about a fifth of a millisecond."""
        page, topic, kind = int(own.pages[0]), int(own.topics[0]), PageKind(int(own.kinds[0]))
        source = self._traits.original(page) if kind is PageKind.COPY else page
        is_list = kind in (PageKind.BRIDGE, PageKind.HUB)
        draw = hash_int(self._text_key, source)
        words, links = self._sizes(draw, is_list=is_list)
        slots = links + CHILDREN
        randoms = draws(draw, words + slots * (3 + _CONTEXT))
        paragraphs = self._paragraphs(randoms[:words], draw, topic, page if kind is PageKind.COPY else None)
        choices, fates, anchors = randoms[words : words + 3 * slots].reshape(3, slots)
        contexts = randoms[words + 3 * slots :].reshape(slots, _CONTEXT)
        chosen = self._links.choose(source, topic, kind, choices[:links])
        children = np.array(self._links.children(page), dtype=np.int64)  # a copy has its own
        found = self._traits.of(np.concatenate((chosen, children)))
        used = len(found.pages)
        rolls = quarters(anchors[:used])
        shown = _Links(
            urls=self._urls(found, fates[:used], links),
            anchors=self._anchors(found, topic, rolls),
            around=self._contexts(found, topic, rolls[3], quarters(contexts[:used])),
        )
        main = _assemble(paragraphs, shown, 0 if is_list else links * 4 // 5) + self._trap.under(page)
        title = " ".join(self._lexicon.spell(own.titles[0], TITLE_FORMS))
        return self._chrome.wrap(self._addresses.host_of(page), title, main)

    def _sizes(self, draw: int, *, is_list: bool) -> tuple[int, int]:
        """Return how many words and links a page has: both vary, and the number of links has a heavy tail."""
        spec = self._layout.spec
        words = spec.mean_words * (0.35 + 0.9 * ((draw >> 40) & 0xFF) / 256) / (3 if is_list else 1)
        paragraphs = min(MOST_PARAGRAPHS, 1 + int(words / PARAGRAPH))
        tail = 1.0 / (1.0 - ((draw >> 48) & 0xFFFF) / 65537)
        links = max(2, int(spec.mean_links * 0.5 * tail**0.5)) * (3 if is_list else 1)
        return paragraphs * PARAGRAPH, min(_MOST_LINKS, links)

    def _paragraphs(self, randoms: Hashes, draw: int, topic: int, copy: int | None) -> list[str]:
        """Return the running text; a copy differs from its original in a few words."""
        pattern = draw % PATTERNS
        mixture = mixture_for(
            topic, (draw >> 20) % self._layout.no_topic, hash_int(draw), no_topic=self._layout.no_topic
        )
        words = self._prose.words(randoms, mixture, pattern)
        if copy is not None:
            changes = draws(hash_int(self._own_key, copy), _CHANGED_WORDS)
            places = (changes % np.uint64(len(words))).astype(np.int64)
            words[places] = self._lexicon.table[self._lexicon.general, quarters(changes)[3] % COLUMNS]
        return self._prose.paragraphs(words, pattern)

    def _urls(self, found: Traits, fates: Hashes, chosen: int) -> list[str]:
        """Return where each link really points: the page, a former address of it, a file beside it, or nowhere."""
        urls = self._addresses.pages(found)
        fate = self._fate_edges.searchsorted(quarters(fates)[0], side="right")
        for slot in np.flatnonzero(fate).tolist():
            page, draw = int(found.pages[slot]), int(fates[slot]) >> 16
            host = self._addresses.host_of(page)
            if fate[slot] == _REDIRECT:
                by_portal = draw % 4 == 0
                urls[slot] = self._addresses.alias(page, draw % self._layout.spec.portals if by_portal else host)
            elif slot >= chosen:
                continue  # what hangs from a page stays reachable
            elif fate[slot] == _DEAD:
                urls[slot] = f"{urls[slot].removesuffix('.html')}-old"
            else:
                urls[slot] = self._addresses.file(page, host, FILE_ENDINGS[draw % len(FILE_ENDINGS)])
        return urls

    def _anchors(self, found: Traits, topic: int, randoms: Ints) -> list[str]:
        """Return the anchors: words of the target's title, words of another topic, or nothing in particular."""
        kind, phrase, _, extra = randoms
        kinds = self._anchor_edges.searchsorted(kind, side="right")
        words = np.where((kinds == 0)[:, None], self._misleading(found.topics, topic, randoms), found.titles)
        is_plain = ((kinds == 1) | found.is_shy).tolist()
        lengths = (2 + (extra & 1)).tolist()
        spelled = self._lexicon.spell(words, PLAIN)
        phrases = (phrase % len(PLAIN_ANCHORS)).tolist()
        return [
            PLAIN_ANCHORS[phrase] if plain else " ".join(title[:length])
            for title, plain, length, phrase in zip(spelled, is_plain, lengths, phrases, strict=True)
        ]

    def _misleading(self, targets: Ints, topic: int, randoms: Ints) -> Ints:
        """Return words that say little of the target: of the page's own topic, of any other, or ambiguous ones."""
        _, first, second, _ = randoms
        promised = (targets + second) % self._layout.no_topic
        if topic != self._layout.no_topic:
            promised[first & 1 == 0] = topic
        promised[second & 3 == 0] = self._lexicon.shared
        return self._lexicon.table[promised, randoms[1:] % COLUMNS].T

    def _contexts(self, found: Traits, topic: int, telling: Ints, randoms: Ints) -> list[list[str]]:
        """Return the words around each link: often a jargon that belongs to where it leads."""
        lexicon = self._lexicon
        kind, column, _, _ = randoms
        rows = np.where(telling < _TELLING, lexicon.around + found.topics, lexicon.general)[:, None]
        rows = np.where(kind < _SOURCE_WORDS, topic, rows)
        rows[:, _CONTEXT_GLUE] = lexicon.glue
        return lexicon.spell(lexicon.table[rows, column % COLUMNS], _CONTEXT_FORMS)


@dataclass(frozen=True, slots=True)
class _Links:
    """The links of a page, in order: the address of each, its anchor and the words around it."""

    urls: list[str]
    anchors: list[str]
    around: list[list[str]]

    def sentence(self, number: int) -> str:
        words = self.around[number]
        half = _CONTEXT // 2
        return f"{' '.join(words[:half])} {self._tag(number)} {' '.join(words[half:])}"

    def item(self, number: int) -> str:
        """Return an entry of a list; every other one has a few words beside it."""
        return f"<li>{self._tag(number)} {' '.join(self.around[number][1:4]) if number % 2 else ''}</li>"

    def _tag(self, number: int) -> str:
        return f'<a href="{self.urls[number]}">{self.anchors[number]}</a>'


def _assemble(paragraphs: list[str], links: _Links, inline: int) -> str:
    """Paragraphs with the first `inline` links in their sentences, then a list of the other links."""
    parts: list[str] = []
    taken = 0
    for number, paragraph in enumerate(paragraphs, 1):
        until = inline * number // len(paragraphs)
        sentences = [paragraph, *map(links.sentence, range(taken, until))]
        parts.append(f"<p>{' '.join(sentences)}</p>")
        taken = until
    return "\n".join([*parts, "<ul>", *map(links.item, range(inline, len(links.urls))), "</ul>"])


_HOME_LINKS: Final = 15
_ENTRY_LINKS: Final = 60  # pages of all kinds that a portal's front page shows
_FRONT = 400


class ListWriter:
    """Computes the HTML of lists of links."""

    def __init__(self, web: WebParts, trap: WebTrap) -> None:
        self._layout, self._lexicon, self._traits, self._addresses, self._chrome = web
        self._trap = trap

    def home(self, host: int) -> bytes:
        """Return a home page: the sections, and some of what is in them."""
        site = self._layout.hosts[host]
        entries = [(f"/{section}/", section.title()) for section in site.sections]
        entries += self._title_entries(self._front(host) if site.is_portal else self._heads(host))
        return self._page(host, "Welcome to this site", entries, self._trap.on_portal(host) if site.is_portal else "")

    def section(self, host: int, section: int, number: int) -> bytes:
        """Return one page of a section list or directory, and the way to the next."""
        site = self._layout.hosts[host]
        window = slice((number - 1) * LIST_LENGTH, number * LIST_LENGTH)
        if site.is_portal:
            entries = [(f"http://{other.name}/", other.name) for other in self._directory(host, section)[window]]
        else:
            clusters = self._layout.section_clusters(host, section)[window]
            entries = self._title_entries(clusters * self._layout.spec.cluster_pages)
        if number < self._addresses.list_pages(host, section):
            entries.append((self._addresses.section(host, section, number + 1), "Next page"))
        return self._page(host, f"{site.sections[section].title()}, page {number}", entries)

    def _heads(self, host: int) -> Ints:
        clusters = self._layout.open_by_host.members(host)[:_HOME_LINKS]
        return np.asarray(clusters * self._layout.spec.cluster_pages)

    def _front(self, portal: int) -> Ints:
        """Return the pages on a portal's front page: heads of clusters from all over the web."""
        numbers = self._layout.hash_each(np.arange(_ENTRY_LINKS), _FRONT, portal)
        places = (numbers % np.uint64(len(self._layout.open_clusters))).astype(np.int64)
        return np.asarray(self._layout.open_clusters[places] * self._layout.spec.cluster_pages)

    def _directory(self, portal: int, section: int) -> list[Host]:
        """Return all hosts, in an order of its own for each section of each portal."""
        order = self._layout.hash_each(np.arange(len(self._layout.hosts)), _FRONT, portal, section).argsort()
        return [self._layout.hosts[number] for number in order.tolist()]

    def _title_entries(self, pages: Ints) -> list[tuple[str, str]]:
        if not len(pages):
            return []
        traits = self._traits.of(pages)
        titles = self._lexicon.spell(traits.titles, TITLE_FORMS)
        return [(url, " ".join(title)) for url, title in zip(self._addresses.pages(traits), titles, strict=True)]

    def _page(self, host: int, title: str, entries: list[tuple[str, str]], end: str = "") -> bytes:
        items = "\n".join(f'<li><a href="{url}">{anchor}</a></li>' for url, anchor in entries)
        return self._chrome.wrap(host, title, f"<ul>\n{items}\n</ul>{end}")
