"""Pages as JSON Lines: one object a page, the columns of `PageRecord` by name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from honeyguide.runs.exports.rows import COLUMNS, ExportFormat, chosen_records, iso_time

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.runs.exports.rows import ExportOptions, OnProgress, PageRecord, PagesWritten
    from honeyguide.runs.run import Run


def write_json_lines(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write a page a line, in the order they came."""
    with chosen_records(run, options, on_progress) as records:
        out.writelines(map(_line, records))
        return records.written


def _line(record: PageRecord) -> str:
    page = {name: getattr(record, name) for name in COLUMNS} | {"fetched_at": iso_time(record.fetched_at)}
    line = json.dumps(page, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:  # lone halves of surrogate pairs, which JSON can write as \udXXX
        line = json.dumps(page)
    return f"{line}\n"


JSON_LINES: Final = ExportFormat("jsonl", write_json_lines, has_text=True)
