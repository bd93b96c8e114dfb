"""The pages of a run, one at a time: index, exports, counts and reports are made from them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from honeyguide.model import ROBOTS_TXT, Cap, Url
from honeyguide.runs.bodies import StoredBodies, wrap_sqlite_errors
from honeyguide.runs.discovered_graph import redirect_ends
from honeyguide.runs.fields import stored_fields

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from honeyguide.model import FieldValue

FIRST_SORTED: Final = 1000
"""Fetches to whose pages links are sorted first."""
MORE_SORTED: Final = 32
"""Times as many are sorted next, and so on."""
_UNINDEXED: Final = "SELECT link FROM directives WHERE is_unindexed"


@dataclass(frozen=True, slots=True)
class CrawledPage:
    """A page of a run, without its body; times are on the crawl's clock."""

    link: int  # its number in the run
    url: Url
    step: int  # the fetch that brought it
    fetched_at: float
    status: int
    content_type: str  # as the host sent it
    media_type: str
    body_bytes: int
    title: str
    words: int
    score: float  # of its link, when that was chosen
    relevance: float  # by the newest judgement
    crawl_relevance: float  # when it was crawled
    was_relevant: bool  # then
    is_relevant: bool  # by the newest judgement
    reward: float | None  # None where nothing was learned from it
    depth: int
    found_on: Url | None  # the page whose link was followed; None for a seed
    canonical: Url | None  # the other address that it calls its own
    digest: str  # of title and text, in hexadecimal digits
    robots_tag: str  # the X-Robots-Tag headers, one a line
    tdm: str  # the headers TDM-Reservation and, after a space, TDM-Policy
    rules: tuple[str, ...]  # of head and headers, as settings call them: noindex, nofollow, noai, noimageai, tdm
    tdm_policy: str  # where the conditions of mining are told
    asked_at: float  # when it was asked for
    cut_by: tuple[Cap, ...]  # limits that it was over


class KnownByUrl(NamedTuple):
    """A page in plain columns, to be held against the page of another run."""

    url: str
    title: str
    relevance: float
    is_relevant: int
    digest: bytes


class CrawledPages:
    """Reads pages, bodies and the links between pages of an open run, in constant memory.

    Pages that asked not to be indexed are not among them. `after_step` says which pages are counted and read; links and
    parents are those of the whole run. `parents` needs the links sorted by target, which the database does not have: it
    writes them into a temporary table of this connection, so call it within `Run.at_one_moment`, and quickest in the
    order in which pages came.
    """

    def __init__(
        self, database: sqlite3.Connection, path: Path, *, relevant_only: bool = False, after_step: int = 0
    ) -> None:
        self._db = database
        self._path = path
        self._bodies = StoredBodies(path)
        self._relevant_only = relevant_only
        self._after_step = after_step
        self._sorted_steps = range(0)  # links to the pages of these are sorted
        self._redirect_ends: dict[int, int] | None = None

    def __len__(self) -> int:
        which = _which("p", relevant_only=self._relevant_only)
        ((count,),) = self._select(f"SELECT count(*) FROM pages p WHERE p.step > ? AND {which}", self._after_step)  # noqa: S608
        return int(count)

    def all(self, *, best_first: bool = False, limit: int = -1) -> Iterator[CrawledPage]:
        """Yield pages in the order they came, or the most relevant first, which the database has to sort."""
        if best_first:
            yield from self.at_steps(self._best_steps(limit))
            return
        for row in self._select(f"{_SELECT} {self._from()} ORDER BY s.step LIMIT ?", self._after_step, limit):
            yield _page(*row)

    def _best_steps(self, limit: int) -> Iterator[int]:
        """Yield the steps that brought the most relevant pages: of many pages, only two numbers each are sorted."""
        which = _which("p", relevant_only=self._relevant_only)
        order = "ORDER BY p.relevance DESC, p.step LIMIT ?"
        rows = self._select(f"SELECT p.step FROM pages p WHERE p.step > ? AND {which} {order}", self._after_step, limit)  # noqa: S608
        return (step for (step,) in rows)

    def at_steps(self, steps: Iterable[int]) -> Iterator[CrawledPage]:
        """Yield the pages that some fetches brought, in the order of `steps`; those that are not among these, not."""
        for step in steps:
            yield from (_page(*row) for row in self._select(f"{_SELECT} {self._from()} AND s.step = ?", step - 1, step))

    def by_url(self) -> Iterator[KnownByUrl]:
        """Yield pages in order of their URLs, which the database has sorted."""
        which = _which("p", relevant_only=self._relevant_only)
        pages = f"FROM links l CROSS JOIN pages p ON p.link = l.id WHERE p.step > ? AND {which} ORDER BY l.url"
        columns = "l.url, p.title, p.relevance, p.is_relevant, p.digest"
        return map(KnownByUrl._make, self._select(f"SELECT {columns} {pages}", self._after_step))

    def links_among(self, pages: Collection[int]) -> set[tuple[int, int]]:
        """Return the links between some pages, as pairs of numbers: no loop; redirects are resolved."""
        ends, found = redirect_ends(self._select), set[tuple[int, int]]()
        for source in pages:
            for (target,) in self._select("SELECT target FROM edges WHERE source = ?", source):
                end = ends.get(target, target)
                if end in pages and end != source:
                    found.add((source, end))
        return found

    def numbered(self, link: int) -> CrawledPage:
        """Return a page by its number in the run."""
        ((*row,),) = self._select(f"{_SELECT} {self._from()} AND p.link = ?", self._after_step, link)
        return _page(*row)

    def _from(self) -> str:
        """Return the FROM clause, with a placeholder for the step. All tables but `steps` are looked up."""
        which = _which("p", relevant_only=self._relevant_only)
        # A cross join keeps the order of the tables, and with it that of the rows: by step nothing has to be sorted,
        # and of a long run only what came after a step is looked at.
        return f"""FROM steps s CROSS JOIN pages p ON p.link = s.link AND p.step = s.step JOIN links l ON l.id = p.link
                   LEFT JOIN links f ON f.id = l.page LEFT JOIN identities i ON i.step = p.step
                   LEFT JOIN directives d ON d.link = p.link
                   WHERE s.step > ? AND {which}"""

    def body(self, page: CrawledPage) -> bytes | None:
        """Return the body of a page as it was received; None where it was not stored."""
        ((stored, file, offset),) = self._select(
            """SELECT b.body, a.file, a.offset FROM pages p LEFT JOIN bodies b ON b.link = p.link
               LEFT JOIN archive a ON a.step = p.step WHERE p.link = ?""",
            page.link,
        )
        return self._bodies.read(stored, file, offset)

    def parents(self, page: CrawledPage, limit: int) -> tuple[tuple[Url, ...], int]:
        """Return pages with a link to this one in order of discovery, up to `limit`, and how many there are."""
        if page.step not in self._sorted_steps:
            self._sort_by_target(page.step)
        rows = self._select(
            """SELECT l.url FROM temp.page_links e JOIN links l ON l.id = e.source
               WHERE e.target = ? ORDER BY e.source LIMIT ?""",
            page.link,
            limit,
        )
        urls = tuple(Url(text) for (text,) in rows)
        if len(urls) < limit:
            return urls, len(urls)
        ((count,),) = self._select("SELECT count(*) FROM temp.page_links WHERE target = ?", page.link)
        return urls, int(count)

    def robots_txt(self, page: CrawledPage) -> tuple[float, str] | None:
        """Return since when the robots.txt had been so under which a page was asked for, and its digest.

        The digest is empty where the host had no such file. None where none was asked for.
        """
        rows = self._select(
            """SELECT asked_at, digest FROM site_files WHERE origin = ? AND path = ? AND asked_at <= ?
               ORDER BY asked_at DESC LIMIT 1""",
            page.url.origin,
            ROBOTS_TXT,
            page.asked_at,
        )
        return next(((float(asked_at), digest) for asked_at, digest in rows), None)

    def fingerprint(self, page: CrawledPage) -> bytes | None:
        """Return the guard's fingerprint of a page, packed; None where no guard saw it."""
        rows = self._select("SELECT print FROM prints WHERE step = ?", page.step)
        return next((bytes(packed) for (packed,) in rows), None)

    def fields(self, page: CrawledPage) -> dict[str, FieldValue]:
        """Return the fields of a page by name; empty where nobody has asked for any."""
        return stored_fields(self._select, page.step)

    def links(self) -> Iterator[tuple[int, int]]:
        """Yield links between these pages as pairs of numbers: no loop, none twice; redirects are resolved."""
        return self._links(relevant_only=self._relevant_only)

    def _links(self, *, relevant_only: bool) -> Iterator[tuple[int, int]]:
        ends, source_is, target_is = (
            redirect_ends(self._select),
            *(_which(each, relevant_only=relevant_only) for each in ("p", "t")),
        )
        rows = self._select(
            f"""SELECT e.source, e.target, t.link IS NOT NULL FROM edges e JOIN pages p ON p.link = e.source
                LEFT JOIN pages t ON t.link = e.target AND {target_is}
                WHERE {source_is} ORDER BY e.source, e.target"""  # noqa: S608
        )
        for source, leads in groupby(rows, key=itemgetter(0)):
            targets = set()
            for _, target, is_among in leads:
                end = ends.get(target, target)
                if is_among if end == target else self._is_among(end, source_is):
                    targets.add(end)
            yield from ((source, target) for target in sorted(targets - {source}))

    def _is_among(self, link: int, which: str) -> bool:
        found = self._db.execute(f"SELECT 1 FROM pages p WHERE p.link = ? AND {which}", (link,))  # noqa: S608
        return found.fetchone() is not None

    def _sort_by_target(self, step: int) -> None:
        """Let the database sort the links to the pages from a step on, which it does on disk.

        First those to few pages, which need not wait for all others, then to ever more: looking through all links takes
        seconds where sorting them takes minutes. Where pages are asked for in another order, all are sorted.
        """
        is_next = step >= self._sorted_steps.stop
        count = max(FIRST_SORTED, MORE_SORTED * len(self._sorted_steps))
        self._sorted_steps = range(step, step + count) if is_next else range(sys.maxsize)
        which = _which("p", relevant_only=False)
        values = {"first": self._sorted_steps[0], "last": self._sorted_steps[-1]}
        with wrap_sqlite_errors(self._path):
            if self._redirect_ends is None:
                self._redirect_ends = redirect_ends(self._select)
            for statement in (
                "CREATE TEMP TABLE IF NOT EXISTS leading (link INTEGER PRIMARY KEY, target INTEGER)",
                """CREATE TEMP TABLE IF NOT EXISTS page_links (target INTEGER, source INTEGER,
                   PRIMARY KEY (target, source)) WITHOUT ROWID""",
                "DELETE FROM temp.leading",  # a table cannot be dropped while pages are read
                "DELETE FROM temp.page_links",
            ):
                self._db.execute(statement)
            self._db.execute(
                f"""INSERT INTO temp.leading SELECT p.link, p.link FROM steps s CROSS JOIN pages p
                    ON p.link = s.link AND p.step = s.step WHERE s.step BETWEEN :first AND :last AND {which}""",  # noqa: S608
                values,
            )
            self._db.executemany(
                "INSERT INTO temp.leading SELECT ?, link FROM temp.leading WHERE link = ?", self._redirect_ends.items()
            )
            self._db.execute(
                # Links that redirect to one page are one link to it. The bounds are quicker than looking a link up.
                f"""INSERT OR IGNORE INTO temp.page_links
                    SELECT t.target, e.source FROM edges e CROSS JOIN temp.leading t ON t.link = e.target
                        CROSS JOIN pages p ON p.link = e.source
                    WHERE e.target BETWEEN (SELECT min(link) FROM temp.leading) AND (SELECT max(link) FROM temp.leading)
                        AND t.target != e.source AND {which} ORDER BY t.target, e.source"""  # noqa: S608
            )

    def _select(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        with wrap_sqlite_errors(self._path):
            for row in self._db.execute(query, values):  # noqa: UP028 - `yield from` would close the cursor of a closed run
                yield row


def _which(table: str, *, relevant_only: bool) -> str:
    """Return the condition that a row of `pages`, under the name `table`, is one of those asked for."""
    indexed = f"{table}.link NOT IN ({_UNINDEXED})"
    return f"{indexed} AND {table}.is_relevant" if relevant_only else indexed


_SELECT: Final = """SELECT p.link, l.url, p.step, s.finished_at, s.status, p.content_type, p.media_type, s.body_bytes,
    p.title, p.words, s.score, p.relevance, p.crawl_relevance, p.was_relevant, p.is_relevant, s.reward, p.depth, f.url,
    i.canonical, p.digest, coalesce(d.robots_tag, ''), coalesce(d.tdm, ''), coalesce(d.rules, ''),
    coalesce(d.policy, ''), s.finished_at - s.elapsed_s, p.cut_by"""


def _page(link: int, url: str, *columns: Any) -> CrawledPage:  # noqa: ANN401 - as SQLite gives them
    *noted, was_relevant, is_relevant, reward, depth, found_on, canonical, digest = columns[:-6]
    robots_tag, tdm, rules, policy, asked_at, cut_by = columns[-6:]
    addresses = (_url(found_on), _url(canonical))
    values: list[Any] = [
        *noted,
        bool(was_relevant),
        bool(is_relevant),
        reward,
        depth,
        *addresses,
        bytes(digest).hex(),
        robots_tag,
        tdm,
        tuple(rules.split()),
        policy,
        asked_at,
        tuple(map(Cap, cut_by.split())),
    ]
    return CrawledPage(link, Url(url), *values)


def _url(text: str | None) -> Url | None:
    return None if text is None else Url(text)
