"""For a later run: the hosts that a run has asked, and how the pages of an earlier run have changed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from honeyguide.model import HostRest, KnownPage, Url
from honeyguide.runs.bodies import wrap_sqlite_errors
from honeyguide.runs.state import RobotsTable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.model import RobotsFile
    from honeyguide.runs.discovered_graph import Select
    from honeyguide.runs.records import Progress


class HostsAsked:
    """Until when the hosts of a run rest, and their robots.txt; usable while the run is open."""

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

    def robots_file(self, origin: str) -> RobotsFile | None:
        with wrap_sqlite_errors(self._path):
            return RobotsTable(self._db).find(origin)

    def robots_files(self) -> Iterator[RobotsFile]:
        """All of them, one by one; some may have expired."""
        with wrap_sqlite_errors(self._path):
            yield from RobotsTable(self._db).all()


GONE_STATUSES: Final = (404, 410)


class PageChange(StrEnum):
    """How a page has changed since the earlier run."""

    SAME = "same"
    CHANGED = "changed"
    MOVED = "moved"
    GONE = "gone"
    FAILED = "failed"  # unknown: no answer, or not allowed to ask
    WAITING = "waiting"  # not looked at yet


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
                      k.changes, p.relevance, p.digest, p.title, p.is_relevant, v.etag, v.last_modified
               FROM known k LEFT JOIN pages p ON p.link = k.rowid - 1 LEFT JOIN validators v ON v.link = k.rowid - 1
               ORDER BY k.rowid"""
        )
        fetches = self._last_fetches()
        for link, url, *columns in rows:
            known = KnownPage(Url(url), *columns[:7])
            yield _revisit(known, fetches.get(link), columns[7:])

    def known_pages(self) -> Iterator[KnownPage]:
        """Yield the pages for a new pass over this run: all that it has or knew of, without those gone."""
        count = 0
        for revisit in self.all():
            count += 1
            if revisit.finding not in (PageChange.GONE, PageChange.MOVED):
                yield revisit.now
        rows = self._select(
            """SELECT l.url, p.relevance, p.digest, coalesce(v.etag, ''), coalesce(v.last_modified, ''), s.finished_at
               FROM pages p JOIN links l ON l.id = p.link JOIN steps s ON s.step = p.step
               LEFT JOIN validators v ON v.link = p.link WHERE p.link >= ? ORDER BY p.step""",
            count,
        )
        for url, relevance, digest, etag, last_modified, seen_at in rows:
            yield KnownPage(Url(url), relevance, digest, etag, last_modified, seen_at, seen_at)

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
        now = replace(known, checked_at=fetch.finished_at)
    elif fetch is not None and digest is not None:
        now = replace(
            known,
            relevance=relevance,
            digest=digest,
            etag=etag or "",
            last_modified=last_modified or "",
            checked_at=fetch.finished_at,
            changes=known.changes + (digest != known.digest),
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
        case _Fetch(outcome="redirected"):
            return PageChange.MOVED
        case _Fetch(outcome="failed", status=status) if status in GONE_STATUSES:
            return PageChange.GONE
        case _:
            return PageChange.FAILED
