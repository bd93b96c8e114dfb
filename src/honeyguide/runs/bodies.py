"""Where the bodies of a run's pages are kept, how they are packed and read back, and SQLite's errors in plain words.

`store` keeps them in the database, `warc` in the archive. `none` keeps none for good; yet until the learner's next
snapshot a body lies in the database in any case, because a run that is killed tells its learner again what came since.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import zstandard

from honeyguide.errors import DiskFull, RunDamaged, StoreError
from honeyguide.model.saved_state import unpack_zstandard
from honeyguide.runs.archive import read_body
from honeyguide.runs.shards import follow_reference, is_sharded, place_of_archive
from honeyguide.settings import MOST_BODY_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@contextmanager
def wrap_sqlite_errors(path: Path) -> Iterator[None]:
    """SQLite's errors as ours. A statement that breaks its own rules stays a bug."""
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
        is_disk = code & 0xFF == sqlite3.SQLITE_IOERR
        remedy = "; look at the disk and its limits, then go on: all earlier steps are safe" if is_disk else ""
        raise StoreError(f"cannot read or write {path}: {error}{remedy}") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # SQLite's message may quote what is damaged
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> RunDamaged:
    remedy = f"honeyguide repair {path.parent}"
    if is_sharded(path.parent):
        remedy = "delete it, and it is gathered again from the shards (answers given since the crawl are lost)"
    return RunDamaged(f"{path} is damaged: {error}; restore it from a copy, or: {remedy}")


_LEVEL: Final = 3


def body_packer() -> Callable[[bytes], bytes]:
    """A function that packs bodies; for one thread."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress


ARCHIVE_FOLDER: Final = "archive"


class StoredBodies:
    """Reads the bodies of the run that a database belongs to."""

    def __init__(self, database_file: Path) -> None:
        self._path = database_file

    def read(self, stored: bytes | None, file: int | None, offset: int | None) -> bytes | None:
        """The body as it was received; None where it was not kept.

        `stored` is that of the database, `file` and `offset` are its place in the archive; each may be None.
        """
        if stored is not None:
            referred = follow_reference(self._path.parent, stored)
            body, path = (stored, self._path) if referred is None else referred
            return None if body is None else unpacked(body, path)
        if file is None or offset is None:
            return None
        folder, number = place_of_archive(self._path.parent, file)
        return read_body(folder / ARCHIVE_FOLDER, number, offset)


def unpacked(body: bytes, path: Path) -> bytes:
    """A body from the database; `path` is the database it was read from."""
    try:
        return unpack_zstandard(body, MOST_BODY_BYTES)
    except ValueError as error:
        raise RunDamaged(f"{path} is damaged: {error}; restore it from a copy of the run") from error
