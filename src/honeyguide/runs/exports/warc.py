"""What the hosts of a run answered, as one WARC 1.1 file of gzip members.

Of a run with an archive the records are copied byte for byte, with the `warcinfo` records they refer to. Of any other
the responses are made again from what was stored (see `store.recorded_exchanges`).
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from honeyguide.errors import ExportError
from honeyguide.runs.exports.choice import RecordsWritten, nothing_to_write

if TYPE_CHECKING:
    from typing import BinaryIO

    from honeyguide.runs import Run
    from honeyguide.runs.exports.choice import Choice, Progress


def write_warc(run: Run, out: BinaryIO, choice: Choice, progress: Progress | None = None) -> RecordsWritten:
    """Write every answer in order: pages, redirects, errors; of relevant pages alone where these are asked for."""
    responses = pages = 0
    about = {
        "software": f"Honeyguide/{metadata.version('honeyguide')}",
        "format": "WARC File Format 1.1",
        "description": "responses made again from a run without an archive; headers are those that were kept",
    }
    with run.at_one_moment():
        exchanges = run.recorded_exchanges(relevant_only=choice.relevant_only)
        total = len(exchanges)
        if not total:
            raise nothing_to_write(run, choice)
        for done, exchange in enumerate(exchanges.all(about, f"{run.path.resolve().name}.warc.gz"), 1):
            if exchange is not None:
                out.write(exchange.records)
                responses += 1
                pages += exchange.is_page
            if progress is not None:
                progress(done, total)
        if not pages and run.progress.pages:
            raise ExportError(f"{run.path} kept no bodies (store.archive is none): there is nothing to make a WARC of")
        if not responses:
            raise nothing_to_write(run, choice)
    return RecordsWritten(responses, pages)
