"""For a later run: the hosts that a run has asked, and how the pages of an earlier run have changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from honeyguide.model import ROBOTS_TXT, HostRest, KnownPage, Url
from honeyguide.runs.bodies import wrap_sqlite_errors
from honeyguide.runs.state import SiteFileTable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.model import SiteFile
    from honeyguide.runs.discovered_graph import Select
    from honeyguide.runs.records import Progress


class HostsAsked:
    """Until when the hosts of a run rest, and their robots.txt and the like; usable while the run is open."""

    def __init__(self, database: sqlite3.Connection, path: Path, progress: Progress) -> None:
        self._db = database
        self._path = path
        self._progress = progress

    def progress(self) -> Progress:
        return self._progress

    def host_rests(self) -> list[HostRest]:
        with wrap_sqlite_errors(self._path):
            return [HostRest(*row) for row in self._db.execute("SELECT * FROM hosts")]

    def host_rest(self, host: str) -> HostRest | None:
        """Until when one host rests; None where it was not asked."""
        with wrap_sqlite_errors(self._path):
            row = self._db.execute("SELECT * FROM hosts WHERE host = ?", (host,)).fetchone()
        return None if row is None else HostRest(*row)

    def site_file(self, origin: str, path: str = ROBOTS_TXT) -> SiteFile | None:
        with wrap_sqlite_errors(self._path):
            return SiteFileTable(self._db).find(origin, path)

    def site_files(self) -> Iterator[SiteFile]:
        """All of them, one by one; some may have expired."""
        with wrap_sqlite_errors(self._path):
            yield from SiteFileTable(self._db).all()


GONE_STATUSES: Final = (404, 410)
MOVED_STATUSES: Final = (301, 308)  # other redirects are for now: to a login, to a notice, to another language


class PageChange(StrEnum):
    """How a page has changed since the earlier run."""

    SAME = "same"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"
    FAILED = "failed"  # unknown: no answer, not allowed to ask, or sent elsewhere for now
    WAITING = "waiting"  # not looked at yet
    NEW = "new"  # the run did not have it


@dataclass(frozen=True, slots=True)
class Revisit:
    """One page of the earlier run, and how it has changed."""

    known: KnownPage
    finding: PageChange
    now: KnownPage  # for a later run; as before where nothing was learned
    title: str  # empty where the page did not come again
    is_relevant: bool  # False where the page did not come again
    detail: str  # where it moved to, or why there was no page


@dataclass(frozen=True, slots=True)
class _Fetch:
    outcome: str
    status: int | None
    detail: str
    finished_at: float


class Revisits:
    """The revisits of one run, which has none if it is no new pass over another."""

    def __init__(self, select: Select) -> None:
        self._select = select

    def all(self) -> Iterator[Revisit]:
        """Yield every page that was to be fetched again, in that order."""
        # The seeds of such a run are the known pages, so numbers tell which link is which.
        rows = self._select(
            """SELECT k.rowid - 1, k.url, k.relevance, k.digest, k.etag, k.last_modified, k.first_seen_at, k.checked_at,
                      k.changes, k.checks, p.relevance, p.digest, p.title, p.is_relevant, v.etag, v.last_modified
               FROM known k LEFT JOIN pages p ON p.link = k.rowid - 1 LEFT JOIN validators v ON v.link = k.rowid - 1
               ORDER BY k.rowid"""
        )
        fetches = self._last_fetches()
        for link, url, *columns in rows:
            known = KnownPage(Url(url), *columns[:8])
            yield _revisit(known, fetches.get(link), columns[8:])

    def known_pages(self) -> Iterator[KnownPage]:
        """Yield the pages for a new pass over this run: all that it has or knew of, without those gone.

        Pages that a pass in place has found gone or moved are looked at once more: servers err.
        """
        count = 0
        for revisit in self.all():
            count += 1
            if revisit.finding not in (PageChange.GONE, PageChange.MOVED):
                yield revisit.now
        rows = self._select(
            """WITH looks AS (SELECT link, min(finished_at) AS first, max(finished_at) AS last, count(*) - 1 AS checks
                              FROM steps WHERE outcome IN ('fetched', 'unchanged') GROUP BY link)
               SELECT l.url, p.relevance, p.digest, coalesce(v.etag, ''), coalesce(v.last_modified, ''), looks.first,
                      looks.last, (SELECT count(*) FROM versions w WHERE w.link = p.link), looks.checks
               FROM pages p JOIN links l ON l.id = p.link JOIN looks ON looks.link = p.link
               LEFT JOIN validators v ON v.link = p.link WHERE p.link >= ? ORDER BY p.step""",
            count,
        )
        put_aside = self._select(
            """WITH last AS (SELECT link, max(step) AS step FROM steps GROUP BY link)
               SELECT l.url, v.relevance, v.digest, '', '', f.finished_at, s.finished_at,
                      (SELECT count(*) FROM versions w WHERE w.link = v.link),
                      (SELECT count(*) FROM versions w WHERE w.link = v.link)
               FROM versions v JOIN last ON last.link = v.link AND last.step = v.until_step
               JOIN links l ON l.id = v.link JOIN steps s ON s.step = v.until_step JOIN steps f ON f.step = v.step
               WHERE v.link NOT IN (SELECT link FROM pages) ORDER BY v.step"""
        )
        for url, *facts in chain(rows, put_aside):
            yield KnownPage(Url(url), *facts)

    def _last_fetches(self) -> dict[int, _Fetch]:
        rows = self._select(
            """SELECT link, outcome, status,
                      CASE reason WHEN '' THEN coalesce(target, detail) ELSE reason || ': ' || detail END, finished_at
               FROM steps
               WHERE link < (SELECT count(*) FROM known) ORDER BY step"""
        )
        return {link: _Fetch(*columns) for link, *columns in rows}


def _revisit(known: KnownPage, fetch: _Fetch | None, page: list[Any]) -> Revisit:
    relevance, digest, title, is_relevant, etag, last_modified = page
    now = known
    if fetch is not None and fetch.outcome == "unchanged":
        now = replace(known, checked_at=fetch.finished_at, checks=known.checks + 1)
    elif fetch is not None and digest is not None:
        now = replace(
            known,
            relevance=relevance,
            digest=digest,
            etag=etag or "",
            last_modified=last_modified or "",
            checked_at=fetch.finished_at,
            changes=known.changes + (digest != known.digest),
            checks=known.checks + 1,
        )
    detail = "" if fetch is None else fetch.detail
    return Revisit(known, _change_of(known, fetch, digest), now, title or "", bool(is_relevant), detail)


def _change_of(known: KnownPage, fetch: _Fetch | None, digest: bytes | None) -> PageChange:
    match fetch:
        case None:
            return PageChange.WAITING
        case _Fetch(outcome="unchanged"):
            return PageChange.SAME
        case _Fetch(outcome="fetched"):
            return PageChange.SAME if digest == known.digest else PageChange.CHANGED
        case _Fetch(outcome="redirected", status=status) if status in MOVED_STATUSES:
            return PageChange.MOVED
        case _Fetch(outcome="failed", status=status) if status in GONE_STATUSES:
            return PageChange.GONE
        case _:
            return PageChange.FAILED
