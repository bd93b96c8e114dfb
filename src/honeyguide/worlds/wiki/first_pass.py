"""The first pass over a dump: every article without its markup, every redirect, every label; no link resolved yet.

A title is kept in 12 bytes: 64-bit keys, sorted, beside the numbers of the articles they stand for. With the 17 million
titles of the English Wikipedia that is 200 MB, where a dictionary of strings takes several gigabytes. The key of a
title is its hash; numbers of a dump's own (of pages, of link targets) are keys as they are. Two titles of one dump
share a key with a probability of about one in 100,000.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash
import zstandard
from numpy.typing import NDArray

from honeyguide.errors import InvalidUrl
from honeyguide.model import Url
from honeyguide.worlds.wiki.dump import BrokenDump
from honeyguide.worlds.wiki.titles import ARTICLES, REDIRECT_WORDS, SiteInfo, TitleRules
from honeyguide.worlds.wiki.wikitext import Converter

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from honeyguide.processes import WorkerPool
    from honeyguide.worlds.wiki.dump import Dump, DumpPage

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]


def key_of(title: str) -> int:
    return xxhash.xxh3_64_intdigest(title.encode("utf-8", "surrogatepass"))


def keys_of(titles: Iterable[str]) -> Keys:
    return np.fromiter(map(key_of, titles), dtype=np.uint64)


def _as_keys(column: array[int]) -> Keys:
    return np.frombuffer(column, dtype=np.uint64) if column else np.empty(0, dtype=np.uint64)


_TABLE_FILES: Final = ("keys.npy", "numbers.npy")


class KeyTable:
    """Looks up many keys at once. Does not change; the keys are sorted."""

    def __init__(self, keys: Keys, numbers: NDArray[np.int32]) -> None:
        self._keys = keys
        self._numbers = numbers

    @classmethod
    def of(cls, keys: Keys, numbers: NDArray[np.int32]) -> KeyTable:
        """Return a table of keys in any order; of equal keys the first counts."""
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], numbers[order])

    @classmethod
    def in_order(cls, keys: Keys) -> KeyTable:
        """Return a table that numbers keys from 0 in the order given."""
        return cls.of(keys, np.arange(len(keys), dtype=np.int32))

    @classmethod
    def open(cls, folder: Path) -> KeyTable:
        """Return a table that was saved. It stays on disk; processes share what the system keeps of it in memory."""
        return cls(*(np.load(folder / name, mmap_mode="r") for name in _TABLE_FILES))

    def save(self, folder: Path) -> None:
        keys, numbers = _TABLE_FILES
        np.save(folder / keys, self._keys)
        np.save(folder / numbers, self._numbers)

    def with_redirects(self, keys: Keys, ends: Numbers) -> KeyTable:
        """Add redirects, each under the number of the article where it ends; -1 leaves one out."""
        kept = ends >= 0
        return KeyTable.of(
            np.concatenate((self._keys, keys[kept])),
            np.concatenate((self._numbers, ends[kept].astype(np.int32))),
        )

    def numbers_of(self, keys: Keys) -> Numbers:
        """Return the number of each title, -1 for one that is not there."""
        if not len(self._keys) or not len(keys):
            return np.full(len(keys), -1, dtype=np.int64)
        slots = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[slots] == keys, self._numbers[slots], -1).astype(np.int64)


_REDIRECT = re.compile(rf"\s*#\s*(?:{'|'.join(REDIRECT_WORDS)})[\s:]*\[\[([^\[\]|\n]+)", re.IGNORECASE)


def redirect_target(wikitext: str) -> str | None:
    """Return the title that a page redirects to by its text, as it is written there; None where it does not."""
    found = _REDIRECT.match(wikitext)
    return found[1] if found is not None else None


def resolve(own: Keys, targets: Keys, articles: KeyTable) -> tuple[Numbers, NDArray[np.bool_]]:
    """Return where each redirect ends, the number of an article or -1, and whether it runs in a circle.

    `own` and `targets` are keys of titles. Every round doubles the length of the hops, so that the longest chain
    takes as many rounds as its length has binary digits.
    """
    count = len(own)
    if not count:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.bool_)
    order = np.argsort(own, kind="stable")
    slots = np.minimum(np.searchsorted(own[order], targets), count - 1)
    candidates = order[slots]
    leads_on = own[candidates] == targets
    after_one = np.where(leads_on, candidates, np.arange(count))
    last = after_one
    for _ in range(count.bit_length() + 1):
        further = last[last]
        if np.array_equal(further, last):
            break
        last = further
    is_circle = leads_on[last]
    ends = articles.numbers_of(targets[last])
    ends[is_circle] = -1
    return ends, is_circle


_SEPARATOR: Final = "\x00"
_BATCH_PAGES: Final = 500
_BATCH_CHARACTERS: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class PageBatch:
    """Pages of a dump to be converted, and what must be known for that."""

    site: str  # as JSON
    sampled_below: float  # the articles that are kept have a smaller hash
    seed: int
    pages: list[DumpPage]


@dataclass(frozen=True, slots=True)
class GatheredPage:
    """A page of a dump without its markup. Only an article has `packed`, only a redirect `target_key`."""

    kind: str  # article, redirect or other
    title: str = ""
    unusable: str = ""  # why it is left out
    page_id: int = 0
    target_key: int = 0
    packed: bytes = b""
    categories: tuple[str, ...] = ()
    dropped_links: Mapping[str, int] = field(default_factory=dict)


def convert_pages(batch: PageBatch) -> list[GatheredPage]:
    """Convert pages, in whatever process this is."""
    converter = _converter_for(batch.site)
    return [converter.convert(page, batch.sampled_below, batch.seed) for page in batch.pages]


@lru_cache(1)
def _converter_for(site: str) -> _PageConverter:
    return _PageConverter(TitleRules(SiteInfo(**json.loads(site))))


class _PageConverter:
    """Converts the pages of one wiki."""

    def __init__(self, rules: TitleRules) -> None:
        self._rules = rules
        self._converter = Converter(rules)
        self._packer = zstandard.ZstdCompressor(level=1)

    def convert(self, page: DumpPage, sampled_below: float, seed: int) -> GatheredPage:
        rules = self._rules
        namespace = rules.namespace_of(page.title) if page.namespace is None else page.namespace
        if namespace != ARTICLES:
            return GatheredPage("other")
        title = rules.normalise(page.title)
        leads_to = page.redirect or redirect_target(page.text)
        kind = "article" if leads_to is None else "redirect"
        if not title or not _is_addressable(rules.address(title)):
            return GatheredPage(kind, unusable="unusable titles")
        if leads_to is not None:
            return GatheredPage(kind, title, target_key=key_of(rules.article(leads_to)))
        if xxhash.xxh3_64_intdigest(title.encode(), seed=seed) >= sampled_below:
            return GatheredPage(kind, unusable="not in the sample")
        article = self._converter.convert(page.text)
        text = _SEPARATOR.join([article.html, *article.targets]).encode("utf-8", "replace")
        return GatheredPage(
            kind,
            title,
            page_id=page.page_id,
            packed=self._packer.compress(text),
            categories=article.categories,
            dropped_links=article.dropped_links,
        )


def unpack_article(packed: bytes) -> tuple[str, list[str]]:
    """Return the HTML with open links, and the titles those lead to."""
    html, *targets = zstandard.decompress(packed).decode().split(_SEPARATOR)
    return html, targets


class GatheredWiki:
    """The result of the first pass: most of it in two databases, 16 bytes a title in memory.

    The world's own database has titles and labels; `scratch` has the articles until they are rendered.
    """

    def __init__(self, world: sqlite3.Connection, scratch: sqlite3.Connection, sample: float, seed: int) -> None:
        self._world = world
        self._scratch = scratch
        self._sampled_below = sample * 2.0**64
        self._seed = seed
        self._article_keys = array("Q")
        self._page_ids = array("Q")
        self._redirect_keys = array("Q")
        self._target_keys = array("Q")
        self.dropped: Counter[str] = Counter()  # by reason
        self.dump_pages: Counter[str] = Counter()  # by kind
        scratch.execute("CREATE TABLE articles (number INTEGER PRIMARY KEY, title TEXT, packed BLOB)")
        scratch.execute("CREATE TABLE redirects (number INTEGER PRIMARY KEY, title TEXT)")

    @property
    def article_count(self) -> int:
        return len(self._article_keys)

    def read(self, dump: Dump, workers: WorkerPool, progress: Callable[[], None]) -> None:
        """Read every page of a dump. What came before an error is kept."""
        trouble: list[BrokenDump] = []
        for pages in workers.map(convert_pages, self._batches(dump, trouble)):
            self._commit()
            progress()
            for page in pages:
                self._add(page)
        for error in trouble:
            raise error

    def _batches(self, dump: Dump, trouble: list[BrokenDump]) -> Iterator[PageBatch]:
        """Yield every whole page; the error that ended the dump, if one did, goes to `trouble`."""
        pages: list[DumpPage] = []
        characters = 0
        source = dump.pages()
        while True:
            try:
                page = next(source, None)
            except BrokenDump as error:
                trouble.append(error)
                page = None
            if pages and (page is None or len(pages) == _BATCH_PAGES or characters > _BATCH_CHARACTERS):
                yield PageBatch(json.dumps(asdict(dump.site)), self._sampled_below, self._seed, pages)
                pages, characters = [], 0
            if page is None:
                return
            pages.append(page)
            characters += len(page.text)

    def end(self) -> KeyTable:
        """Number every redirect by where it ends; return the table that resolves links."""
        articles = KeyTable.in_order(_as_keys(self._article_keys))
        keys = _as_keys(self._redirect_keys)
        ends, is_circle = resolve(keys, _as_keys(self._target_keys), articles)
        self.dropped["redirects in a circle"] = int(is_circle.sum())
        self.dropped["redirects to nowhere"] = int((ends < 0).sum()) - int(is_circle.sum())
        titles = self._scratch.execute("SELECT title FROM redirects ORDER BY number")
        self._world.executemany(
            "INSERT OR IGNORE INTO redirects VALUES (?, ?)",
            ((title, end) for (title,), end in zip(titles, ends.tolist(), strict=True) if end >= 0),
        )
        self._commit()
        return articles.with_redirects(keys, ends)

    def numbers_by_page_id(self) -> KeyTable:
        return KeyTable.in_order(_as_keys(self._page_ids))

    def _add(self, page: GatheredPage) -> None:
        self.dump_pages[page.kind] += 1
        if page.unusable:
            self.dropped[page.unusable] += 1
        elif page.kind == "redirect":
            self._add_redirect(page)
        elif page.kind == "article":
            self._add_article(page)

    def _add_redirect(self, page: GatheredPage) -> None:
        self._scratch.execute("INSERT INTO redirects VALUES (?, ?)", (len(self._redirect_keys), page.title))
        self._redirect_keys.append(key_of(page.title))
        self._target_keys.append(page.target_key)

    def _add_article(self, page: GatheredPage) -> None:
        number = self.article_count
        if not self._world.execute("INSERT OR IGNORE INTO pages VALUES (?, ?)", (number, page.title)).rowcount:
            self.dropped["repeated titles"] += 1
            return
        self._article_keys.append(key_of(page.title))
        self._page_ids.append(page.page_id)
        self._scratch.execute("INSERT INTO articles VALUES (?, ?, ?)", (number, page.title, page.packed))
        self._add_labels(number, page.categories)
        for kind, count in page.dropped_links.items():
            self.dropped[f"{kind} links"] += count

    def _add_labels(self, number: int, categories: tuple[str, ...]) -> None:
        for name in categories:
            (category,) = self._world.execute(
                """INSERT INTO categories (name, pages) VALUES (?, 1)
                   ON CONFLICT (name) DO UPDATE SET pages = pages + 1 RETURNING category""",
                (name,),
            ).fetchone()
            self._world.execute("INSERT INTO labels VALUES (?, ?)", (number, category))

    def _commit(self) -> None:
        for database in (self._world, self._scratch):
            if database.in_transaction:
                database.execute("COMMIT")
            database.execute("BEGIN")


def _is_addressable(address: str) -> bool:
    """Return whether a crawler would ask for exactly this address when it is shown it."""
    try:
        return Url.parse(address).text == address
    except InvalidUrl:
        return False
