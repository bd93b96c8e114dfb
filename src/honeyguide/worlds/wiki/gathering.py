"""The first pass over a dump: every article without its markup, every redirect, every label; no link resolved yet."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import xxhash
import zstandard

from honeyguide.domain import Url
from honeyguide.errors import InvalidUrl
from honeyguide.worlds.wiki.key_table import KeyColumn, KeyTable, key_of
from honeyguide.worlds.wiki.redirects import redirect_target, resolve
from honeyguide.worlds.wiki.siteinfo import ARTICLES
from honeyguide.worlds.wiki.titles import TitleRules
from honeyguide.worlds.wiki.wikitext import Converter

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from honeyguide.worlds.wiki.dump import Dump, DumpPage

_SEPARATOR: Final = "\x00"
_PAGES_IN_A_TRANSACTION: Final = 1000


class Gathered:
    """What the first pass has found. The bulk of it lies in the two databases, 16 bytes a title in memory.

    The world's own database has titles and labels; `scratch` has the articles until they are rendered.
    """

    def __init__(self, world: sqlite3.Connection, scratch: sqlite3.Connection, sample: float, seed: int) -> None:
        self._world = world
        self._scratch = scratch
        self._sampled_below = sample * 2.0**64
        self._seed = seed
        self._packer = zstandard.ZstdCompressor(level=1)
        self._article_keys = KeyColumn()
        self._page_ids = KeyColumn()
        self._redirect_keys = KeyColumn()
        self._target_keys = KeyColumn()
        self.dropped: Counter[str] = Counter()  # by reason
        self.dump_pages: Counter[str] = Counter()  # by kind
        scratch.execute("CREATE TABLE articles (number INTEGER PRIMARY KEY, packed BLOB)")
        scratch.execute("CREATE TABLE redirects (number INTEGER PRIMARY KEY, title TEXT)")

    @property
    def article_count(self) -> int:
        return len(self._article_keys)

    def read(self, dump: Dump, progress: Callable[[], None]) -> None:
        """Take in every page of a dump. What came before an error is kept."""
        rules = converter = None
        for count, page in enumerate(dump.pages()):
            if rules is None or converter is None:
                rules = TitleRules(dump.site)
                converter = Converter(rules)
            if count % _PAGES_IN_A_TRANSACTION == 0:
                self._commit()
                progress()
            self._take(page, rules, converter)

    def end(self) -> KeyTable:
        """Number every redirect by where it ends; gives the table that resolves links."""
        articles = KeyTable.in_order(self._article_keys.as_array())
        keys = self._redirect_keys.as_array()
        ends, is_circle = resolve(keys, self._target_keys.as_array(), articles)
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
        return KeyTable.in_order(self._page_ids.as_array())

    def articles(self) -> Iterator[tuple[int, str, list[str]]]:
        """Number, HTML with open links, and the titles those lead to; in order."""
        for number, packed in self._scratch.execute("SELECT number, packed FROM articles ORDER BY number"):
            yield number, *_unpacked(packed)

    def some_articles(self, count: int) -> Iterator[tuple[int, str, list[str]]]:
        """At most so many, spread evenly."""
        step = max(1, self.article_count // count)
        for number in range(0, self.article_count, step):
            (packed,) = self._scratch.execute("SELECT packed FROM articles WHERE number = ?", (number,)).fetchone()
            yield number, *_unpacked(packed)

    def _take(self, page: DumpPage, rules: TitleRules, converter: Converter) -> None:
        namespace = rules.namespace_of(page.title) if page.namespace is None else page.namespace
        if namespace != ARTICLES:
            self.dump_pages["other"] += 1
            return
        title = rules.normalise(page.title)
        leads_to = page.redirect or redirect_target(page.text)
        self.dump_pages["article" if leads_to is None else "redirect"] += 1
        if not title or not _is_addressable(rules.address(title)):
            self.dropped["unusable titles"] += 1
        elif leads_to is not None:
            self._take_redirect(title, rules.article(leads_to))
        elif xxhash.xxh3_64_intdigest(title.encode(), seed=self._seed) < self._sampled_below:
            self._take_article(page, title, converter)
        else:
            self.dropped["not in the sample"] += 1

    def _take_redirect(self, title: str, target: str) -> None:
        self._scratch.execute("INSERT INTO redirects VALUES (?, ?)", (len(self._redirect_keys), title))
        self._redirect_keys.append(key_of(title))
        self._target_keys.append(key_of(target))

    def _take_article(self, page: DumpPage, title: str, converter: Converter) -> None:
        number = self.article_count
        if not self._world.execute("INSERT OR IGNORE INTO pages VALUES (?, ?)", (number, title)).rowcount:
            self.dropped["repeated titles"] += 1
            return
        self._article_keys.append(key_of(title))
        self._page_ids.append(page.page_id)
        article = converter.convert(page.text)
        packed = self._packer.compress(_SEPARATOR.join([article.html, *article.targets]).encode("utf-8", "replace"))
        self._scratch.execute("INSERT INTO articles VALUES (?, ?)", (number, packed))
        self._label(number, article.categories)
        for kind, count in article.dropped_links.items():
            self.dropped[f"{kind} links"] += count

    def _label(self, number: int, categories: tuple[str, ...]) -> None:
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


def _unpacked(packed: bytes) -> tuple[str, list[str]]:
    html, *targets = zstandard.decompress(packed).decode().split(_SEPARATOR)
    return html, targets


def _is_addressable(address: str) -> bool:
    """Whether a crawler would ask for exactly this address when it is shown it."""
    try:
        return Url.parse(address).text == address
    except InvalidUrl:
        return False
