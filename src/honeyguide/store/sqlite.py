"""The store in SQLite: one database, one transaction a step, write-ahead log, so readers never wait for the crawl."""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, assert_never

import numpy as np

from honeyguide.domain import (
    Cut,
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
from honeyguide.domain.whole_exchange import whole_exchange
from honeyguide.errors import DiskFull, RunDamaged, StoreError
from honeyguide.store.archive import ArchivePlace
from honeyguide.store.bodies import NOT_HERE, StoredBodies
from honeyguide.store.packing import body_packer
from honeyguide.store.records import DispatchRecord, HostRecord, PairRecord, Progress
from honeyguide.store.robots_table import RobotsTable
from honeyguide.store.run_folder import folder_bytes
from honeyguide.store.store import (
    LearnerSnapshot,
    StoredAttempt,
    StoredDecision,
    StoredLink,
    StoredTransition,
    StoredVisit,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from honeyguide.domain import Outcome, RobotsFile, Row
    from honeyguide.store.archive import WarcArchive
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
    """A run's database, open for writing, and its archive if it has one. One thread.

    Without an archive, `keeps_bodies` says whether bodies stay in the database; see `bodies`.
    """

    def __init__(self, path: Path, archive: WarcArchive | None = None, *, keeps_bodies: bool = True) -> None:
        self._path = path
        self._archive = archive
        self._keeps_bodies = keeps_bodies
        self._bodies = StoredBodies(path)
        self._passing: list[int] = []  # pages whose bodies go when the learner is saved
        with told_plainly(path):
            self._db = sqlite3.connect(path, isolation_level=None)
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise
        self._pack = body_packer()
        self._robots = RobotsTable(self._db)

    def _prepare(self) -> None:
        self._db.executescript(_PRAGMAS)
        # Asked of the tables, not of the file: a process killed just here leaves a file without any.
        if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
            script = resources.files("honeyguide.store").joinpath("schema.sql").read_text(encoding="utf-8")
            self._db.executescript(f"BEGIN; {script} COMMIT;")
        those = "" if not self._keeps_bodies else "AND link IN (SELECT link FROM directives WHERE is_unindexed)"
        left = self._db.execute(f"SELECT link FROM pages WHERE body <> ? {those}", (NOT_HERE,))  # noqa: S608
        self._passing = [link for (link,) in left]
        if self._archive is not None:
            last = self._db.execute("SELECT file, offset, end FROM archive ORDER BY step DESC LIMIT 1").fetchone()
            self._archive.go_on_from(None if last is None else ArchivePlace(*last))

    def record(self, step: StepRecord) -> None:
        with told_plainly(self._path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._write(step)
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if self._archive is not None:
                    self._archive.cut_back()
                raise
            if self._archive is not None:
                self._archive.settle()

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

    def ready_at_by_host(self) -> dict[str, float]:
        return dict(self._select("SELECT host, ready_at FROM hosts"))

    def live_hosts(self) -> list[HostRecord]:
        rows = self._select("SELECT host, address, address_ready_at, troubles FROM live_hosts")
        return [HostRecord(*row) for row in rows]

    def attempts_in_vain(self) -> list[StoredAttempt]:
        rows = self._select(
            """SELECT link, after_steps, step FROM steps
               WHERE reward IS NULL AND outcome IN ('failed', 'refused') ORDER BY step"""
        )
        return [StoredAttempt(LinkId(link), after_steps, step) for link, after_steps, step in rows]

    def robots_file(self, origin: str) -> RobotsFile | None:
        """What was kept of an origin's robots.txt."""
        with told_plainly(self._path):
            return self._robots.find(origin)

    def keep_robots_file(self, file: RobotsFile) -> None:
        """Keep a robots.txt; a killed process does not lose it."""
        with told_plainly(self._path):
            self._robots.keep(file)

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

    def size_bytes(self) -> int:
        return folder_bytes(self._path.parent)

    def close(self) -> None:
        self._db.close()
        if self._archive is not None:
            self._archive.close()

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
            "UPDATE links SET state = ? WHERE id = ?", [(LinkState.SURPLUS, link) for link in step.surplus]
        )
        self._write_many(
            "INSERT INTO hosts VALUES (?, ?) ON CONFLICT (host) DO UPDATE SET ready_at = excluded.ready_at",
            step.ready_at_by_host.items(),
        )
        self._write_many("INSERT INTO known VALUES (?,?,?,?,?,?,?,?)", [_known_columns(page) for page in step.known])
        if step.host is not None:
            self._db.execute(
                "INSERT OR REPLACE INTO live_hosts VALUES (?,?,?,?)",
                (step.host.host, step.host.address, step.host.address_ready_at, step.host.troubles),
            )
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
        if done.visit is not None and done.visit.is_unindexed:
            detail = "noindex"
        state = LinkState.DONE if done.is_final else LinkState.WAITING
        self._db.execute("UPDATE links SET state = ? WHERE id = ?", (state, chosen.link))
        self._db.execute("DELETE FROM in_flight WHERE link = ?", (chosen.link,))
        self._db.execute(
            "INSERT INTO steps VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                step, chosen.link, chosen.number, chosen.after_steps, chosen.chosen_at, done.finished_at, chosen.score,
                chosen.explored, kind, status, detail, done.answer.elapsed_s, body_bytes, done.reward, chosen.decision,
                _blob(chosen.row),
            ),
        )  # fmt: skip
        self._archive_answer(done, step)
        if done.visit is not None:
            assert isinstance(done.answer.outcome, Fetched)
            self._write_page(chosen.link, step, done.answer.outcome, done.visit)
        if done.redirect_target is not None:
            self._db.execute("INSERT OR IGNORE INTO edges VALUES (?,?)", (chosen.link, done.redirect_target))

    def _write_page(self, link: LinkId, step: int, fetched: Fetched, visit: VisitRecord) -> None:
        page, verdict = visit.page, visit.verdict
        if fetched.robots_tag or visit.is_unindexed:
            self._db.execute("INSERT INTO directives VALUES (?,?,?)", (link, fetched.robots_tag, visit.is_unindexed))
        if visit.identity is not None:
            text, canonical = visit.identity
            own = None if canonical is None else canonical.text
            self._db.execute("INSERT INTO identities VALUES (?,?,?,?)", (step, link, text, own))
        title = "" if visit.is_unindexed else page.title
        body = self._kept(link, fetched.body, visit)
        self._db.execute(
            "INSERT INTO pages VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (
                link, step, title, fetched.content_type, page.media_type, page.charset, len(page.words),
                verdict.relevance, verdict.is_relevant, visit.depth, visit.distance, body, page.digest,
            ),
        )  # fmt: skip
        if fetched.etag or fetched.last_modified:
            self._db.execute("INSERT INTO validators VALUES (?,?,?)", (link, fetched.etag, fetched.last_modified))
        self._db.executemany("INSERT INTO edges VALUES (?,?)", [(link, target) for target in sorted(visit.targets)])

    def _kept(self, link: LinkId, body: bytes, visit: VisitRecord) -> bytes:
        """What of a body goes into the database."""
        if visit.is_unindexed or not self._keeps_bodies:
            self._passing.append(link)
        elif self._archive is not None:
            return NOT_HERE
        return self._pack(body) if visit.packed_body is None else visit.packed_body

    def _archive_answer(self, done: CompletionRecord, step: int) -> None:
        exchange = None if self._archive is None else whole_exchange(done.answer)
        if self._archive is None or exchange is None:
            return
        if done.visit is not None and done.visit.is_unindexed:
            exchange = replace(exchange, body=b"", cut=Cut.UNSPECIFIED)
        ((text,),) = self._db.execute("SELECT url FROM links WHERE id = ?", (done.dispatch.link,))
        asked_at = done.finished_at - done.answer.elapsed_s
        place = self._archive.append(exchange, Url(text), done.answer.address, asked_at, step)
        self._db.execute("INSERT INTO archive VALUES (?,?,?,?)", (step, *place))

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
        self._db.executemany("UPDATE pages SET body = ? WHERE link = ?", [(NOT_HERE, link) for link in self._passing])
        self._passing.clear()
        if self._archive is not None:
            self._archive.sync()


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
