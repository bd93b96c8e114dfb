"""SQLite's errors in words that say what to do."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from honeyguide.errors import DiskFull, RunDamaged, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def told_plainly(path: Path) -> Iterator[None]:
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
        raise StoreError(f"cannot read or write {path}: {error}") from error
    except sqlite3.DatabaseError as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> RunDamaged:
    return RunDamaged(f"{path} is damaged: {error}; restore it from a copy of the run")
