"""The responses of a run as one WARC 1.1 file of gzip members.

From a run with an archive the records are copied byte for byte, with the `warcinfo` records they refer to. From any
other the responses are made from what the store holds (see `runs.recorded`).
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Final

from honeyguide.errors import ExportError
from honeyguide.runs.exports.rows import ExportFormat, RecordsWritten, nothing_to_write

if TYPE_CHECKING:
    from typing import BinaryIO

    from honeyguide.runs.exports.rows import ExportOptions, OnProgress
    from honeyguide.runs.run import Run


def write_warc(run: Run, out: BinaryIO, options: ExportOptions, on_progress: OnProgress) -> RecordsWritten:
    """Write every answer in order: pages, redirects, errors; or those of relevant pages alone."""
    responses = pages = 0
    about = {
        "software": f"Honeyguide/{metadata.version('honeyguide')}",
        "format": "WARC File Format 1.1",
        "description": "responses made from a run without an archive; headers are those that were stored",
    }
    with run.at_one_moment():
        exchanges = run.recorded_exchanges(relevant_only=options.relevant_only)
        total = len(exchanges)
        if not total:
            raise nothing_to_write(run, options)
        for done, exchange in enumerate(exchanges.all(about, f"{run.path.resolve().name}.warc.gz"), 1):
            if exchange is not None:
                out.write(exchange.records)
                responses += 1
                pages += exchange.is_page
            on_progress(done, total)
        if not pages and run.progress.pages:
            raise ExportError(f"{run.path} has no bodies (store.archive is none): there is nothing to make a WARC of")
        if not responses:
            raise nothing_to_write(run, options)
    return RecordsWritten(responses, pages)


WARC: Final = ExportFormat("warc", write_warc, is_binary=True)
