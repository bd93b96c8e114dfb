"""Pages as CSV, safe to open in a spreadsheet.

A cell that begins with `=`, `+`, `-`, `@`, a tab or a line break would be taken for a formula by a spreadsheet, and a
title comes from a stranger: such texts get an apostrophe in front, which is how a spreadsheet itself writes "this is
text". Numbers are ours and stay as they are. Encoding UTF-8 without a byte order mark, lines end in CRLF (RFC 4180).
"""

from __future__ import annotations

import csv
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from honeyguide.exports.choice import chosen_records
from honeyguide.reading import PageRecord, iso

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.exports.choice import Choice
    from honeyguide.exports.written import PagesWritten, Progress
    from honeyguide.store import Run

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
