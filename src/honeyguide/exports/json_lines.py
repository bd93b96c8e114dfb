"""Pages as JSON Lines: one object a page, the columns of `PageRecord` by name."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from honeyguide.exports.choice import chosen_records
from honeyguide.reading import PageRecord, iso

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.exports.choice import Choice
    from honeyguide.exports.written import PagesWritten, Progress
    from honeyguide.store import Run

_NAMES = tuple(field.name for field in fields(PageRecord))


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
    return {name: getattr(record, name) for name in _NAMES} | {"fetched_at": iso(record.fetched_at)}


def _is_writable(line: str) -> bool:
    try:
        line.encode()
    except UnicodeEncodeError:
        return False
    return True
