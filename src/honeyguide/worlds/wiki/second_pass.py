"""The second pass over the articles: links resolved, pages rendered and stored, degrees counted."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash
import zstandard

from honeyguide.worlds.wiki.first_pass import keys_of
from honeyguide.worlds.wiki.wikitext import LINK_ANCHOR, LINK_END, LINK_START

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.worlds.wiki.first_pass import GatheredWiki, KeyTable
    from honeyguide.worlds.wiki.pagelinks import PageLinks
    from honeyguide.worlds.wiki.titles import TitleRules

_OPEN_LINK = re.compile(f"{LINK_START}(\\d+){LINK_ANCHOR}([^{LINK_START}-{LINK_END}]*){LINK_END}")
_BROKEN_LINK = re.compile(f"{LINK_START}\\d*{LINK_ANCHOR}?|[{LINK_ANCHOR}{LINK_END}]")
NOWHERE: Final = -1


class ArticleRenderer:
    """Writes pages. `title_of` and `path_of` tell of an article by its number."""

    def __init__(self, title_of: Callable[[int], str], path_of: Callable[[int], str]) -> None:
        self._title_of = title_of
        self._path_of = path_of

    def body(self, html: str, targets: Sequence[int]) -> tuple[str, set[int]]:
        """Return `html` with its links closed, and the articles they lead to.

        `targets` are the articles that the open links number, `NOWHERE` for one that becomes plain text.
        """
        linked: set[int] = set()

        def closed(match: re.Match[str]) -> str:
            target, anchor = targets[int(match[1])], match[2]
            if target == NOWHERE:
                return anchor
            linked.add(target)
            return f'<a href="{self._path_of(target)}">{anchor.strip() or escape(self._title_of(target))}</a>'

        body = _OPEN_LINK.sub(closed, html)
        if LINK_START in body or LINK_ANCHOR in body or LINK_END in body:
            body = _BROKEN_LINK.sub("", body)
        return body, linked

    def page(self, number: int, body: str, further: Sequence[int] = ()) -> str:
        """Return the whole page of an article; links to `further` articles follow in a list at its end."""
        title = escape(self._title_of(number))
        return (
            f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>{title}</title></head>'
            f"<body><h1>{title}</h1>\n{body}\n{self._render_list(further)}</body></html>"
        )

    def _render_list(self, articles: Sequence[int]) -> str:
        items = [f'<li><a href="{self._path_of(one)}">{escape(self._title_of(one))}</a></li>' for one in articles]
        return "\n".join(["<ul>", *items, "</ul>\n"]) if items else ""


_DICTIONARY_BYTES: Final = 64 * 1024
_DICTIONARY_PAGES: Final = 1000
_FEWEST_FOR_A_DICTIONARY: Final = 200
_COMPRESSION: Final = 3  # three times as fast as 6, for a file 5% larger; the dictionary takes off 12%
_TITLES_REMEMBERED: Final = 1 << 17
_PAGES_IN_A_TRANSACTION: Final = 1000
_PATH_START: Final = len("https://")


class WikiWriter:
    """Writes every article that was gathered, in order. Memory: 8 bytes a page, and the titles met last."""

    def __init__(
        self,
        world: sqlite3.Connection,
        gathered: GatheredWiki,
        titles: KeyTable,
        rules: TitleRules,
        links: PageLinks | None,
    ) -> None:
        self._world = world
        self._gathered = gathered
        self._titles = titles
        self._page_links = links
        self._renderer = ArticleRenderer(
            lru_cache(_TITLES_REMEMBERED)(self._title_of),
            lru_cache(_TITLES_REMEMBERED)(lambda number: _escaped_path(rules.address(self._title_of(number)))),
        )
        self.in_degrees = np.zeros(gathered.article_count, dtype="<u4")
        self.out_degrees = np.zeros(gathered.article_count, dtype="<u4")
        self.dropped: Counter[str] = Counter()
        self._dictionary = b""
        self._fingerprint = xxhash.xxh3_128()

    def run(self, progress: Callable[[int], None]) -> None:
        packer = self._make_packer()
        for number, html, named in self._gathered.articles():
            page, targets = self._render(number, html, named, self.dropped)
            self._world.execute("INSERT INTO bodies VALUES (?, ?)", (number, packer.compress(page)))
            self._world.execute("INSERT INTO links VALUES (?, ?)", (number, targets.tobytes()))
            self.out_degrees[number] = len(targets)
            self.in_degrees[targets] += np.uint32(1)
            self._fingerprint.update(page)
            if number % _PAGES_IN_A_TRANSACTION == 0:
                self._world.execute("COMMIT")
                self._world.execute("BEGIN")
                progress(number)
        self._world.execute("COMMIT")

    def facts(self) -> dict[str, Any]:
        """Return facts of the whole that a reader would otherwise have to work out."""
        return {
            "entry": int(np.argmax(self.in_degrees.astype(np.int64) * self.out_degrees)),
            "in_degrees": self.in_degrees.tobytes(),
            "out_degrees": self.out_degrees.tobytes(),
            "dictionary": self._dictionary,
            "fingerprint": self._fingerprint.hexdigest(),
        }

    def _render(
        self, number: int, html: str, named: list[str], dropped: Counter[str]
    ) -> tuple[bytes, NDArray[np.uint32]]:
        """Return the page, and the distinct articles it links to, ascending."""
        found = self._titles.numbers_of(keys_of(named))
        dropped["links out of the collection"] += int((found == NOWHERE).sum())
        dropped["links to the page itself"] += int((found == number).sum())
        found[found == number] = NOWHERE
        listed: list[int] = []
        if self._page_links is not None:
            listed = self._page_links.targets_of(number)
            found[~np.isin(found, listed)] = NOWHERE
        body, linked = self._renderer.body(html, found.tolist())
        further = sorted(set(listed) - linked)
        targets = np.array(sorted(linked.union(further)), dtype="<u4")
        return self._renderer.page(number, body, further).encode(), targets

    def _make_packer(self) -> zstandard.ZstdCompressor:
        """Make the compressor of single pages; it has a dictionary where there are enough pages to learn one from."""
        if self._gathered.article_count < _FEWEST_FOR_A_DICTIONARY:
            return zstandard.ZstdCompressor(level=_COMPRESSION)
        samples: list[bytes | bytearray | memoryview[int]] = [
            self._render(*one, Counter())[0] for one in self._gathered.some_articles(_DICTIONARY_PAGES)
        ]
        dictionary = zstandard.train_dictionary(_DICTIONARY_BYTES, samples)
        self._dictionary = dictionary.as_bytes()
        return zstandard.ZstdCompressor(level=_COMPRESSION, dict_data=dictionary)

    def _title_of(self, number: int) -> str:
        (title,) = self._world.execute("SELECT title FROM pages WHERE number = ?", (number,)).fetchone()
        return str(title)


def _escaped_path(address: str) -> str:
    return address[address.index("/", _PATH_START) :].replace("&", "&amp;")
