"""The store in SQLite: one database, one transaction a step, write-ahead log, so readers never wait for the crawl."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from dataclasses import asdict
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, assert_never

import numpy as np
import zstandard

from honeyguide.domain import (
    Failed,
    Fetched,
    KnownPage,
    LinkId,
    LinkState,
    Origin,
    Redirected,
    Refused,
    Sighting,
    Unchanged,
    Unknown,
    Url,
)
from honeyguide.errors import DiskFull, RunDamaged, StoreError
from honeyguide.store.packing import body_packer
from honeyguide.store.records import DispatchRecord, PairRecord, Progress
from honeyguide.store.run_folder import folder_bytes
from honeyguide.store.store import LearnerSnapshot, StoredDecision, StoredLink, StoredTransition, StoredVisit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from honeyguide.domain import Outcome, Row
    from honeyguide.store.records import CompletionRecord, FoundLink, RedirectedLink, StepRecord, VisitRecord

# A killed process loses nothing with NORMAL; only a power cut may lose the last steps, never damage. The log is copied
# into the database every 16 MB, not every 4: pages that change at each step are then copied less often.
_PRAGMAS: Final = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cache_size = -32000;
    PRAGMA wal_autocheckpoint = 4000;
"""
SNAPSHOTS_KEPT: Final = 2
_FIRST_PROGRESS: Final[dict[str, Any]] = asdict(Progress())


class SqliteStore:
    """A run's database, open for writing. One thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with told_plainly(path):
            self._db = sqlite3.connect(path, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self._db.close()
                raise
        self._pack = body_packer()

    def _prepare(self) -> None:
        self._db.executescript(_PRAGMAS)
        # Asked of the tables, not of the file: a process killed just here leaves a file without any.
        if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            self._db.executescript(f"BEGIN; {_script('schema.sql')} {_script('additions.sql')} COMMIT;")
        else:
            self._db.executescript(_script("additions.sql"))

    def record(self, step: StepRecord) -> None:
        with told_plainly(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._write(step)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def progress(self) -> Progress | None:
        with told_plainly(self._path):
            return read_progress(self._db)

    def learner_snapshot(self) -> LearnerSnapshot | None:
        newest = next(self._select("SELECT step, decisions, state FROM learner ORDER BY step DESC LIMIT 1"), None)
        return None if newest is None else LearnerSnapshot(*newest)

    def links(self) -> Iterator[StoredLink]:
        rows = self._select(
            """SELECT l.id, l.url, l.state, l.hops, l.score, l.seen_as, l.anchor, l.before, l.after, l.in_main, l.row,
                      p.relevance, p.distance, p.depth, parent.url
               FROM links l LEFT JOIN pages p ON p.link = l.page LEFT JOIN links parent ON parent.id = l.page
               ORDER BY l.id"""
        )
        for number, url, state, hops, score, seen_as, anchor, before, after, in_main, row, *page in rows:
            relevance, distance, depth, page_url = page
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
            )

    def transitions_after(self, step: int) -> Iterator[StoredTransition]:
        rows = self._select(
            """SELECT s.step, s.link, s.reward, p.is_relevant, p.depth, p.distance, p.relevance, p.content_type, p.body,
                      s.row
               FROM steps s LEFT JOIN pages p ON p.link = s.link
               WHERE s.step > ? AND s.reward IS NOT NULL ORDER BY s.step""",
            step,
        )
        for number, link, reward, is_relevant, depth, distance, relevance, content_type, body, row in rows:
            yield StoredTransition(
                step=number,
                link=LinkId(link),
                reward=reward,
                is_relevant=bool(is_relevant),
                depth=depth or 0,
                distance=distance or 0,
                relevance=relevance or 0.0,
                content_type=content_type or "",
                body=None if body is None else unpacked(body, self._path),
                row=_row(row),
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

    def ready_at_by_host(self) -> dict[str, float]:
        return dict(self._select("SELECT host, ready_at FROM hosts"))

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

    def size_bytes(self) -> int:
        return folder_bytes(self._path.parent)

    def close(self) -> None:
        self._db.close()

    def _select(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        with told_plainly(self._path):
            for row in self._db.execute(query, values):  # noqa: UP028 - `yield from` would close the cursor of a closed store
                yield row

    def _write(self, step: StepRecord) -> None:
        self._write_choices(step)
        if step.completion is not None:
            self._write_completion(step.completion, step.progress.steps)
        self._write_many(
            "INSERT INTO links (id, url, page, anchor, before, after, in_main, score, row) VALUES (?,?,?,?,?,?,?,?,?)",
            [(found.link, found.url.text, *_text_columns(found)) for found in step.new_links],
        )
        self._write_many(
            """UPDATE links SET page = ?, anchor = ?, before = ?, after = ?, in_main = ?, score = ?, row = ?,
               seen_as = NULL, hops = 0, state = ? WHERE id = ?""",
            [(*_text_columns(found), LinkState.WAITING, found.link) for found in step.found_again],
        )
        if step.redirect is not None:
            self._write_redirect(step.redirect)
        self._write_many("UPDATE links SET state = ? WHERE id = ?", [(LinkState.PRUNED, link) for link in step.pruned])
        self._write_many(
            "INSERT INTO pairs VALUES (?, ?, ?)", [(pair.link, pair.score, pair.row.tobytes()) for pair in step.pairs]
        )
        self._write_many(
            "INSERT INTO hosts VALUES (?, ?) ON CONFLICT (host) DO UPDATE SET ready_at = excluded.ready_at",
            step.ready_at_by_host.items(),
        )
        self._write_many("INSERT INTO known VALUES (?,?,?,?,?,?,?,?)", [_known_columns(page) for page in step.known])
        if step.learner is not None:
            self._write_learner(step.progress, step.learner)
        self._db.execute(
            "INSERT INTO progress VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET state = excluded.state",
            (json.dumps({name: getattr(step.progress, name) for name in _FIRST_PROGRESS}),),
        )

    def _write_many(self, statement: str, rows: Collection[tuple[object, ...]]) -> None:
        if rows:
            self._db.executemany(statement, rows)

    def _write_choices(self, step: StepRecord) -> None:
        for chosen in step.dispatches:
            self._db.execute("UPDATE links SET state = ? WHERE id = ?", (LinkState.IN_FLIGHT, chosen.link))
            self._db.execute(
                "INSERT INTO in_flight VALUES (?,?,?,?,?,?,?,?)",
                (
                    chosen.link, chosen.number, chosen.after_steps, chosen.chosen_at, chosen.score, chosen.explored,
                    chosen.decision, _blob(chosen.row),
                ),
            )  # fmt: skip
        for skipped in step.skips:
            self._db.execute("UPDATE links SET state = ? WHERE id = ?", (LinkState.SKIPPED, skipped.link))
            self._db.execute(
                "INSERT INTO skips VALUES (?,?,?,?)",
                (skipped.link, skipped.after_steps, skipped.reason, skipped.decision),
            )

    def _write_completion(self, done: CompletionRecord, step: int) -> None:
        chosen = done.dispatch
        kind, status, detail, body_bytes = _outcome_columns(done.answer.outcome)
        self._db.execute("UPDATE links SET state = ? WHERE id = ?", (LinkState.DONE, chosen.link))
        self._db.execute("DELETE FROM in_flight WHERE link = ?", (chosen.link,))
        self._db.execute(
            "INSERT INTO steps VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                step, chosen.link, chosen.number, chosen.after_steps, chosen.chosen_at, done.finished_at, chosen.score,
                chosen.explored, kind, status, detail, done.answer.elapsed_s, body_bytes, done.reward, chosen.decision,
                _blob(chosen.row),
            ),
        )  # fmt: skip
        if done.visit is not None:
            assert isinstance(done.answer.outcome, Fetched)
            self._write_page(chosen.link, step, done.answer.outcome, done.visit)
        if done.redirect_target is not None:
            self._db.execute("INSERT OR IGNORE INTO edges VALUES (?,?)", (chosen.link, done.redirect_target))

    def _write_page(self, link: LinkId, step: int, fetched: Fetched, visit: VisitRecord) -> None:
        page, verdict = visit.page, visit.verdict
        body = self._pack(fetched.body) if visit.packed_body is None else visit.packed_body
        self._db.execute(
            "INSERT INTO pages VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                link, step, page.title, fetched.content_type, page.media_type, page.charset, len(page.words),
                verdict.relevance, verdict.is_relevant, visit.depth, visit.distance, body, page.digest,
            ),
        )  # fmt: skip
        if fetched.etag or fetched.last_modified:
            self._db.execute("INSERT INTO validators VALUES (?,?,?)", (link, fetched.etag, fetched.last_modified))
        self._db.executemany("INSERT INTO edges VALUES (?,?)", [(link, target) for target in sorted(visit.targets)])

    def _write_redirect(self, redirect: RedirectedLink) -> None:
        if redirect.is_new:
            self._db.execute(
                """INSERT INTO links (id, url, page, hops, seen_as, anchor, before, after, in_main, score, row)
                   SELECT ?, ?, page, ?, coalesce(seen_as, url), anchor, before, after, in_main, ?, row
                   FROM links WHERE id = ?""",
                (redirect.target, redirect.url.text, redirect.hops, redirect.score, redirect.source),
            )
            return
        self._db.execute(
            """UPDATE links SET page = s.page, seen_as = coalesce(s.seen_as, s.url), anchor = s.anchor, hops = ?,
               before = s.before, after = s.after, in_main = s.in_main, score = ?, row = s.row, state = ?
               FROM (SELECT * FROM links WHERE id = ?) AS s WHERE links.id = ?""",
            (redirect.hops, redirect.score, LinkState.WAITING, redirect.source, redirect.target),
        )

    def _write_learner(self, progress: Progress, state: bytes) -> None:
        snapshot = (progress.steps, progress.decisions, state)
        self._db.execute("INSERT OR REPLACE INTO learner VALUES (?, ?, ?)", snapshot)
        self._db.execute(
            "DELETE FROM learner WHERE step NOT IN (SELECT step FROM learner ORDER BY step DESC LIMIT ?)",
            (SNAPSHOTS_KEPT,),
        )


def _script(name: str) -> str:
    return resources.files("honeyguide.store").joinpath(name).read_text(encoding="utf-8")


def read_progress(database: sqlite3.Connection) -> Progress | None:
    """Where the crawl stood after the last whole step."""
    row = database.execute("SELECT state FROM progress").fetchone()
    if row is None:
        return None
    try:
        state = json.loads(row[0])
        return Progress(**{name: type(default)(state.get(name, default)) for name, default in _FIRST_PROGRESS.items()})
    except (ValueError, TypeError, KeyError) as error:
        raise RunDamaged(f"the progress of this run cannot be read ({error!r}); restore it from a copy") from error


def _text_columns(found: FoundLink) -> tuple[object, ...]:
    text = found.sighting
    return (
        found.page,
        " ".join(text.anchor),
        " ".join(text.before),
        " ".join(text.after),
        text.in_main,
        found.score,
        _blob(found.row),
    )


def _known_columns(page: KnownPage) -> tuple[object, ...]:
    return (
        page.url.text,
        page.relevance,
        page.digest,
        page.etag,
        page.last_modified,
        page.first_seen_at,
        page.checked_at,
        page.changes,
    )


def _blob(row: Row | None) -> bytes | None:
    return None if row is None else row.tobytes()


def _row(blob: bytes | None) -> Row | None:
    return None if blob is None else np.frombuffer(blob, dtype=np.float16)


def _outcome_columns(outcome: Outcome) -> tuple[str, int | None, str, int]:
    match outcome:
        case Fetched():
            return "fetched", outcome.status, "", len(outcome.body)
        case Unchanged():
            return "unchanged", outcome.status, "", 0
        case Redirected():
            return "redirected", outcome.status, outcome.target.text, 0
        case Refused():
            return "refused", None, f"{outcome.reason}: {outcome.detail}", 0
        case Failed():
            return "failed", outcome.status, f"{outcome.reason}: {outcome.detail}", 0
        case Unknown():
            return "unknown", None, outcome.detail, 0
        case _:
            assert_never(outcome)


def unpacked(body: bytes, path: Path) -> bytes:
    """A stored body as it was received; `path` is the database it was read from."""
    try:
        return zstandard.ZstdDecompressor().decompress(body)
    except zstandard.ZstdError as error:
        raise _damaged(path, error) from error


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
    """SQLite's errors as ours, in words that say what to do. A statement that breaks its own rules stays a bug."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):
        raise
    except sqlite3.OperationalError as error:
        code = getattr(error, "sqlite_errorcode", None)  # None: Python itself could not read the text as UTF-8
        if code in (None, sqlite3.SQLITE_ERROR):  # our statements are right, so the tables are not ours
            raise _damaged(path, error) from error
        if code == sqlite3.SQLITE_FULL:
            raise DiskFull(
                f"no room to write {path}: {error}; free some space, then resume: all earlier steps are safe"
            ) from error
        raise StoreError(f"cannot read or write {path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> RunDamaged:
    return RunDamaged(f"{path} is damaged: {error}; restore it from a copy of the run")
