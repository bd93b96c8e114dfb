"""Pages as JSON Lines: one object a page, the columns of `PageRecord` by name; and for a search server.

The bulk request of OpenSearch and Elasticsearch has two lines a page: what to do with it, and the object. It names no
index, so that it can be sent to any: `POST /INDEX/_bulk`. A page that is there already is replaced.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

from honeyguide.runs.exports.rows import COLUMNS, ExportFormat, chosen_records, iso_time

LONGEST_ID_BYTES: Final = 512

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
    if record.fields:
        page["fields"] = record.fields
    line = json.dumps(page, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:  # lone halves of surrogate pairs, which JSON can write as \udXXX
        line = json.dumps(page)
    return f"{line}\n"


def write_bulk(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> PagesWritten:
    """Write the body of a bulk request, in the order in which pages came."""
    with chosen_records(run, options, on_progress) as records:
        out.writelines(f"{json.dumps({'index': {'_id': _bulk_id(each.url)}})}\n{_line(each)}" for each in records)
        return records.written


def _bulk_id(url: str) -> str:
    """Return the address, or a hash of one that is longer than servers take."""
    return url if len(url.encode()) <= LONGEST_ID_BYTES else hashlib.sha256(url.encode()).hexdigest()


OPENSEARCH: Final = ExportFormat("opensearch", write_bulk, has_text=True)
JSON_LINES: Final = ExportFormat("jsonl", write_json_lines, has_text=True)
