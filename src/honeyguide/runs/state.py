"""The robots.txt files of a run, kept so that a crawl that goes on need not ask for them again.

What a resumed crawl reads of its database: all that it was, after the last whole step.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import zstandard

from honeyguide.errors import RunDamaged
from honeyguide.model import (
    FailureReason,
    HostRest,
    KnownPage,
    LinkId,
    LinkState,
    Origin,
    RefusalReason,
    RobotsFile,
    Sighting,
    Url,
)
from honeyguide.runs.bodies import wrap_sqlite_errors
from honeyguide.runs.records import DispatchRecord, PairRecord, Progress
from honeyguide.runs.store import (
    LearnerSnapshot,
    StoredAttempt,
    StoredDecision,
    StoredLink,
    StoredPrint,
    StoredTransition,
    StoredVisit,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.model import Row
    from honeyguide.runs.bodies import StoredBodies

MOST_KEPT: Final = 100_000
LOOK_EVERY: Final = 1000  # files kept between two looks at how many there are


class RobotsTable:
    """At most some `MOST_KEPT` files, those that expire last. Every one is safe as soon as it is kept."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._db = database
        self._kept = 0

    def find(self, origin: str) -> RobotsFile | None:
        row = self._db.execute(
            "SELECT expires, body, closed_by, detail, troubles FROM robots WHERE origin = ?", (origin,)
        ).fetchone()
        if row is None:
            return None
        expires, body, closed_by, detail, troubles = row
        try:
            unpacked = None if body is None else zstandard.ZstdDecompressor().decompress(body)
            return RobotsFile(origin, expires, unpacked, _reason(closed_by), detail, troubles)
        except (zstandard.ZstdError, ValueError) as error:
            raise RunDamaged(f"the robots.txt kept of {origin} cannot be read ({error}); restore the run") from error

    def all(self) -> Iterator[RobotsFile]:
        """Every file, one by one; some may have expired."""
        for (origin,) in self._db.execute("SELECT origin FROM robots"):
            file = self.find(origin)
            if file is not None:
                yield file

    def keep(self, file: RobotsFile) -> None:
        body = None if file.body is None else zstandard.ZstdCompressor(level=3).compress(file.body)
        self._db.execute(
            "INSERT OR REPLACE INTO robots VALUES (?,?,?,?,?,?)",
            (file.origin, file.expires, body, file.closed_by or "", file.detail, file.troubles),
        )
        self._kept += 1
        if self._kept % LOOK_EVERY == 0:
            self._db.execute(
                """DELETE FROM robots WHERE origin IN
                   (SELECT origin FROM robots ORDER BY expires DESC LIMIT -1 OFFSET ?)""",
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
        with wrap_sqlite_errors(self._path):
            return read_progress(self._db)

    def learner_snapshot(self) -> LearnerSnapshot | None:
        newest = next(self._select("SELECT step, decisions, state FROM learner ORDER BY step DESC LIMIT 1"), None)
        return None if newest is None else LearnerSnapshot(*newest)

    def links(self) -> Iterator[StoredLink]:
        rows = self._select(
            """SELECT l.id, l.url, l.state, l.hops, l.score, l.seen_as, l.anchor, l.before, l.after, l.in_main, l.row,
                      l.found_on, l.level, l.carried, again.demotion, p.relevance, p.distance, p.depth, parent.url
               FROM links l LEFT JOIN pages p ON p.link = l.page LEFT JOIN links parent ON parent.id = l.page
               LEFT JOIN shown_again again ON again.link = l.id
               ORDER BY l.id"""
        )
        for number, url, state, hops, score, seen_as, anchor, before, after, in_main, row, *more in rows:
            found_on, level, carried, shown_again, relevance, distance, depth, page_url = more
            origin = None if page_url is None else Origin(Url(page_url).host, relevance, distance, depth)
            yield StoredLink(
                link=LinkId(number),
                url=Url(url),
                state=LinkState(state),
                hops=hops,
                score=score,
                sighting=Sighting(
                    seen_as=Url(seen_as or url),
                    anchor=tuple(anchor.split()),
                    before=tuple(before.split()),
                    after=tuple(after.split()),
                    in_main=bool(in_main),
                    origin=origin,
                ),
                row=_row(row),
                found_on=None if found_on is None else LinkId(found_on),
                level=level,
                carried=carried,
                shown_again=shown_again,
            )

    def transitions_after(self, step: int) -> Iterator[StoredTransition]:
        rows = self._select(
            """SELECT s.step, s.link, s.reward, p.is_relevant, p.depth, p.distance, p.relevance, p.content_type, p.body,
                      d.robots_tag, s.row, a.file, a.offset
               FROM steps s LEFT JOIN pages p ON p.link = s.link AND p.step = s.step
               LEFT JOIN directives d ON d.link = p.link LEFT JOIN archive a ON a.step = p.step
               WHERE s.step > ? AND s.reward IS NOT NULL ORDER BY s.step""",
            step,
        )
        for number, link, reward, is_relevant, depth, distance, relevance, content_type, body, tag, row, *place in rows:
            yield StoredTransition(
                step=number,
                link=LinkId(link),
                reward=reward,
                is_relevant=bool(is_relevant),
                depth=depth or 0,
                distance=distance or 0,
                relevance=relevance or 0.0,
                content_type=content_type or "",
                body=None if body is None else self._bodies.read(body, *place),
                row=_row(row),
                robots_tag=tag or "",
            )

    def visits(self) -> Iterator[StoredVisit]:
        rows = self._select(
            """SELECT s.step, s.link, s.outcome, p.relevance, p.is_relevant
               FROM steps s LEFT JOIN pages p ON p.link = s.link
               WHERE s.outcome IN ('fetched', 'redirected') ORDER BY s.step"""
        )
        for step, link, outcome, relevance, is_relevant in rows:
            targets = self._select("SELECT target FROM edges WHERE source = ? ORDER BY target", link)
            yield StoredVisit(
                step=step,
                link=LinkId(link),
                relevance=relevance or 0.0,
                is_relevant=bool(is_relevant),
                targets=tuple(LinkId(target) for (target,) in targets),
                is_redirect=outcome == "redirected",
            )

    def pairs(self) -> Iterator[PairRecord]:
        for link, score, row in self._select("SELECT link, score, row FROM pairs ORDER BY rowid"):
            yield PairRecord(LinkId(link), score, np.frombuffer(row, dtype=np.float16))

    def in_flight(self) -> list[DispatchRecord]:
        rows = self._select(
            """SELECT link, dispatch, after_steps, chosen_at, score, explored, decision, row
               FROM in_flight ORDER BY dispatch"""
        )
        return [
            DispatchRecord(LinkId(link), number, after_steps, chosen_at, score, bool(explored), decision, _row(row))
            for link, number, after_steps, chosen_at, score, explored, decision, row in rows
        ]

    def host_rests(self) -> list[HostRest]:
        return [HostRest(*row) for row in self._select("SELECT * FROM hosts")]

    def attempts_in_vain(self) -> list[StoredAttempt]:
        rows = self._select(
            """SELECT link, after_steps, step FROM steps
               WHERE reward IS NULL AND outcome IN ('failed', 'refused') ORDER BY step"""
        )
        return [StoredAttempt(LinkId(link), after_steps, step) for link, after_steps, step in rows]

    def decisions_from(self, number: int) -> Iterator[StoredDecision]:
        rows = self._select(
            """SELECT decision AS number, link, after_steps, 0, row FROM steps WHERE number >= ?1
               UNION ALL SELECT decision AS number, link, after_steps, 0, row FROM in_flight WHERE number >= ?1
               UNION ALL SELECT decision AS number, link, after_steps, 1, NULL FROM skips WHERE number >= ?1
               ORDER BY number""",
            number,
        )
        return (
            StoredDecision(number, LinkId(link), after_steps, bool(is_skipped), _row(row))
            for number, link, after_steps, is_skipped, row in rows
        )

    def known(self) -> Iterator[KnownPage]:
        for url, *facts in self._select("SELECT * FROM known ORDER BY rowid"):
            yield KnownPage(Url(url), *facts)

    def fetches(self) -> Iterator[tuple[int, Url]]:
        rows = self._select(
            """SELECT s.step, l.url FROM steps s JOIN links l ON l.id = s.link
               WHERE s.outcome <> 'unknown' ORDER BY s.step"""
        )
        return ((step, Url(text)) for step, text in rows)

    def identities(self) -> Iterator[tuple[LinkId, tuple[int, Url | None]]]:
        for link, text, canonical in self._select("SELECT link, text, canonical FROM identities ORDER BY step"):
            yield LinkId(link), (text, None if canonical is None else Url(canonical))

    def prints_after(self, step: int) -> Iterator[StoredPrint]:
        rows = self._select("SELECT * FROM prints WHERE step > ? ORDER BY step", step)
        for number, link, found_on, moment, met, is_same, fingerprint in rows:
            parent = None if found_on is None else LinkId(found_on)
            yield StoredPrint(number, LinkId(link), parent, moment, met, bool(is_same), fingerprint)

    def last_moment(self) -> float | None:
        ((moment,),) = self._select("SELECT max(moment) FROM prints")
        return None if moment is None else float(moment)

    def drops(self) -> Iterator[tuple[LinkId, int]]:
        return ((LinkId(link), after) for link, after in self._select("SELECT link, after_steps FROM drops"))

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


def _row(blob: bytes | None) -> Row | None:
    return None if blob is None else np.frombuffer(blob, dtype=np.float16)
