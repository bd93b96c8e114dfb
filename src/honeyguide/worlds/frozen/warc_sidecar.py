"""The captures of a WARC file, kept beside it so that the file is read from end to end only once.

`FILE.honeyguide-index` is a small SQLite database, tied to the size and the modification time of its WARC file and to
the version of its own format. One that does not fit is made anew; one that cannot be written, in a folder that is
read-only, is done without. It can be deleted at any time.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import closing, suppress
from dataclasses import astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import WorldError
from honeyguide.worlds.frozen.warc_scan import Capture, WarcScan

if TYPE_CHECKING:
    from collections.abc import Iterator

log = logging.getLogger(__name__)

FORMAT: Final = 1
SUFFIX: Final = ".honeyguide-index"
COLUMNS: Final = tuple(field.name for field in fields(Capture))

_SCHEMA: Final = f"""
    CREATE TABLE about (format INTEGER, warc_bytes INTEGER, warc_mtime_ns INTEGER, cut_at INTEGER);
    CREATE TABLE captures ({", ".join(COLUMNS)});
"""
_ROWS: Final = f"SELECT {', '.join(COLUMNS)} FROM captures ORDER BY rowid"  # noqa: S608 - names of our own


def captures_of(warc: Path) -> Iterator[tuple[Any, ...]]:
    """The captures of a WARC file as rows of `COLUMNS`, from beside it or from itself. WorldError if it is unusable."""
    try:
        now = warc.stat()
    except OSError as error:
        raise WorldError(f"cannot read {warc}: {error.strerror}; give .warc or .warc.gz files") from error
    stamp = (FORMAT, now.st_size, now.st_mtime_ns)
    sidecar = Path(f"{warc}{SUFFIX}")
    with closing(_opened(sidecar, stamp) or _made(sidecar, stamp, warc)) as database:
        (cut_at,) = database.execute("SELECT cut_at FROM about").fetchone()
        if cut_at is not None:
            log.warning("%s is cut off in the record at byte %s, which is left out", warc, cut_at)
        yield from database.execute(_ROWS)


def _opened(sidecar: Path, stamp: tuple[int, ...]) -> sqlite3.Connection | None:
    """What is kept already, if it is there, whole and of this very file."""
    if not sidecar.exists():
        return None
    # Immutable: no lock and no journal, which a read-only folder could not hold.
    database = sqlite3.connect(f"{sidecar.resolve().as_uri()}?immutable=1", uri=True)
    with suppress(sqlite3.DatabaseError):
        if database.execute("SELECT format, warc_bytes, warc_mtime_ns FROM about").fetchone() == stamp:
            return database
    database.close()
    return None


def _made(sidecar: Path, stamp: tuple[int, ...], warc: Path) -> sqlite3.Connection:
    """A new index of the file, put in its place when it is whole."""
    log.info("reading %s from end to end, once", warc)
    draft = sidecar.with_name(f"{sidecar.name}.{os.getpid()}")
    database, is_kept = _begun(draft)
    scan = WarcScan(warc)
    try:
        places = ", ".join("?" * len(COLUMNS))
        database.executemany(f"INSERT INTO captures VALUES ({places})", map(astuple, scan.captures()))  # noqa: S608
        database.execute("INSERT INTO about VALUES (?, ?, ?, ?)", (*stamp, scan.cut_at))
        database.commit()
        if is_kept:
            draft.replace(sidecar)
    except BaseException as error:
        database.close()
        draft.unlink(missing_ok=True)
        if isinstance(error, sqlite3.Error | OSError):
            raise WorldError(f"cannot keep the index of {warc} in {sidecar}: {error}; make room for it") from error
        raise
    return database


def _begun(draft: Path) -> tuple[sqlite3.Connection, bool]:
    """An empty index at `draft`; where nothing can be written there, in a temporary file that nobody sees."""
    try:
        return _empty(str(draft)), True
    except sqlite3.OperationalError:
        log.info("cannot write %s: the index is made again each time", draft)
        return _empty(""), False


def _empty(place: str) -> sqlite3.Connection:
    database = sqlite3.connect(place)
    try:
        database.executescript(f"PRAGMA journal_mode = OFF; {_SCHEMA}")
    except BaseException:
        database.close()
        raise
    return database
