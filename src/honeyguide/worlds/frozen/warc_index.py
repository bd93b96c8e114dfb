"""One capture for each URL, chosen from all captures of some WARC files.

The newest page wins; where there is no page, the newest redirect; else the newest error. A revisit, which says that
the page was still the same, counts as a capture of its own date with the bytes of the record it refers to; one that
refers to a record that is not there counts for nothing.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Final, NamedTuple

from honeyguide.domain import Url
from honeyguide.errors import WorldError
from honeyguide.worlds.frozen.warc_sidecar import COLUMNS, captures_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

# Not in memory: a crawl of a million pages has an index of a hundred megabytes.
_TEMPORARY_FILE: Final = ""

_CREATE: Final = f"""
    PRAGMA journal_mode = OFF;
    CREATE TABLE captures (file INTEGER, {", ".join(COLUMNS)});
    CREATE TABLE answers (url TEXT PRIMARY KEY, file INTEGER, offset INTEGER, is_page INTEGER) WITHOUT ROWID;
"""
_RESOLVE_REVISITS: Final = """
    CREATE INDEX by_id ON captures (id_key) WHERE NOT is_revisit;
    CREATE INDEX by_place ON captures (place_key) WHERE NOT is_revisit;
    CREATE INDEX by_digest ON captures (digest_key) WHERE NOT is_revisit;
    INSERT INTO captures (url, file, offset, date, status, is_html, is_revisit)
      SELECT same.url, original.file, original.offset, same.date, original.status, original.is_html, 0
      FROM captures same JOIN captures original ON original.rowid = coalesce(
        (SELECT min(rowid) FROM captures WHERE id_key = same.id_key AND id_key AND NOT is_revisit),
        (SELECT min(rowid) FROM captures WHERE place_key = same.place_key AND place_key AND NOT is_revisit),
        (SELECT min(rowid) FROM captures WHERE digest_key = same.digest_key AND digest_key AND NOT is_revisit))
      WHERE same.is_revisit;
"""
_CHOOSE: Final = """
    INSERT INTO answers SELECT url, file, offset, rank = 0 AND is_html FROM (
      SELECT *, row_number() OVER (PARTITION BY url ORDER BY rank, date DESC, file DESC, offset DESC) AS place FROM (
        SELECT *, CASE WHEN status BETWEEN 200 AND 299 THEN 0 WHEN status BETWEEN 300 AND 399 THEN 1 ELSE 2 END AS rank
        FROM captures WHERE NOT is_revisit))
    WHERE place = 1;
    DROP TABLE captures;
    CREATE INDEX pages ON answers (file, offset) WHERE is_page;
"""


class Place(NamedTuple):
    """Where a record lies."""

    file: Path
    offset: int


class WarcIndex:
    """Where the answer to each URL lies. Close it, or leave that to the world that owns it."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = tuple(files)
        self._database = sqlite3.connect(_TEMPORARY_FILE)
        try:
            self._build()
        except BaseException:
            self.close()
            raise

    def find(self, url: Url) -> Place | None:
        """The record that answers `url`."""
        row = self._database.execute("SELECT file, offset FROM answers WHERE url = ?", (url.text,)).fetchone()
        return None if row is None else Place(self._files[row[0]], row[1])

    def pages(self) -> Iterator[Url]:
        """URLs whose answer is an HTML page, in the order of the files and of the records in them."""
        rows = self._database.execute("SELECT url FROM answers WHERE is_page ORDER BY file, offset, url")
        return (Url(text) for (text,) in rows)

    def close(self) -> None:
        """Drop the index; may be called twice."""
        self._database.close()

    def _build(self) -> None:
        database = self._database
        try:
            database.executescript(_CREATE)
            places = ", ".join("?" * (len(COLUMNS) + 1))
            for number, file in enumerate(self._files):
                rows = ((number, *capture) for capture in captures_of(file))
                database.executemany(f"INSERT INTO captures VALUES ({places})", rows)  # noqa: S608 - question marks
            if database.execute("SELECT 1 FROM captures WHERE is_revisit LIMIT 1").fetchone():
                database.executescript(_RESOLVE_REVISITS)
            database.executescript(_CHOOSE)
        except sqlite3.Error as error:
            raise WorldError(f"cannot index {self._files[0]} and others: {error}; make room for it") from error
