"""Tables that the first runs of this format did not have: made where they are missing, so that old runs stay readable.

A reader may not write; it gets them as empty tables of its own connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3

_COLUMNS_BY_TABLE: Final = {
    # Where the response of a step lies in the archive, and where the last record of that step ends.
    "archive": "step INTEGER PRIMARY KEY, file INTEGER NOT NULL, offset INTEGER NOT NULL, end INTEGER NOT NULL",
    # Pages with an X-Robots-Tag (the headers, one a line), and those that are not to be indexed.
    "directives": "link INTEGER PRIMARY KEY, robots_tag TEXT NOT NULL, is_unindexed INTEGER NOT NULL",
    # What each page is known by: a hash of its main text, and the other address that it calls its own.
    "identities": "step INTEGER PRIMARY KEY, link INTEGER NOT NULL, text INTEGER NOT NULL, canonical TEXT",
}


def add_missing_tables(database: sqlite3.Connection, *, only_for_reading: bool = False) -> None:
    there = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    kind = "TEMP TABLE" if only_for_reading else "TABLE"
    for table, columns in _COLUMNS_BY_TABLE.items():
        if table not in there:
            database.execute(f"CREATE {kind} IF NOT EXISTS {table} ({columns})")
