"""Pages as tables in memory, and as databases: Arrow, pandas, SQLite, DuckDB.

Columns are those of `PageRecord` with their types. A database has the tables `pages` and `links`, the latter with the
address of a page and that of the target of each of its links. It is made in a file beside the one to be written, batch
by batch, so that a run may be larger than memory.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from datetime import datetime
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import ExportError
from honeyguide.extras import install_hint
from honeyguide.runs.exports.parquet import import_pyarrow, page_rows, page_schema, tables_of
from honeyguide.runs.exports.rows import COLUMNS, ExportFormat, ExportOptions, chosen_records, field_columns, iso_time

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from honeyguide.runs.exports.rows import OnProgress, PagesWritten
    from honeyguide.runs.run import Run

LINKS_AT_ONCE: Final = 50_000

_DROP_OTHER_LINKS: Final = "DELETE FROM links WHERE source NOT IN (SELECT url FROM pages)"
_SQLITE_TYPES: Final = {
    "step": "INTEGER", "status": "INTEGER", "body_bytes": "INTEGER", "words": "INTEGER", "score": "REAL",
    "relevance": "REAL", "is_relevant": "INTEGER", "crawl_relevance": "REAL", "was_relevant": "INTEGER",
    "reward": "REAL", "depth": "INTEGER", "parent_count": "INTEGER",
}  # fmt: skip


def to_arrow(run: Run, *, relevant: bool = False, text: bool = True) -> Any:  # noqa: ANN401 - pyarrow.Table
    """Return the pages of a run as a `pyarrow.Table`, in the order they came. ExportError where there are none."""
    arrow, _ = import_pyarrow()
    own = field_columns(run)
    with chosen_records(run, ExportOptions(relevant, text), lambda *_: None) as records:
        return arrow.concat_tables(tables_of(page_rows(records, own), page_schema(own)))


def to_pandas(run: Run, *, relevant: bool = False, text: bool = True) -> Any:  # noqa: ANN401 - pandas.DataFrame
    """Return the pages of a run as a `pandas.DataFrame`, in the order they came. ExportError where there are none."""
    if find_spec("pandas") is None:
        raise ExportError(f"this needs pandas, which is not installed; add it: {install_hint('pandas')}")
    return to_arrow(run, relevant=relevant, text=text).to_pandas()


def write_sqlite(run: Run, out: BinaryIO, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write an SQLite database of pages and links; times are texts, lists are JSON."""
    own = field_columns(run)
    columns = [(name, _SQLITE_TYPES.get(name, "TEXT")) for name in COLUMNS]
    columns += [(column.name, "REAL" if column.kind == "number" else "TEXT") for column in own]
    declared = ", ".join(f'"{name}" {kind}' for name, kind in columns)
    places = ", ".join("?" * len(columns))
    with _beside(out) as folder, _naming_errors(sqlite3.Error):
        file = Path(folder) / "pages.sqlite"
        with closing(sqlite3.connect(file, isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode = OFF")  # a database that is not whole is thrown away
            database.execute("PRAGMA synchronous = OFF")
            database.execute("BEGIN")
            database.execute(f"CREATE TABLE pages ({declared})")
            database.execute("CREATE TABLE links (source TEXT, target TEXT)")
            with chosen_records(run, options, on_progress) as records:
                rows = map(_sqlite_row, page_rows(records, own))
                database.executemany(f"INSERT INTO pages VALUES ({places})", rows)  # noqa: S608 - question marks
                database.executemany("INSERT INTO links VALUES (?, ?)", _links(run))
            database.execute("CREATE UNIQUE INDEX page_url ON pages (url)")
            database.execute(_DROP_OTHER_LINKS)
            database.execute("CREATE INDEX link_source ON links (source)")
            database.execute("CREATE INDEX link_target ON links (target)")
            database.execute("COMMIT")
        _copy(file, out)
        return records.written


@contextmanager
def _naming_errors(kind: type[Exception]) -> Iterator[None]:
    try:
        yield
    except kind as error:
        raise ExportError(
            f"the database cannot be written: {' '.join(str(error).split())}; is the disk full?"
        ) from error


def _sqlite_row(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        iso_time(value) if isinstance(value, datetime) else json.dumps(value) if isinstance(value, list) else value
        for value in row.values()
    )


def write_duckdb(run: Run, out: BinaryIO, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write a DuckDB database of pages and links; times are in UTC without saying so, as not every reader knows zones.

    ExportError where duckdb or pyarrow is not installed.
    """
    try:
        import duckdb  # noqa: PLC0415 - an optional extra
    except ImportError:
        raise ExportError(f"this needs duckdb, which is not installed; add it: {install_hint('duckdb')}") from None
    arrow, _ = import_pyarrow()
    own = field_columns(run)
    links = arrow.schema([("source", arrow.string()), ("target", arrow.string())])
    usual = page_schema(own)
    place = usual.get_field_index("fetched_at")
    pages = usual.set(place, usual.field(place).with_type(arrow.timestamp("us")))
    with _beside(out) as folder, _naming_errors(duckdb.Error):
        file = Path(folder) / "pages.duckdb"
        with closing(duckdb.connect(str(file))) as database:
            _fill(database, "pages", pages.empty_table())
            _fill(database, "links", links.empty_table())
            with chosen_records(run, options, on_progress) as records:
                for table in tables_of(page_rows(records, own), usual):
                    _fill(database, "pages", table.cast(pages))
                found = _links(run)
                while batch := list(islice(found, LINKS_AT_ONCE)):
                    sources, targets = zip(*batch, strict=True)
                    _fill(database, "links", arrow.table([sources, targets], schema=links))
            database.execute(_DROP_OTHER_LINKS)
        _copy(file, out)
        return records.written


def _fill(database: Any, name: str, table: Any) -> None:  # noqa: ANN401 - DuckDB's and Arrow's
    """Append a table to one of the database, which an empty one makes."""
    database.register("given", table)
    begin = f"INSERT INTO {name}" if table.num_rows else f"CREATE TABLE {name} AS"
    database.execute(f"{begin} SELECT * FROM given")  # noqa: S608 - our own names
    database.unregister("given")


def _links(run: Run) -> Iterator[tuple[str, str]]:
    return ((source.text, target.text) for source, target in run.edges())


def _beside(out: BinaryIO) -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is removed at the end: beside a file that has a name, so on the same disk."""
    name = getattr(out, "name", None)
    is_file = isinstance(name, str) and Path(name).is_file()
    return tempfile.TemporaryDirectory(prefix=".honeyguide-", dir=Path(name).parent if is_file and name else None)


def _copy(file: Path, out: BinaryIO) -> None:
    with file.open("rb") as made:
        shutil.copyfileobj(made, out, 1 << 20)


SQLITE: Final = ExportFormat("sqlite", write_sqlite, is_binary=True, has_text=True)
DUCKDB: Final = ExportFormat("duckdb", write_duckdb, is_binary=True, has_text=True)
