"""The second pass over the articles: links resolved, pages rendered and stored, degrees counted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash
import zstandard

from honeyguide.worlds.wiki.first_pass import KeyTable, keys_of, unpack_article
from honeyguide.worlds.wiki.titles import TitleRules
from honeyguide.worlds.wiki.wikitext import LINK_ANCHOR, LINK_END, LINK_START
from honeyguide.worlds.wiki.world import open_scratch

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.processes import WorkerPool
    from honeyguide.worlds.wiki.titles import SiteInfo

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
_DICTIONARY_FILE: Final = "dictionary"
_COMPRESSION: Final = 3  # three times as fast as 6, for a file 5% larger; the dictionary takes off 12%
_BATCH_ARTICLES: Final = 500
_PATH_START: Final = len("https://")


@dataclass(frozen=True, slots=True)
class ArticleBatch:
    """Articles to be rendered from what the first pass left in the folder `scratch`."""

    scratch: Path
    site: SiteInfo
    numbers: range
    has_page_links: bool


@dataclass(frozen=True, slots=True)
class RenderedBatch:
    """Articles as the world keeps them, in order."""

    bodies: list[tuple[int, bytes]]
    links: list[tuple[int, bytes]]  # distinct articles, ascending
    fingerprint: bytes  # of the pages
    dropped: Counter[str]


def render_pages(batch: ArticleBatch) -> list[bytes]:
    """Render pages, in whatever process this is."""
    with BatchRenderer(batch) as renderer:
        return [page for page, _ in renderer.pages()]


def pack_pages(batch: ArticleBatch) -> RenderedBatch:
    """Render pages and compress each."""
    dictionary = batch.scratch / _DICTIONARY_FILE
    words = zstandard.ZstdCompressionDict(dictionary.read_bytes()) if dictionary.exists() else None
    packer = zstandard.ZstdCompressor(level=_COMPRESSION, dict_data=words)
    fingerprint = xxhash.xxh3_128()
    bodies: list[tuple[int, bytes]] = []
    links: list[tuple[int, bytes]] = []
    with BatchRenderer(batch) as renderer:
        for number, (page, targets) in zip(batch.numbers, renderer.pages(), strict=True):
            bodies.append((number, packer.compress(page)))
            links.append((number, targets.tobytes()))
            fingerprint.update(page)
        return RenderedBatch(bodies, links, fingerprint.digest(), renderer.dropped)


class BatchRenderer:
    """Renders articles with the links between them closed."""

    def __init__(self, batch: ArticleBatch) -> None:
        rules = TitleRules(batch.site)
        self._batch = batch
        self._scratch = open_scratch(batch.scratch)
        self._titles = KeyTable.open(batch.scratch)
        self._renderer = ArticleRenderer(
            lru_cache(None)(self._title_of),
            lru_cache(None)(lambda number: _escaped_path(rules.address(self._title_of(number)))),
        )
        self.dropped: Counter[str] = Counter()

    def pages(self) -> Iterator[tuple[bytes, NDArray[np.uint32]]]:
        """Yield each page, and the distinct articles it links to, ascending."""
        for number in self._batch.numbers:
            (packed,) = self._scratch.execute("SELECT packed FROM articles WHERE number = ?", (number,)).fetchone()
            yield self._render(number, *unpack_article(packed))

    def _render(self, number: int, html: str, named: list[str]) -> tuple[bytes, NDArray[np.uint32]]:
        found = self._titles.numbers_of(keys_of(named))
        self.dropped["links out of the collection"] += int((found == NOWHERE).sum())
        self.dropped["links to the page itself"] += int((found == number).sum())
        found[found == number] = NOWHERE
        listed: list[int] = []
        if self._batch.has_page_links:
            rows = self._scratch.execute("SELECT target FROM edges WHERE source = ? ORDER BY target", (number,))
            listed = [target for (target,) in rows]
            found[~np.isin(found, listed)] = NOWHERE
        body, linked = self._renderer.body(html, found.tolist())
        further = sorted(set(listed) - linked)
        targets = np.array(sorted(linked.union(further)), dtype="<u4")
        return self._renderer.page(number, body, further).encode(), targets

    def _title_of(self, number: int) -> str:
        (title,) = self._scratch.execute("SELECT title FROM articles WHERE number = ?", (number,)).fetchone()
        return str(title)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scratch.close()


class WikiWriter:
    """Writes every article that was gathered, in order. Memory: 8 bytes a page."""

    def __init__(self, world: sqlite3.Connection, articles: ArticleBatch, workers: WorkerPool) -> None:
        """Take all articles as one batch."""
        count = len(articles.numbers)
        self._world = world
        self._articles = articles
        self._workers = workers
        self.in_degrees = np.zeros(count, dtype="<u4")
        self.out_degrees = np.zeros(count, dtype="<u4")
        self.dropped: Counter[str] = Counter()
        self._dictionary = b""
        self._fingerprint = xxhash.xxh3_128()

    def run(self, progress: Callable[[int], None]) -> None:
        self._make_dictionary()
        for batch in self._workers.map(pack_pages, self._batches(self._articles.numbers)):
            progress(batch.bodies[0][0])
            self._world.executemany("INSERT INTO bodies VALUES (?, ?)", batch.bodies)
            self._world.executemany("INSERT INTO links VALUES (?, ?)", batch.links)
            self._world.execute("COMMIT")
            self._world.execute("BEGIN")
            for number, packed in batch.links:
                targets = np.frombuffer(packed, dtype="<u4")
                self.out_degrees[number] = len(targets)
                self.in_degrees[targets] += np.uint32(1)
            self._fingerprint.update(batch.fingerprint)
            self.dropped += batch.dropped
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

    def _batches(self, numbers: range) -> Iterator[ArticleBatch]:
        for start in range(0, len(numbers), _BATCH_ARTICLES):
            yield replace(self._articles, numbers=numbers[start : start + _BATCH_ARTICLES])

    def _make_dictionary(self) -> None:
        """Learn what pages have in common, for the compressor of single pages, where there are enough of them."""
        count = len(self._articles.numbers)
        if count < _FEWEST_FOR_A_DICTIONARY:
            return
        some = self._articles.numbers[:: max(1, count // _DICTIONARY_PAGES)]
        samples: list[bytes | bytearray | memoryview[int]] = [
            page for pages in self._workers.map(render_pages, self._batches(some)) for page in pages
        ]
        self._dictionary = zstandard.train_dictionary(_DICTIONARY_BYTES, samples).as_bytes()
        (self._articles.scratch / _DICTIONARY_FILE).write_bytes(self._dictionary)


def _escaped_path(address: str) -> str:
    return address[address.index("/", _PATH_START) :].replace("&", "&amp;")
