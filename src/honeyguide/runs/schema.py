"""The tables of a run's database, and whether a database has these and nothing else.

A database may come from a stranger, and reading a view, a virtual table or a generated column runs what its maker
wrote. A list of bad things would be short of one. So SQLite's own description of a database must be, letter by letter,
that of the tables that a crawl makes.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from honeyguide.errors import RunDamaged, StoreError

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST_VALUE: Final = 1 << 29  # bytes; the longest that a crawl writes is the state of a learner
_OBJECTS: Final = "SELECT type, name, tbl_name, sql FROM sqlite_master"

Described = tuple[str, str, str, str | None]  # type, name, table and SQL


def require_sqlite() -> None:
    """StoreError where SQLite is too old for tables that check types."""
    if sqlite3.sqlite_version_info < (3, 37):
        raise StoreError(
            f"this Python has SQLite {sqlite3.sqlite_version}, and a run needs 3.37 or newer: use a newer Python, such "
            "as one that uv or conda installs"
        )


def create_tables(database: sqlite3.Connection) -> None:
    """Make the empty tables of a run, all or none."""
    database.executescript(f"BEGIN; {_script()} COMMIT;")


def make_safe(database: sqlite3.Connection) -> None:
    """Bound the values of a database that may be a stranger's, and let its tables call no function that acts."""
    require_sqlite()
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    database.execute("PRAGMA trusted_schema = OFF")


def refuse_strange_tables(database: sqlite3.Connection, path: Path) -> None:
    """RunDamaged where a database has other tables than a run, or anything else; one that is empty passes."""
    make_safe(database)
    found = set(database.execute(_OBJECTS))
    if not found:
        return
    for kind, name, *_ in sorted(found - _described(), key=repr):
        raise RunDamaged(f"{path} has a {kind} {name!r}, which no run has; do not use a run that was tampered with")
    for _, name, *_ in sorted(_described() - found, key=repr):
        raise RunDamaged(
            f"{path} is damaged: it has no {name}; restore it from a copy, or: honeyguide repair {path.parent}"
        )


def own_tables(database: sqlite3.Connection) -> dict[str, bool]:
    """Return whether a database has each table of a run exactly as a run has it, by name."""
    found = list(database.execute(_OBJECTS))
    return {
        table: sorted((each for each in found if table in each[1:3]), key=repr)
        == sorted((each for each in _described() if table in each[1:3]), key=repr)
        for kind, table, *_ in _described()
        if kind == "table"
    }


@cache
def _script() -> str:
    """Return schema.sql without comments and line breaks: then its description changes with the tables only."""
    text = resources.files("honeyguide.runs").joinpath("schema.sql").read_text(encoding="utf-8")
    return " ".join(re.sub(r"--[^\n]*", "", text).split())


@cache
def _described() -> frozenset[Described]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        create_tables(database)
        return frozenset(database.execute(_OBJECTS))
