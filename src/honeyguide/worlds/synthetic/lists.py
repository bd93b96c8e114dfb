"""Writes the pages that only point elsewhere: home pages, section lists, and the portals' directories of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.worlds.synthetic.addressing import LIST_LENGTH, AddressBook
from honeyguide.worlds.synthetic.lexicon import TITLE_FORMS, Lexicon

if TYPE_CHECKING:
    from honeyguide.worlds.synthetic.chrome import Chrome
    from honeyguide.worlds.synthetic.hashing import Ints
    from honeyguide.worlds.synthetic.layout import Host, Layout
    from honeyguide.worlds.synthetic.traits import TraitTable
    from honeyguide.worlds.synthetic.traps import Mentions

_HOME_LINKS: Final = 15
_ENTRY_LINKS: Final = 60  # pages of all kinds that a portal's front page shows
_FRONT = 400


class ListWriter:
    """Computes the HTML of lists of links."""

    def __init__(
        self,
        layout: Layout,
        lexicon: Lexicon,
        traits: TraitTable,
        addresses: AddressBook,
        chrome: Chrome,
        mentions: Mentions,
    ) -> None:
        self._layout = layout
        self._lexicon = lexicon
        self._traits = traits
        self._addresses = addresses
        self._chrome = chrome
        self._mentions = mentions

    def home(self, host: int) -> bytes:
        """A home page: the sections, and some of what is in them."""
        site = self._layout.hosts[host]
        entries = [(f"/{section}/", section.title()) for section in site.sections]
        entries += self._titled(self._front(host) if site.is_portal else self._heads(host))
        return self._page(
            host, "Welcome to this site", entries, self._mentions.on_portal(host) if site.is_portal else ""
        )

    def section(self, host: int, section: int, number: int) -> bytes:
        """One page of a section list or directory, and the way to the next."""
        site = self._layout.hosts[host]
        window = slice((number - 1) * LIST_LENGTH, number * LIST_LENGTH)
        if site.is_portal:
            entries = [(f"http://{other.name}/", other.name) for other in self._directory(host, section)[window]]
        else:
            clusters = self._layout.section_clusters(host, section)[window]
            entries = self._titled(clusters * self._layout.spec.cluster_pages)
        if number < self._addresses.list_pages(host, section):
            entries.append((self._addresses.section(host, section, number + 1), "Next page"))
        return self._page(host, f"{site.sections[section].title()}, page {number}", entries)

    def _heads(self, host: int) -> Ints:
        clusters = self._layout.open_by_host.members(host)[:_HOME_LINKS]
        return np.asarray(clusters * self._layout.spec.cluster_pages)

    def _front(self, portal: int) -> Ints:
        """What a portal shows on its front page: heads of clusters from all over the web."""
        numbers = self._layout.hash_each(np.arange(_ENTRY_LINKS), _FRONT, portal)
        places = (numbers % np.uint64(len(self._layout.open_clusters))).astype(np.int64)
        return np.asarray(self._layout.open_clusters[places] * self._layout.spec.cluster_pages)

    def _directory(self, portal: int, section: int) -> list[Host]:
        """All hosts, in an order of its own for each section of each portal."""
        order = self._layout.hash_each(np.arange(len(self._layout.hosts)), _FRONT, portal, section).argsort()
        return [self._layout.hosts[number] for number in order.tolist()]

    def _titled(self, pages: Ints) -> list[tuple[str, str]]:
        if not len(pages):
            return []
        traits = self._traits.of(pages)
        titles = self._lexicon.spell(traits.titles, TITLE_FORMS)
        return [(url, " ".join(title)) for url, title in zip(self._addresses.pages(traits), titles, strict=True)]

    def _page(self, host: int, title: str, entries: list[tuple[str, str]], end: str = "") -> bytes:
        items = "\n".join(f'<li><a href="{url}">{anchor}</a></li>' for url, anchor in entries)
        return self._chrome.wrap(host, title, f"<ul>\n{items}\n</ul>{end}")
