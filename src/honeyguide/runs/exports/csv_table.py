"""Pages as CSV, safe to open in a spreadsheet.

A spreadsheet takes a cell that begins with `=`, `+`, `-`, `@`, a tab or a line break for a formula, and titles come
from strangers: such texts get an apostrophe in front, which is how a spreadsheet itself writes "this is text". Numbers
stay as they are. Encoding UTF-8 without a byte order mark, lines end in CRLF (RFC 4180).
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Final

from honeyguide.runs.exports.rows import (
    COLUMNS,
    ExportFormat,
    chosen_records,
    field_columns,
    iso_time,
    without_surrogates,
)
from honeyguide.runs.fields import text_of_field

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.model import FieldValue
    from honeyguide.runs.exports.rows import ExportOptions, OnProgress, PagesWritten
    from honeyguide.runs.run import Run

_BEGINS_A_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # also wide


def write_csv(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write a header and a page a row, in the order they came."""
    with chosen_records(run, options, on_progress) as records:
        rows, own = csv.writer(out), field_columns(run)
        rows.writerow([*COLUMNS, *(column.name for column in own)])
        for record in records:
            cells = [_cell(getattr(record, name)) for name in COLUMNS]
            rows.writerow([*cells, *(_field_cell(column.value(record)) for column in own)])
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
            return " ".join(value)  # addresses, which have no spaces
        case int() | float():
            return str(value)
        case _:
            return iso_time(value)


def _field_cell(value: FieldValue | None) -> str:
    """Return the text of a field; the entries of a list stand between semicolons."""
    return str(value) if isinstance(value, int | float) else safe_text(text_of_field(value))


def safe_text(text: str) -> str:
    """Return text that no spreadsheet takes for a formula and that UTF-8 can write."""
    text = without_surrogates(text.replace("\0", ""))
    return f"'{text}" if text.startswith(_BEGINS_A_FORMULA) else text


CSV: Final = ExportFormat("csv", write_csv, newline="", has_text=True)
