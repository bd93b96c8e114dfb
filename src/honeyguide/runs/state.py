"""Reads the state of a crawl from its database: all that it was after the last whole step, and its robots.txt files."""

from __future__ import annotations

import json
from hashlib import sha256
from heapq import merge
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import zstandard

from honeyguide.errors import RunDamaged
from honeyguide.model import (
    ROBOTS_TXT,
    FailureReason,
    Fetched,
    HostRest,
    KnownPage,
    LinkId,
    LinkState,
    RefusalReason,
    SiteFile,
    Url,
)
from honeyguide.model.saved_state import unpack_zstandard
from honeyguide.runs.answers import (
    page_at,
    read_answers,
    read_choices,
    read_pages,
    read_past_fetches,
    read_unfetched,
    redirect_end,
)
from honeyguide.runs.bodies import unpacked, wrap_sqlite_errors
from honeyguide.runs.forecast import read_outlook
from honeyguide.runs.parcels import HandedDown, Parcel
from honeyguide.runs.records import (
    DispatchRecord,
    JournalEntry,
    LearnerSnapshot,
    PairRecord,
    Progress,
    StoredLink,
    StoredVisit,
)
from honeyguide.settings import MOST_BODY_BYTES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from honeyguide.runs.answers import PageColumns, PastFetches, UnfetchedLinks
    from honeyguide.runs.bodies import StoredBodies
    from honeyguide.runs.forecast import Outlook
    from honeyguide.runs.records import AnswerRecord

MOST_KEPT: Final = 100_000
LOOK_EVERY: Final = 1000  # files kept between two looks at how many there are


class SiteFileTable:
    """Robots.txt and the like, as they were over time. Every one is safe as soon as it is kept.

    The bodies of some `MOST_KEPT` files are kept, those that expire last; of others the digest.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self._kept = 0

    def find(self, origin: str, path: str = ROBOTS_TXT) -> SiteFile | None:
        """Return the newest file of an origin; None where it is not known, or its body is not kept any more."""
        row = self._db.execute(
            """SELECT digest, expires, body, closed_by, detail, troubles, asked_at FROM site_files
               WHERE origin = ? AND path = ? ORDER BY asked_at DESC LIMIT 1""",
            (origin, path),
        ).fetchone()
        if row is None or (row[0] and row[2] is None):
            return None
        _, expires, body, closed_by, detail, troubles, asked_at = row
        try:
            unpacked = None if body is None else unpack_zstandard(body, MOST_BODY_BYTES)
            return SiteFile(origin, expires, unpacked, _reason(closed_by), detail, troubles, path, asked_at)
        except ValueError as error:
            raise RunDamaged(f"the {path[1:]} kept of {origin} cannot be read ({error}); restore the run") from error

    def all(self) -> Iterator[SiteFile]:
        """The newest file of every origin and path, one by one; some may have expired."""
        for origin, path in self._db.execute("SELECT DISTINCT origin, path FROM site_files"):
            file = self.find(origin, path)
            if file is not None:
                yield file

    def keep(self, file: SiteFile) -> None:
        """Keep a file as the newest of its origin and path. One that says what the last one said is that one."""
        digest = "" if file.body is None else sha256(file.body).hexdigest()
        known = (file.origin, file.path)
        changed = self._db.execute(
            """UPDATE site_files SET expires = ?, detail = ?, troubles = ?, times = times + 1
               WHERE (digest, closed_by, body IS NULL) = (?, ?, ?) AND (origin, path, asked_at) =
               (SELECT origin, path, max(asked_at) FROM site_files WHERE origin = ? AND path = ?)""",
            (file.expires, file.detail, file.troubles, digest, file.closed_by or "", file.body is None, *known),
        )
        if not changed.rowcount:
            body = None if file.body is None else zstandard.ZstdCompressor(level=3).compress(file.body)
            self._db.execute(
                "INSERT OR REPLACE INTO site_files VALUES (?,?,?,?,1,?,?,?,?,?)",
                (*known, file.asked_at, file.expires, digest, body, file.closed_by or "", file.detail, file.troubles),
            )
        self._kept += 1
        if self._kept % LOOK_EVERY == 0:
            self._db.execute(
                """UPDATE site_files SET body = NULL WHERE (origin, path, asked_at) IN (SELECT origin, path, asked_at
                   FROM site_files WHERE body IS NOT NULL ORDER BY expires DESC LIMIT -1 OFFSET ?)""",
                (MOST_KEPT,),
            )


def _reason(text: str) -> RefusalReason | FailureReason | None:
    if not text:
        return None
    return RefusalReason(text) if text in {reason.value for reason in RefusalReason} else FailureReason(text)


FIRST_PROGRESS: Final[dict[str, Any]] = Progress()._asdict()


class StoredState:
    """Reads a run's database. The reading half of a store."""

    def __init__(self, path: Path, database: sqlite3.Connection, bodies: StoredBodies) -> None:
        self._path = path
        self._db = database
        self._bodies = bodies

    def progress(self) -> Progress | None:
        """Where the crawl stood after the last whole step; None before the first."""
        with wrap_sqlite_errors(self._path):
            return read_progress(self._db)

    def learner_snapshot(self) -> LearnerSnapshot | None:
        """The last snapshot of strategy, judge and guard."""
        newest = next(self._select("SELECT step, state FROM learner"), None)
        return None if newest is None else LearnerSnapshot(*newest)

    def journal(self) -> Iterator[JournalEntry]:
        """Inputs of strategy, judge and guard since then, in order."""
        for kind, link, row, facts, next_rows in self._select(
            "SELECT kind, link, row, facts, next_rows FROM journal ORDER BY number"
        ):
            rows = None if next_rows is None else unpacked(next_rows, self._path)
            yield JournalEntry(kind, LinkId(link), row, unpacked(facts, self._path).decode(), rows)

    def fetched(self, link: LinkId) -> Fetched:
        """The answer that brought the page of a link. LookupError if it was not kept."""
        rows = self._select(
            """SELECT p.content_type, b.body, a.file, a.offset, coalesce(d.robots_tag, ''), coalesce(d.tdm, '')
               FROM pages p LEFT JOIN bodies b ON b.link = p.link LEFT JOIN directives d ON d.link = p.link
               LEFT JOIN archive a ON a.step = p.step WHERE p.link = ?""",
            link,
        )
        for content_type, stored, file, offset, tag, tdm in rows:
            body = self._bodies.read(stored, file, offset)
            if body is not None:
                return Fetched(200, content_type, body, robots_tag=tag, tdm=tdm)
        raise LookupError(f"the page of link {link} is not there")

    def answers(self) -> Iterator[AnswerRecord]:
        """Every answer about a page, in the order in which they were taken in."""
        return read_answers(self._select)

    def page_columns(self, width: int, *, to_ask: bool = False) -> PageColumns:
        """All pages, as it takes to judge them again by descriptions of `width` numbers."""
        return read_pages(self._select, width, to_ask=to_ask)

    def past_fetches(self) -> Iterator[PastFetches]:
        """The fetches that were learned from, in order, some thousands at a time."""
        return read_past_fetches(self._select)

    def choices(self) -> Iterator[tuple[int, LinkId]]:
        """The links whose fetches were learned from, in the order of choice, each with the steps made by then."""
        return read_choices(self._select)

    def unfetched_links(self) -> Iterator[UnfetchedLinks]:
        """The links that wait or are being fetched, in order of number, some thousands at a time."""
        return read_unfetched(self._select)

    def page_at(self, link: LinkId) -> LinkId | None:
        """The page of a link, or the one that it led to; None where none has come."""
        return page_at(self._select, link)

    def reasons_to_follow(self, link: LinkId) -> dict[str, Any]:
        """The anchor of a link, the page it is described from, that page's relevance, and clicks from a seed."""
        names = ("anchor", "found_on", "page_relevance", "depth")
        rows = self._select(
            """SELECT l.anchor, f.url, p.relevance, coalesce(p.depth + 1, 0) FROM links l
               LEFT JOIN pages p ON p.link = l.page LEFT JOIN links f ON f.id = l.page WHERE l.id = ?""",
            link,
        )
        return next((dict(zip(names, row, strict=True)) for row in rows), {})

    def title(self, link: LinkId) -> str:
        """Return the title of a page."""
        return next(title for (title,) in self._select("SELECT title FROM pages WHERE link = ?", link))

    def redirect_end(self, link: LinkId) -> LinkId:
        """The link to which redirects have led from this one by now; itself where there were none."""
        return redirect_end(self._select, link)

    def links(self, states: Collection[LinkState] = tuple(LinkState)) -> Iterator[StoredLink]:
        """Every URL met, in order of discovery; or those in some states."""
        wanted = ",".join(str(int(state)) for state in states)
        rows = self._select(
            f"""SELECT l.id, l.url, l.state, l.hops, l.score, l.description, l.row, l.found_on, l.level, l.carried,
                      coalesce(p.relevance, e.relevance, 0.0), coalesce(p.distance, e.distance, 0),
                      coalesce(p.depth, e.depth, -1) + 1
               FROM links l LEFT JOIN pages p ON p.link = l.page LEFT JOIN pages_elsewhere e ON e.link = l.page
               WHERE l.state IN ({wanted}) ORDER BY l.id"""  # noqa: S608
        )
        for number, url, state, hops, score, description, row, found_on, level, carried, *parent in rows:
            relevance, distance, depth = parent
            yield StoredLink(
                link=LinkId(number),
                url=Url(url),
                state=LinkState(state),
                hops=hops,
                score=score,
                description=description,
                row=None if row is None else np.frombuffer(row, dtype=np.float16),
                relevance=relevance,
                distance=distance,
                depth=depth,
                found_on=None if found_on is None else LinkId(found_on),
                level=level,
                carried=carried,
            )

    def visits(self) -> Iterator[StoredVisit]:
        """Every page and every redirect, in the order of steps, and between them what other shards told."""
        return merge(self._own_visits(), self._sightings(), key=lambda visit: (visit.step, visit.is_elsewhere))

    def _sightings(self) -> Iterator[StoredVisit]:
        """Pages of other shards, in the order in which they were told."""
        rows = self._select("SELECT after_steps, link, facts, targets FROM sightings ORDER BY number")
        for step, link, facts, shown in rows:
            told = json.loads(facts)
            yield StoredVisit(
                step,
                LinkId(link),
                0.0,
                is_relevant=False,
                newest_relevance=0.0,
                targets=tuple(map(LinkId, map(int, shown.split(",")))) if shown else (),
                is_redirect=False,
                handed_down=None if told is None else HandedDown(*told),
                is_elsewhere=True,
            )

    def pages_elsewhere(self) -> dict[LinkId, tuple[float, bool, int, int]]:
        """Relevance, whether relevant, distance and depth of the pages of other shards, by link."""
        rows = self._select("SELECT link, relevance, is_relevant, distance, depth FROM pages_elsewhere")
        return {
            LinkId(link): (relevance, bool(is_relevant), distance, depth)
            for link, relevance, is_relevant, distance, depth in rows
        }

    def outbox(self) -> Iterator[tuple[int, Parcel]]:
        """The parcels that other shards have not all acknowledged, in order, each with its number."""
        for number, parcel in self._select("SELECT number, parcel FROM outbox ORDER BY number"):
            yield number, Parcel.unpack(parcel)

    def outbox_marks(self) -> dict[int, int]:
        """The number up to which each shard has acknowledged parcels."""
        return dict(self._select("SELECT shard, number FROM outbox_marks"))

    def inbox_marks(self) -> dict[int, int]:
        """The number up to which parcels of each shard have been taken in."""
        return dict(self._select("SELECT shard, number FROM inbox_marks"))

    def _own_visits(self) -> Iterator[StoredVisit]:
        rows = self._select(
            """SELECT s.step, s.link, s.outcome, coalesce(p.crawl_relevance, 0.0), coalesce(p.was_relevant, 0),
                      coalesce(p.relevance, 0.0), (SELECT group_concat(target) FROM
                      (SELECT target FROM edges WHERE source = s.link ORDER BY target))
               FROM steps s LEFT JOIN pages p ON p.link = s.link
               WHERE (s.outcome = 'fetched' AND p.step = s.step) OR (s.outcome = 'redirected' AND p.link IS NULL)
               ORDER BY s.step"""
        )
        # A row a page rather than a row a link: Python takes four times as long over those.
        for step, link, outcome, then, is_relevant, newest, shown in rows:
            targets = tuple(map(LinkId, map(int, shown.split(",")))) if shown else ()
            yield StoredVisit(step, link, then, bool(is_relevant), newest, targets, is_redirect=outcome == "redirected")

    def pairs(self) -> Iterator[PairRecord]:
        """The rows that links have got, in order; of links that have left, too."""
        for link, score, row in self._select("SELECT link, score, row FROM pairs ORDER BY rowid"):
            yield PairRecord(LinkId(link), score, np.frombuffer(row, dtype=np.float16))

    def in_flight(self) -> list[DispatchRecord]:
        """Fetches begun and not ended, in order of dispatch."""
        rows = self._select(
            """SELECT row, weights, link, dispatch, after_steps, chosen_at, score, explored, decision, waiting,
                      score_lost, chance, bonus, better
               FROM in_flight ORDER BY dispatch"""
        )
        return [
            DispatchRecord(
                LinkId(link), number, after_steps, chosen_at, score, bool(explored), decision,
                np.frombuffer(row, dtype=np.float16), waiting, lost,
                None if weights is None else np.frombuffer(weights, dtype=np.float64), *worth,
            )
            for row, weights, link, number, after_steps, chosen_at, score, explored, decision, waiting, lost, *worth
            in rows
        ]  # fmt: skip

    def host_rests(self) -> list[HostRest]:
        """When each host that was asked may be asked again."""
        return [HostRest(*row) for row in self._select("SELECT * FROM hosts")]

    def retries_by_link(self) -> dict[LinkId, int]:
        """Failed tries of the links that wait to be tried again, or are being tried."""
        rows = self._select(
            """SELECT s.link, count(*) FROM steps s JOIN links l ON l.id = s.link
               WHERE s.reward IS NULL AND s.outcome IN ('failed', 'refused') AND l.state <> ? GROUP BY s.link""",
            LinkState.DONE,
        )
        return {LinkId(link): count for link, count in rows}

    def known(self) -> Iterator[KnownPage]:
        """The pages of an earlier run that this one looks at again, in the order in which it wants to."""
        for url, *facts in self._select("SELECT * FROM known ORDER BY rowid"):
            yield KnownPage(Url(url), *facts)

    def fetched_urls(self) -> Iterator[Url]:
        """The URL of every fetch that ended and was not unknown, in order."""
        rows = self._select(
            "SELECT l.url FROM steps s JOIN links l ON l.id = s.link WHERE s.outcome <> 'unknown' ORDER BY s.step"
        )
        return (Url(text) for (text,) in rows)

    def relevance_of_last_fetches(self, count: int) -> list[bool]:
        """Whether each of the last fetches brought a page that was relevant when it came, in order."""
        rows = self._select(
            """SELECT p.was_relevant FROM steps s LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
               WHERE s.outcome <> 'unknown' AND NOT EXISTS (SELECT 1 FROM passes q WHERE q.number > 1
                 AND s.step BETWEEN q.first_step AND q.last_step) ORDER BY s.step DESC LIMIT ?""",
            count,
        )
        return [bool(was_relevant) for (was_relevant,) in rows][::-1]

    def outlook(self) -> Outlook:
        """What more fetches would bring, and what is known of the links that wait."""
        return read_outlook(self._select, self.progress() or Progress())

    def identities(self) -> Iterator[tuple[LinkId, tuple[int, Url | None]]]:
        """For each page, as they came, a hash of its text and the other address it calls its own."""
        for link, text, canonical in self._select("SELECT link, text, canonical FROM identities ORDER BY step"):
            yield LinkId(link), (text, None if canonical is None else Url(canonical))

    def last_moment(self) -> float | None:
        """When the guard saw its last page."""
        ((moment,),) = self._select("SELECT max(moment) FROM prints")
        return None if moment is None else float(moment)

    def _select(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        with wrap_sqlite_errors(self._path):
            for row in self._db.execute(query, values):  # noqa: UP028 - `yield from` would close the cursor of a closed store
                yield row


def read_progress(database: sqlite3.Connection) -> Progress | None:
    """Where the crawl stood after the last whole step."""
    row = database.execute("SELECT state FROM progress").fetchone()
    if row is None:
        return None
    try:
        state = json.loads(row[0])
        return Progress(**{name: type(default)(state.get(name, default)) for name, default in FIRST_PROGRESS.items()})
    except (ValueError, TypeError, KeyError) as error:
        raise RunDamaged(f"the progress of this run cannot be read ({error!r}); restore it from a copy") from error
