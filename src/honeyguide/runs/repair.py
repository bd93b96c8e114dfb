"""Saves what a damaged database of a run still holds into a new run folder. The damaged run stays as it is.

SQLite reads a table page by page, and a page that is cut off or overwritten ends the reading with an error. Tables with
row numbers are then read on behind the gap, whose end is found by trying farther and farther; the others are read from
both ends. Rows that no crawl can have written, and rows about links that are lost, are left out. A first page that is
no longer one is taken from an empty run: tables are made in the same order in every run, and so lie in the same places.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from honeyguide.drafts import holding, remove_abandoned
from honeyguide.errors import RunDamaged, StoreError
from honeyguide.runs.bodies import ARCHIVE_FOLDER, unpacked, wrap_sqlite_errors
from honeyguide.runs.folder import RunFolder, RunLock
from honeyguide.runs.records import Progress
from honeyguide.runs.schema import create_tables, make_safe, own_tables
from honeyguide.runs.shards import is_sharded, shard_folder
from honeyguide.runs.state import FIRST_PROGRESS, read_progress

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_UNREADABLE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)  # the second where a message quotes what is damaged
_PAGE_BYTES: Final = 4096  # of every database that a crawl makes
_FARTHEST: Final = 1 << 40  # rows beyond a gap
_TYPES: Final[dict[str, tuple[type, ...]]] = {"INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,)}
# What is about something that is lost goes.
_ORPHANS: Final = (
    "DELETE FROM links WHERE url NOT GLOB 'http*://*'",
    "DELETE FROM steps WHERE link NOT IN (SELECT id FROM links)",
    "DELETE FROM pages WHERE link NOT IN (SELECT id FROM links)",
    # A page that came has had its fetch, though nothing else is known of that.
    """INSERT INTO steps (step, link, dispatch, after_steps, chosen_at, finished_at, score, explored, outcome, status,
                          elapsed_s, decision)
       SELECT step, link, step, 0, 0.0, 0.0, 0.0, 0, 'fetched', 200, 0.0, step FROM pages
       WHERE step NOT IN (SELECT step FROM steps) GROUP BY step""",
    "DELETE FROM pages WHERE link NOT IN (SELECT link FROM steps WHERE steps.step = pages.step)",
    "DELETE FROM steps WHERE outcome = 'fetched' AND link NOT IN (SELECT link FROM pages)",
    "DELETE FROM edges WHERE source NOT IN (SELECT id FROM links) OR target NOT IN (SELECT id FROM links)",
    "DELETE FROM skips WHERE link NOT IN (SELECT id FROM links)",
    *(f"DELETE FROM {table} WHERE step NOT IN (SELECT step FROM steps)" for table in ("archive", "choices")),  # noqa: S608
    *(
        f"DELETE FROM {table} WHERE link NOT IN (SELECT link FROM pages)"  # noqa: S608 - names of our own
        for table in ("bodies", "keywords", "validators", "directives", "identities", "prints", "findings")
    ),
    "UPDATE answers SET link = NULL WHERE link NOT IN (SELECT link FROM pages)",
    *(f"DELETE FROM {table}" for table in ("in_flight", "pairs", "journal")),  # noqa: S608
    "UPDATE findings SET like = NULL WHERE like NOT IN (SELECT id FROM links)",
    "UPDATE links SET page = NULL WHERE page NOT IN (SELECT link FROM pages)",
    "UPDATE links SET found_on = NULL WHERE found_on NOT IN (SELECT link FROM pages)",
)
_LINK_COLUMNS: Final = {
    "links": ("id", "page", "found_on"), "edges": ("source", "target"), "findings": ("link", "like"),
    **dict.fromkeys(
        (
            "steps", "pages", "bodies", "keywords", "answers", "skips", "validators", "directives", "identities",
            "prints",
        ),
        ("link",),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Salvage:
    """The result of a repair."""

    run: Path
    rows_by_table: dict[str, int]
    pages: int
    pages_before: int | None  # None where the run cannot tell any more
    is_whole: bool  # nothing was damaged, so the crawl can go on


def repair(run: Path | str, new: Path | str) -> Salvage:
    """Write what can be read of a run into the new run folder `new`.

    What is saved can be looked at, searched, exported and refreshed; its crawl cannot go on, unless nothing was lost.
    RunExists if `new` is in use, StoreError if it is inside of the run, RunBusy if the run is being crawled, RunDamaged
    where nothing can be read.
    """
    old = RunFolder.open(Path(run))
    if is_sharded(old.path):
        raise StoreError(
            f"{run} is gathered from its shards: delete {old.database_file} if that is damaged; a damaged shard can be "
            f"saved by itself, as in: honeyguide repair {shard_folder(old.path, 0)}"
        )
    if not old.database_file.exists():
        raise RunDamaged(f"{run} has no {old.database_file.name}: nothing is left to repair; restore it from a copy")
    target = Path(new).absolute()
    RunFolder(target).refuse_if_used()
    if target.resolve().is_relative_to(old.path.resolve()):
        raise StoreError(f"{new} is inside of {run}, which stays as it is: choose another place")
    prefix = f".{target.name}-"
    with RunLock(old):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            remove_abandoned(target.parent, prefix)
            with (
                TemporaryDirectory(prefix=prefix, suffix=".draft", dir=target.parent) as draft,
                holding(Path(draft)),
            ):
                copy = _copied(old.database_file, Path(draft))
                settings = old.settings_file.read_text(encoding="utf-8", errors="replace")
                folder, lock = RunFolder.create(Path(draft, "run"), settings, old.began_with)
                with lock:
                    saved = _salvage(copy, old, folder)
                    folder.path.rename(target)  # whole, or not there
        except OSError as error:
            raise StoreError(f"cannot write {target}: {error.strerror}; choose another place") from error
    return replace(saved, run=Path(new))


def _copied(database: Path, scratch: Path) -> Path:
    """Copy a database with its log and nothing else: reading one may write to it."""
    for file in (database, database.with_name(f"{database.name}-wal")):
        with suppress(FileNotFoundError):
            shutil.copyfile(file, scratch / file.name, follow_symlinks=False)
    return scratch / database.name


def _salvage(copy: Path, old: RunFolder, new: RunFolder) -> Salvage:
    with closing(_new_database(new.database_file)) as database:
        source, is_whole = _opened(copy)
        with closing(source):
            own = _tables_to_read(source)
            before = _progress_of(source) if "progress" in own else None
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            reader = _TableReader(source, own)
            saved = {table: _copy_table(reader, database, table) for table in tables}
        is_whole = is_whole and before is not None and not reader.has_lost
        if not is_whole:
            _drop_unreadable_bodies(database, copy)
            for statement in _ORPHANS:
                database.execute(statement)
            _number_links_anew(database)
            _write_progress(database, before or Progress())
        (pages,) = database.execute("SELECT count(*) FROM pages").fetchone()
        (links,) = database.execute("SELECT count(*) FROM links").fetchone()
        database.commit()
        database.execute("PRAGMA journal_mode = WAL")
    if not links:
        raise RunDamaged(f"nothing can be read of {old.database_file}; restore it from a copy of the run")
    if (old.path / ARCHIVE_FOLDER).is_dir():
        shutil.copytree(old.path / ARCHIVE_FOLDER, new.path / ARCHIVE_FOLDER)
    new.mark_started(is_repaired=not is_whole)
    return Salvage(new.path, saved, pages, None if before is None else before.pages, is_whole)


def _new_database(file: Path) -> sqlite3.Connection:
    database = sqlite3.connect(file)
    with wrap_sqlite_errors(file):
        create_tables(database)
    return database


def _opened(copy: Path) -> tuple[sqlite3.Connection, bool]:
    """Open a damaged copy, if need be with the first page of an empty run; also say whether it needs none."""
    with suppress(*_UNREADABLE):
        source = _connected(copy)
        is_whole = all(own_tables(source).values()) and source.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
        return source, is_whole
    with closing(_new_database(copy.with_name("empty.sqlite"))):
        first_page = copy.with_name("empty.sqlite").read_bytes()[:_PAGE_BYTES]
    pages = copy.stat().st_size // _PAGE_BYTES
    with copy.open("r+b") as file:
        file.write(first_page[:28] + pages.to_bytes(4, "big") + first_page[32:])  # where the file says how long it is
    try:
        return _connected(copy), False
    except _UNREADABLE as error:
        raise RunDamaged(f"nothing can be read of {copy.name} ({error}); restore it from a copy of the run") from error


def _connected(copy: Path) -> sqlite3.Connection:
    source = sqlite3.connect(copy, isolation_level=None)
    try:
        source.text_factory = lambda raw: raw.decode("utf-8", "replace")
        make_safe(source)
        source.execute("PRAGMA writable_schema = ON")  # else a cut file is refused
        source.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        source.close()
        raise
    return source


class _TableReader:
    """Yields the rows of tables that can be read."""

    def __init__(self, source: sqlite3.Connection, own: Collection[str]) -> None:
        """`own` are the tables that are as a run has them; another one is not read, whatever its name."""
        self._source = source
        self._own = own
        self.has_lost = False

    def rows(self, table: str, columns: str, key: str) -> Iterator[tuple[Any, ...]]:
        """Yield rows, perhaps some of them twice; `key` orders a table without row numbers and is empty otherwise."""
        if table not in self._own:
            self.has_lost = True
            return
        if key:
            yield from self._until_gap(f"SELECT {columns} FROM {table} ORDER BY {key}")  # noqa: S608
            if self.has_lost:
                yield from self._until_gap(f"SELECT {columns} FROM {table} ORDER BY {key} DESC")  # noqa: S608
            return
        position: int | None = -_FARTHEST
        query = f"SELECT rowid, {columns} FROM {table} WHERE rowid >= ? ORDER BY rowid"  # noqa: S608
        while position is not None:
            is_at_gap = True
            for number, *row in self._until_gap(query, position):
                position = number + 1
                yield tuple(row)
            is_at_gap = self._is_unreadable(query, position)
            position = self._behind_gap(query, position) if is_at_gap else None

    def _until_gap(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._source.execute(query, values)
        except _UNREADABLE:
            self.has_lost = True

    def _is_unreadable(self, query: str, position: int) -> bool:
        try:
            self._source.execute(query, (position,)).fetchone()
        except _UNREADABLE:
            return True
        return False

    def _behind_gap(self, query: str, position: int) -> int | None:
        """Return the first row number from which on something can be read; None where nothing can."""
        position = max(position, 0)
        step = 1
        while self._is_unreadable(query, position + step):
            step *= 2
            if step > _FARTHEST:
                return None
        unreadable, readable = position + step // 2, position + step
        while readable - unreadable > 1:
            middle = (unreadable + readable) // 2
            if self._is_unreadable(query, middle):
                unreadable = middle
            else:
                readable = middle
        return readable


def _copy_table(reader: _TableReader, database: sqlite3.Connection, table: str) -> int:
    about = database.execute(f"PRAGMA table_info({table})").fetchall()
    columns = ", ".join(f'"{name}"' for _, name, *_ in about)
    is_without_rowid = "WITHOUT ROWID" in str(
        database.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]
    )
    key = ", ".join(f'"{name}"' for _, name, *_, is_key in about if is_key) if is_without_rowid else ""
    kinds = [(_TYPES[kind], bool(is_required) or bool(is_key)) for _, _, kind, is_required, _, is_key in about]
    places = ", ".join("?" * len(about))
    before = database.total_changes
    for row in reader.rows(table, columns, key):
        if all(
            isinstance(value, kind) or (value is None and not needed)
            for value, (kind, needed) in zip(row, kinds, strict=True)
        ):
            database.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", row)  # noqa: S608
        else:
            reader.has_lost = True
    return database.total_changes - before


def _tables_to_read(source: sqlite3.Connection) -> set[str]:
    """Return the tables that are exactly as a run has them."""
    try:
        return {table for table, is_own in own_tables(source).items() if is_own}
    except _UNREADABLE:
        return set()


def _progress_of(source: sqlite3.Connection) -> Progress | None:
    try:
        return read_progress(source)
    except (*_UNREADABLE, RunDamaged):
        return None


def _write_progress(database: sqlite3.Connection, before: Progress) -> None:
    """Keep what the run knew of itself, with the counts of what is left."""
    (steps, received) = database.execute("SELECT count(*), coalesce(sum(body_bytes), 0) FROM steps").fetchone()
    (pages, relevant) = database.execute("SELECT count(*), coalesce(sum(is_relevant), 0) FROM pages").fetchone()
    counted = before._replace(
        steps=steps, unknown=0, dispatches=steps, body_bytes=received, pages=pages, relevant=relevant, stop_reason=""
    )
    state = {name: getattr(counted, name) for name in FIRST_PROGRESS}
    database.execute("INSERT OR REPLACE INTO progress VALUES (1, ?)", (json.dumps(state),))


def _number_links_anew(database: sqlite3.Connection) -> None:
    """Close the gaps among the numbers of links, which count from 0 in every run."""
    database.execute("CREATE TEMP TABLE numbers AS SELECT id AS old, row_number() OVER (ORDER BY id) AS new FROM links")
    database.execute("CREATE UNIQUE INDEX temp.numbers_by_old ON numbers (old)")
    for table, columns in _LINK_COLUMNS.items():
        for column in columns:  # through negative numbers, of which no row has one
            number = f"SELECT -new FROM numbers WHERE old = {column}"  # noqa: S608
            database.execute(f"UPDATE {table} SET {column} = ({number}) WHERE {column} IS NOT NULL")  # noqa: S608
            database.execute(f"UPDATE {table} SET {column} = -{column} - 1 WHERE {column} IS NOT NULL")  # noqa: S608


def _drop_unreadable_bodies(database: sqlite3.Connection, path: Path) -> None:
    for (link,) in database.execute("SELECT link FROM bodies WHERE body != x''").fetchall():
        (body,) = database.execute("SELECT body FROM bodies WHERE link = ?", (link,)).fetchone()
        try:
            unpacked(body, path)
        except RunDamaged:
            database.execute("DELETE FROM bodies WHERE link = ?", (link,))
