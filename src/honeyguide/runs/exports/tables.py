"""Pages as CSV, safe to open in a spreadsheet.

A cell that begins with `=`, `+`, `-`, `@`, a tab or a line break would be taken for a formula by a spreadsheet, and a
title comes from a stranger: such texts get an apostrophe in front, which is how a spreadsheet itself writes "this is
text". Numbers are ours and stay as they are. Encoding UTF-8 without a byte order mark, lines end in CRLF (RFC 4180).

Pages as JSON Lines: one object a page, the columns of `PageRecord` by name.

Pages as Parquet, through pyarrow, which is an extra: pip install 'honeyguide[parquet]'.

Columns are those of `PageRecord` with their types: times with microseconds in UTC, parents as lists. A row group is
written when it has a thousand pages or eight million characters, so memory stays flat however large the run.
"""

from __future__ import annotations

import csv
import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import ExportError
from honeyguide.runs import PageRecord, iso
from honeyguide.runs.exports.choice import chosen_records

if TYPE_CHECKING:
    from typing import BinaryIO, TextIO

    from honeyguide.runs import Run
    from honeyguide.runs.exports.choice import Choice, PagesWritten, Progress

_NAMES: Final = tuple(field.name for field in fields(PageRecord))
_BEGINS_A_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # also wide


def write_csv(run: Run, out: TextIO, choice: Choice, progress: Progress | None = None) -> PagesWritten:
    """Write a header and a page a row, in the order they came."""
    with chosen_records(run, choice, progress) as records:
        rows = csv.writer(out)
        rows.writerow(_NAMES)
        for record in records:
            rows.writerow([_cell(getattr(record, name)) for name in _NAMES])
        return records.written


def _cell(value: Any) -> str:  # noqa: ANN401 - whatever a record holds
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return safe_text(value)
        case tuple():
            return " ".join(value)  # addresses, in which no space can be
        case int() | float():
            return str(value)
        case _:
            return iso(value)


def safe_text(text: str) -> str:
    """Text as no spreadsheet takes it for a formula, and as UTF-8 can say it."""
    text = text.replace("\0", "").encode("utf-8", "replace").decode()
    return f"'{text}" if text.startswith(_BEGINS_A_FORMULA) else text


_RECORD_NAMES = tuple(field.name for field in fields(PageRecord))


def write_json_lines(run: Run, out: TextIO, choice: Choice, progress: Progress | None = None) -> PagesWritten:
    """Write a page a line, in the order they came."""
    with chosen_records(run, choice, progress) as records:
        for record in records:
            # Lone halves of surrogate pairs, which a page may hold, are no UTF-8: JSON can say them as \udXXX.
            line = json.dumps(_object(record), ensure_ascii=False)
            out.write(line if _is_writable(line) else json.dumps(_object(record)))
            out.write("\n")
        return records.written


def _object(record: PageRecord) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _RECORD_NAMES} | {"fetched_at": iso(record.fetched_at)}


def _is_writable(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True


ROWS_AT_ONCE: Final = 1_000
CHARACTERS_AT_ONCE: Final = 8_000_000


def write_parquet(run: Run, out: BinaryIO, choice: Choice, progress: Progress | None = None) -> PagesWritten:
    """Write pages in the order they came. ExportError where pyarrow is not installed."""
    arrow, parquet = _pyarrow()
    schema = _schema(arrow)
    with (
        chosen_records(run, choice, progress) as records,
        parquet.ParquetWriter(out, schema, compression="zstd") as writer,
    ):
        batch = _Batch()
        for record in records:
            batch.add(record)
            if batch.is_full:
                writer.write_table(batch.taken(arrow, schema))
        if batch.rows:
            writer.write_table(batch.taken(arrow, schema))
        return records.written


class _Batch:
    """Rows that wait to be written together."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self._characters = 0

    @property
    def is_full(self) -> bool:
        return len(self.rows) >= ROWS_AT_ONCE or self._characters >= CHARACTERS_AT_ONCE

    def add(self, record: PageRecord) -> None:
        self.rows.append({name: _sayable(getattr(record, name)) for name in _NAMES})
        self._characters += len(record.text or "") + sum(map(len, record.parents))

    def taken(self, arrow: Any, schema: Any) -> Any:  # noqa: ANN401 - pyarrow's, which need not be installed
        table = arrow.Table.from_pylist(self.rows, schema=schema)
        self.rows, self._characters = [], 0
        return table


def _sayable(value: Any) -> Any:  # noqa: ANN401 - whatever a record holds
    """Text without the lone halves of surrogate pairs that UTF-8 cannot say."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _schema(arrow: Any) -> Any:  # noqa: ANN401
    text, whole, real = arrow.string(), arrow.int64(), arrow.float64()
    types = {
        "fetched_at": arrow.timestamp("us", tz="UTC"), "step": whole, "status": arrow.int32(), "body_bytes": whole,
        "words": whole, "score": real, "relevance": real, "is_relevant": arrow.bool_(), "reward": real,
        "depth": arrow.int32(), "parents": arrow.list_(text), "parent_count": whole,
    }  # fmt: skip
    return arrow.schema([(name, types.get(name, text)) for name in _NAMES])


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        raise ExportError(
            "the format parquet needs pyarrow, which is not installed; add it: pip install 'honeyguide[parquet]'"
        ) from None
    return pa, parquet
