"""Gathers the shards of a run into one ordinary database, so that everything that reads runs reads these as well.

Links are one by URL and get new numbers, seeds first. Steps are put in order of time; those that a later gathering
finds come behind those that an earlier one has found. Everything else follows its link or its step. Bodies and
archives stay where they are (`shards`). Only what is new since the last time is read, by marks in the same database,
and one transaction takes it in, so a reader or a kill never meets half of it. Rows flow from one database into the
other, one shard after the other: memory does not grow with the run. (SQLite could attach the shards, but ten at most,
and it lets go of none before the transaction ends.)

The gathered learner is that of the shard that has made the most steps, without its guard, whose memory is of links by
the shard's numbers. Its journal is left out, so after a kill it is some steps old.

Whoever holds the run's lock gathers: the crawl, now and then and at its end, or else a reader that finds shards that
have gone on. A run that was looked at again in place (`passes`) has left its shards behind, and is not gathered again.
"""

# ruff: noqa: S608 - statements are put together from our own words and numbers

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from contextlib import closing, contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from honeyguide.errors import RunBusy, RunDamaged, StoreError
from honeyguide.model import LinkState
from honeyguide.runs.bodies import wrap_sqlite_errors
from honeyguide.runs.folder import RunFolder, RunLock, is_being_crawled
from honeyguide.runs.records import LearnerSnapshot, join_snapshot, split_snapshot
from honeyguide.runs.schema import create_tables, refuse_strange_tables
from honeyguide.runs.shards import archive_in_shard, body_in_shard, is_sharded, shard_folders
from honeyguide.runs.state import FIRST_PROGRESS, read_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from honeyguide.model import Url
    from honeyguide.runs.records import Progress

_PRAGMAS: Final = """
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA cache_size = -64000;
    PRAGMA wal_autocheckpoint = 4000;
"""
_OTHER: Final = LinkState.ELSEWHERE
_LARGEST: Final = frozenset({"now", "spent_seconds", "unjudged_in_a_row", "questions"})  # of all shards; others add up
_NEW_STEPS: Final = "WHERE step > :after AND step <= :upto"
_NEW_PAGES: Final = f"WHERE link IN (SELECT link FROM pages {_NEW_STEPS})"
_LINKS_TOUCHED: Final = f"""AND (id >= :links OR id IN (SELECT link FROM steps {_NEW_STEPS})
    OR id IN (SELECT link FROM in_flight) OR id IN (SELECT link FROM skips WHERE after_steps >= :after))"""
# Every shard is told of every answer: it is one by its message, or by what it says where it came in none.
_ANSWER_KEY: Final = "coalesce(message, url || ' ' || answerer || ' ' || name || ' ' || answer)"
_AT_ONCE: Final = 10_000  # links


ROWS_AT_ONCE: Final = 1000  # that one process reads for another; fewer where they are long
BYTES_AT_ONCE: Final = 4_000_000  # of texts, and a row
ReadShard: TypeAlias = "Callable[[int, str, object], Iterable[tuple[Any, ...]]]"


class _Mark(NamedTuple):
    """How far a shard was read before."""

    steps: int = 0
    links: int = 0
    pairs: int = 0
    restarts: int = 0
    files: str = ""


class _Shard(NamedTuple):
    """A shard that has gone on since."""

    number: int
    database: Path
    files: str
    before: _Mark
    progress: Progress  # up to which it is read now
    links: int
    pairs: int
    is_at_rest: bool  # nobody crawls it, so its rows can be compared one by one


def gather(
    run: Path,
    *,
    lock_is_held: bool = False,
    on_progress: Callable[[int, int], None] = lambda *_: None,
    read: ReadShard | None = None,
) -> bool:
    """Bring the database of a run up to date with its shards; whether there was anything new.

    A run without shards is left alone, and so is one that another process writes, unless the caller holds its lock.
    `on_progress` hears how many shards are done, and of how many. RunDamaged for a shard that is missing or damaged.
    `read` yields the rows of a query of a shard, by its number, where another machine writes it: the write-ahead log of
    SQLite can be read on that machine alone.
    """
    if not is_sharded(run):
        return False
    folder = RunFolder(run)
    marks = _read_marks(folder)
    if marks is None or (folder.database_file.exists() and not _changed(run, marks)):
        return False
    if lock_is_held:
        return _Gathering(folder, on_progress, read).make()
    if not os.access(run, os.W_OK):
        if folder.database_file.exists():
            return False
        raise StoreError(
            f"{run} was not gathered from its shards yet and cannot be written: copy it where you may write"
        )
    try:
        with RunLock(folder):
            return _Gathering(folder, on_progress).make()
    except RunBusy:  # its crawl gathers
        return False


def _read_marks(folder: RunFolder) -> dict[int, _Mark] | None:
    """Return how far each shard was read; None where the run has left its shards behind."""
    if not folder.database_file.exists():
        return {}
    with (
        wrap_sqlite_errors(folder.database_file),
        closing(sqlite3.connect(f"{folder.database_file.resolve().as_uri()}?mode=ro", uri=True)) as database,
    ):
        refuse_strange_tables(database, folder.database_file)
        return _marks(database)


def _marks(database: sqlite3.Connection) -> dict[int, _Mark] | None:
    if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return {}
    if database.execute("SELECT 1 FROM passes LIMIT 1").fetchone():
        return None
    rows = database.execute(
        "SELECT shard, steps, links, pairs, json_extract(progress, '$.restarts'), files FROM gathered"
    )
    return {shard: _Mark(*mark) for shard, *mark in rows}


def _changed(run: Path, marks: dict[int, _Mark]) -> list[int]:
    """Return the shards whose files are not as they were; one that was never begun is as it was."""
    return [
        number
        for number, folder in enumerate(shard_folders(run))
        if (_files(folder) != marks[number].files if number in marks else RunFolder(folder).has_started)
    ]


def _files(folder: Path) -> str:
    """Describe the files of a shard's database: another description, other content. A log without content is none."""
    found = []
    for name in ("crawl.sqlite", "crawl.sqlite-wal"):
        with suppress(FileNotFoundError):
            about = (folder / name).stat()
            found += [f"{about.st_mtime_ns}:{about.st_size}"] if about.st_size else []
    return " ".join(found)


class _Gathering:
    """One gathering of a run whose lock is held."""

    def __init__(
        self, folder: RunFolder, on_progress: Callable[[int, int], None], read: ReadShard | None = None
    ) -> None:
        self._folder = folder
        self._read = read
        self._file = folder.database_file
        self._on_progress = on_progress

    def make(self) -> bool:
        with wrap_sqlite_errors(self._file), closing(sqlite3.connect(self._file, isolation_level=None)) as self._db:
            refuse_strange_tables(self._db, self._file)
            self._db.executescript(_PRAGMAS)
            if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                create_tables(self._db)
            self._db.execute("BEGIN IMMEDIATE")
            try:
                is_new = self._take_in()
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise
        return is_new

    def _take_in(self) -> bool:
        marks = _marks(self._db)
        shards = [] if marks is None else self._shards(marks)
        if marks and any(not shard.before.files and shard.progress.seeds for shard in shards):
            for (table,) in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                self._db.execute(f"DELETE FROM {table}")
            shards = self._shards({})
        if not shards:
            return False
        self._number_steps(shards)
        for shard in shards:
            self._add_links(shard, "id < :seeds", {"seeds": shard.progress.seeds})
        for done, shard in enumerate(shards):
            self._on_progress(done, len(shards))
            self._copy(shard)
        self._save_sums()
        self._on_progress(len(shards), len(shards))
        return True

    def _shards(self, marks: dict[int, _Mark]) -> list[_Shard]:
        """Return the shards that have gone on and have stored a step."""
        folders = shard_folders(self._folder.path)
        found = (self._look_at(number, folders[number], marks) for number in _changed(self._folder.path, marks))
        return [shard for shard in found if shard is not None]

    def _look_at(self, number: int, folder: Path, marks: dict[int, _Mark]) -> _Shard | None:
        path, files, is_crawled = folder / "crawl.sqlite", _files(folder), is_being_crawled(folder)
        if not path.exists():
            raise RunDamaged(f"{folder} has no crawl.sqlite; restore the shard from a copy of the run")
        RunFolder.open(folder)
        with wrap_sqlite_errors(path), self._opened(number, path) as part:
            if self._read is None:  # else its owner has
                refuse_strange_tables(part, path)
            has_tables = part.execute("SELECT 1 FROM sqlite_master").fetchone()
            progress = read_progress(part) if has_tables else None
            if progress is None:
                return None
            ((links,),) = part.execute("SELECT coalesce(max(id) + 1, 0) FROM links")
            ((pairs,),) = part.execute("SELECT coalesce(max(rowid), 0) FROM pairs")
        mark = marks.get(number, _Mark())
        if progress.steps < mark.steps or links < mark.links:
            raise RunDamaged(
                f"{folder} has {progress.steps:,} steps, and the run has {mark.steps:,} of it: it was put back to an "
                f"older state; delete {self._file} to gather all shards anew"
            )
        return _Shard(number, path, files, mark, progress, links, pairs, not is_crawled)

    def _number_steps(self, shards: list[_Shard]) -> None:
        """Number the new steps of all shards in order of time, and their fetches in the order in which they began."""
        db = self._db
        db.execute("CREATE TEMP TABLE begun (shard INTEGER, own INTEGER, ended REAL, chosen REAL, number INTEGER)")
        for shard in shards:
            with wrap_sqlite_errors(shard.database), self._opened(shard.number, shard.database) as part:
                rows = part.execute(
                    "SELECT step, finished_at, chosen_at FROM steps WHERE step > ? AND step <= ?",
                    (shard.before.steps, shard.progress.steps),
                )
                db.executemany(f"INSERT INTO begun VALUES ({shard.number}, ?, ?, ?, 0)", rows)
        ((known,),) = db.execute("SELECT count(*) FROM gathered_steps")
        db.execute(
            f"""INSERT INTO gathered_steps SELECT shard, own, {known} + row_number() OVER (ORDER BY ended, shard, own)
                FROM (SELECT shard, own, max(ended) OVER (PARTITION BY shard ORDER BY own) AS ended FROM begun)"""
        )
        db.execute("CREATE TEMP TABLE dispatched (shard INTEGER, own INTEGER, number, PRIMARY KEY (shard, own))")
        db.execute(
            f"""INSERT INTO dispatched SELECT shard, own, {known - 1} + row_number() OVER (ORDER BY chosen, shard, own)
                FROM begun"""
        )

    def _copy(self, shard: _Shard) -> None:
        self._add_links(shard, "id >= :first AND id < :end", {"first": shard.before.links, "end": shard.links})
        with wrap_sqlite_errors(shard.database), self._opened(shard.number, shard.database) as part:
            copy = _Copy(self._db, part, shard)
            copy.links()
            copy.steps()
            copy.pages()
            copy.guard()
            copy.answers()
            copy.hosts()
            copy.mark()

    def _add_links(self, shard: _Shard, which: str, values: dict[str, int]) -> None:
        """Give links of a shard their numbers in the run. A URL that no shard has shown yet gets the next one."""
        with wrap_sqlite_errors(shard.database), self._opened(shard.number, shard.database) as part:
            rows = part.execute(
                f"""SELECT id, url, state, hops, anchor, description, score, row, level, carried FROM links
                    WHERE {which} ORDER BY id""",
                values,
            )
            while some := rows.fetchmany(_AT_ONCE):
                self._db.executemany(
                    """INSERT INTO links (id, url, state, hops, anchor, description, score, row, level, carried)
                       SELECT (SELECT coalesce(max(id) + 1, 0) FROM links), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
                       WHERE NOT EXISTS (SELECT 1 FROM links WHERE url = ?2) AND ?1 IS NOT NULL""",
                    some,
                )
                self._db.executemany(
                    f"INSERT OR IGNORE INTO gathered_links SELECT {shard.number}, ?, id FROM links WHERE url = ?",
                    [row[:2] for row in some],
                )

    @contextmanager
    def _opened(self, shard: int, path: Path) -> Iterator[sqlite3.Connection]:
        if self._read is not None:
            yield cast("sqlite3.Connection", _Remote(self._read, shard))
            return
        with closing(open_to_read(path)) as opened:
            yield opened

    def _save_sums(self) -> None:
        """Add up the counts of all shards, and take over the learner of the one with the most steps."""
        rows = self._db.execute("SELECT shard, progress, stage_seconds FROM gathered").fetchall()
        by_shard = {shard: json.loads(progress) for shard, progress, _ in rows}
        ((seeds,),) = self._db.execute(
            """SELECT count(DISTINCT g.link) FROM gathered_links g JOIN gathered s ON s.shard = g.shard
               WHERE g.own < json_extract(s.progress, '$.seeds')"""
        )
        busiest = max(by_shard, key=lambda shard: (by_shard[shard]["steps"], -shard))
        progress = _sum_of(by_shard.values()) | {"seeds": seeds, "chance_state": by_shard[busiest]["chance_state"]}
        seconds: Counter[str] = Counter()
        for *_, stages in rows:
            seconds.update(json.loads(stages))
        self._db.execute("DELETE FROM stage_seconds")
        self._db.executemany("INSERT INTO stage_seconds VALUES (?, ?)", seconds.items())
        self._db.execute("INSERT OR REPLACE INTO progress VALUES (1, ?)", (json.dumps(progress),))
        path = shard_folders(self._folder.path)[busiest] / "crawl.sqlite"
        with wrap_sqlite_errors(path), self._opened(busiest, path) as part:
            newest = part.execute("SELECT state FROM learner").fetchone()
        self._db.execute("DELETE FROM learner")
        if newest is not None:
            state = join_snapshot(split_snapshot(newest[0])[:2])
            self._db.execute("INSERT INTO learner VALUES (?, ?)", (progress["steps"], state))


class _Remote:
    """A shard that another process reads for us: as much of a connection and a cursor as is used here."""

    def __init__(self, read: ReadShard, shard: int) -> None:
        self._read = read
        self._shard = shard
        self._rows: Iterator[tuple[Any, ...]] = iter(())

    def execute(self, query: str, values: object = ()) -> _Remote:
        found = _Remote(self._read, self._shard)
        found._rows = iter(self._read(self._shard, query, values))
        return found

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        return next(self._rows, None)

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        return list(islice(self._rows, size))

    def fetchall(self) -> list[tuple[Any, ...]]:
        return list(self._rows)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open the database of a shard, on the machine that writes it."""
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)


def rows_in_batches(path: Path, query: str, values: Any) -> Iterator[list[tuple[Any, ...]]]:  # noqa: ANN401
    """Yield the rows of a query of a shard's database, on the machine that writes it, in pieces for one message."""
    with closing(open_to_read(path)) as opened:
        batch: list[tuple[Any, ...]] = []
        size = 0
        for row in opened.execute(query, values):
            batch.append(row)
            size += sum(len(value) for value in row if isinstance(value, (bytes, str)))
            if len(batch) >= ROWS_AT_ONCE or size >= BYTES_AT_ONCE:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def learner_of_owner(shards: Iterable[Path], url: Url) -> tuple[int, LearnerSnapshot] | None:
    """Return which shard has a URL, and its learner as it was saved last; None where no shard can tell."""
    for number, folder in enumerate(shards):
        with suppress(sqlite3.Error), closing(open_to_read(folder / "crawl.sqlite")) as part:
            query = f"SELECT learner.step, learner.state FROM learner, links WHERE url = ? AND links.state <> {_OTHER}"
            row = part.execute(query, (url.text,)).fetchone()
            if row is not None:
                return number, LearnerSnapshot(*row)
    return None


def _sum_of(shards: Collection[dict[str, Any]]) -> dict[str, Any]:
    """Return the progress of a run from those of its shards, by name."""
    summed: dict[str, Any] = {}
    for name, default in FIRST_PROGRESS.items():
        values = [shard.get(name, default) for shard in shards]
        if isinstance(default, bool):
            summed[name] = any(values)
        elif isinstance(default, str):
            summed[name] = ""
        else:
            summed[name] = max(values) if name in _LARGEST else sum(values)
    reasons = Counter(shard.get("stop_reason", "") for shard in shards)
    summed["stop_reason"] = "" if reasons[""] else reasons.most_common(1)[0][0]
    return summed


class _Copy:
    """Copies what is new in a shard; its links and steps have their numbers in the run already."""

    def __init__(self, database: sqlite3.Connection, part: sqlite3.Connection, shard: _Shard) -> None:
        self._db = database
        self._part = part
        self._shard = shard
        before = shard.before
        self._range = {
            "after": before.steps, "upto": shard.progress.steps, "links": before.links, "pairs": before.pairs,
            "end": shard.links, "last_pair": shard.pairs,  # a shard that is being crawled may have more by now
        }  # fmt: skip

    def links(self) -> None:
        """Bring the states of the shard's own links up to date, and tell on which pages they stand."""
        which = "" if self._shard.is_at_rest else _LINKS_TOUCHED
        self._run(
            """UPDATE links SET state = ?2, page = coalesce(link(?3), page), found_on = coalesce(link(?4), found_on),
                 hops = ?5, anchor = ?6, description = ?7, score = ?8, row = ?9, level = ?10, carried = ?11
               WHERE id = link(?1) AND (state, score, level, hops, page) IS NOT (?2, ?8, ?10, ?5, link(?3))
                 AND NOT (state = 2 AND ?2 <> 2)""",
            f"""SELECT id, state, page, found_on, hops, anchor, description, score, row, level, carried FROM links
                WHERE state <> {_OTHER} {which}""",
        )
        self._run(
            f"UPDATE links SET page = link(?2), found_on = link(?3) WHERE id = link(?1) AND state = {_OTHER}",
            f"SELECT id, page, found_on FROM links WHERE state = {_OTHER} AND id >= :links",
        )
        self._run(
            "INSERT INTO pairs SELECT link(?1), ?2, ?3",
            "SELECT link, score, row FROM pairs WHERE rowid > :pairs AND rowid <= :last_pair ORDER BY rowid",
        )
        self._db.execute(
            "DELETE FROM in_flight WHERE link IN (SELECT id FROM links WHERE state <> ?)", (LinkState.IN_FLIGHT,)
        )
        self._run(
            f"INSERT OR REPLACE INTO in_flight SELECT link(?1), ?2, coalesce(step(?3), 0), {_values(4, 14)}",
            "SELECT * FROM in_flight WHERE link < :end",
        )
        self._run(
            "INSERT OR REPLACE INTO skips SELECT link(?1), coalesce(step(?2), 0), ?3, ?4",
            """SELECT link, after_steps, reason, decision FROM skips
               WHERE after_steps >= :after AND after_steps <= :upto AND link < :end""",
        )

    def steps(self) -> None:
        began = f"(SELECT number FROM dispatched WHERE shard = {self._shard.number} AND own = ?1)"
        self._run(
            f"INSERT INTO steps SELECT step(?1), link(?2), {began}, coalesce(step(?4), 0), {_values(5, 16)}, {began}",
            f"""SELECT step, link, dispatch, after_steps, chosen_at, finished_at, score, explored, outcome, status,
                  reason, target, detail, elapsed_s, body_bytes, reward FROM steps {_NEW_STEPS} ORDER BY step""",
        )
        for table, values in (
            ("choices", f"step(?1), {_values(2, 8)}"),
            ("fields", "step(?1), ?2"),
            ("identities", f"step(?1), link(?2), {_values(3, 4)}"),
            ("prints", f"step(?1), link(?2), {_values(3, 4)}"),
        ):
            self._run(f"INSERT INTO {table} SELECT {values}", f"SELECT * FROM {table} {_NEW_STEPS} ORDER BY step")
        file = archive_in_shard(self._shard.number, "file")
        self._run(
            "INSERT INTO archive SELECT step(?1), ?2, ?3, ?4",
            f"SELECT step, {file}, offset, end FROM archive {_NEW_STEPS} ORDER BY step",
        )
        self._run(
            "INSERT OR IGNORE INTO edges SELECT link(?1), link(?2)",
            """SELECT e.source, e.target FROM steps s CROSS JOIN edges e ON e.source = s.link
               WHERE s.step > :after AND s.step <= :upto""",
        )

    def pages(self) -> None:
        self._run(
            f"INSERT OR IGNORE INTO pages SELECT link(?1), step(?2), {_values(3, 16)}",
            f"SELECT * FROM pages {_NEW_STEPS} ORDER BY step",
        )
        body = body_in_shard(self._shard.number, "link")
        self._run(
            "INSERT OR IGNORE INTO bodies SELECT link(?1), ?2",
            f"SELECT link, {body} FROM bodies {_NEW_PAGES}",
        )
        for table, last in (("keywords", 5), ("validators", 3), ("directives", 6)):
            self._run(
                f"INSERT OR IGNORE INTO {table} SELECT link(?1), {_values(2, last)}",
                f"SELECT * FROM {table} {_NEW_PAGES}",
            )
        if self._shard.is_at_rest:  # answers may have changed any
            self._run(
                """UPDATE pages SET relevance = ?2, is_relevant = ?3, distance = ?4
                   WHERE link = link(?1) AND (relevance, is_relevant, distance) IS NOT (?2, ?3, ?4)""",
                "SELECT link, relevance, is_relevant, distance FROM pages WHERE step <= :after",
            )
            # Most of them are pages of the run; a redirect into this shard is none, and its target is described by it.
            self._run(
                f"INSERT OR REPLACE INTO pages_elsewhere SELECT link(?1), {_values(2, 5)}",
                "SELECT * FROM pages_elsewhere",
            )

    def guard(self) -> None:
        self._run(
            "INSERT OR REPLACE INTO findings SELECT link(?1), step(?2), step(?3), ?4, ?5, ?6, link(?7), ?8, ?9",
            "SELECT * FROM findings WHERE found_at > :after AND found_at <= :upto",
        )
        self._run(
            f"INSERT OR REPLACE INTO moves SELECT {_values(1, 7)}, coalesce(step(?8), 0), coalesce(step(?9), 0)",
            "SELECT * FROM moves",
        )
        for _, after_steps, moment, reason, source, links in self._part.execute(
            "SELECT * FROM restarts WHERE number > ? ORDER BY number", (self._shard.before.restarts,)
        ).fetchall():
            numbers = [self._link(own) for own in json.loads(links)]
            self._db.execute(
                self._numbered("INSERT INTO restarts SELECT NULL, coalesce(step(?1), 0), ?2, ?3, ?4, ?5"),
                (after_steps, moment, reason, source, json.dumps(numbers)),
            )

    def answers(self) -> None:
        """Take over answers that are not there yet: all shards are told of each."""
        query = f"SELECT number, {_ANSWER_KEY} FROM answers"
        known = {key: number for number, key in self._db.execute(query)}
        for row in self._part.execute(f"SELECT {_ANSWER_KEY}, * FROM answers ORDER BY number").fetchall():
            key, _, moment, step, url, link, *rest, undone_at = row
            if key not in known:
                self._db.execute(
                    self._numbered("INSERT INTO answers SELECT NULL, ?1, coalesce(step(?2), 0), ?3, link(?4), ")
                    + _values(5, 9)
                    + self._numbered(", CASE WHEN ?10 IS NOT NULL THEN coalesce(step(?10), 0) END"),
                    (moment, step, url, link, *rest, undone_at),
                )
                continue
            self._db.execute(
                self._numbered(
                    """UPDATE answers SET link = coalesce(link, link(?2)), undone_at = coalesce(undone_at,
                         CASE WHEN ?3 IS NOT NULL THEN coalesce(step(?3), 0) END) WHERE number = ?1"""
                ),
                (known[key], link, undone_at),
            )
        self._run("INSERT OR IGNORE INTO effects VALUES (?, ?)", "SELECT * FROM effects")

    def hosts(self) -> None:
        self._run(f"INSERT OR REPLACE INTO hosts VALUES ({_values(1, 6)})", "SELECT * FROM hosts")
        self._run(f"INSERT OR REPLACE INTO site_files VALUES ({_values(1, 10)})", "SELECT * FROM site_files")
        self._run(f"INSERT OR IGNORE INTO known VALUES ({_values(1, 9)})", "SELECT * FROM known ORDER BY rowid")

    def mark(self) -> None:
        """Note how far the shard was read."""
        shard = self._shard
        seconds = json.dumps(dict(self._part.execute("SELECT stage, seconds FROM stage_seconds")))
        self._db.execute(
            "INSERT OR REPLACE INTO gathered VALUES (?,?,?,?,?,?,?)",
            (
                shard.number, shard.progress.steps, shard.links, shard.pairs, shard.files,
                json.dumps(shard.progress._asdict()), seconds,
            ),
        )  # fmt: skip

    def _run(self, statement: str, query: str) -> None:
        """Run a statement for each row that a query of the shard gives."""
        self._db.executemany(self._numbered(statement), self._part.execute(query, self._range))

    def _numbered(self, statement: str) -> str:
        """Let `link(?1)` and `step(?1)` stand for the numbers that those of the shard have in the run."""
        for name in ("link", "step"):
            number = f"(SELECT {name} FROM gathered_{name}s WHERE shard = {self._shard.number} AND own = "
            statement = statement.replace(f"{name}(", number)
        return statement

    def _link(self, own: int) -> int | None:
        row = self._db.execute(self._numbered("SELECT link(?)"), (own,)).fetchone()
        return None if row is None else row[0]


def _values(first: int, last: int) -> str:
    """Return the placeholders of some columns."""
    return ", ".join(f"?{number}" for number in range(first, last + 1))
