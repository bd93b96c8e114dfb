"""The answers about a run's pages as CSV: what `crawl --answers FILE.csv` takes over."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Final

from honeyguide.errors import ExportError
from honeyguide.runs.exports.csv_table import safe_text
from honeyguide.runs.exports.rows import AnswersWritten, ExportFormat, iso_time, to_datetime

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.runs.exports.rows import ExportOptions, OnProgress
    from honeyguide.runs.run import Run

ANSWER_COLUMNS: Final = ("url", "answer", "by", "name", "given_at", "moment", "step", "undone")


def write_answers(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> AnswersWritten:
    """Write a header and an answer a row, in the order they were taken in. ExportError where there are none."""
    del options
    answers = list(run.answers())
    if not answers:
        raise ExportError(f"{run.path} has no answers; give some: honeyguide ask {run.path}")
    rows = csv.writer(out)
    rows.writerow(ANSWER_COLUMNS)
    for each in answers:
        given_at = "" if each.given_at is None else iso_time(to_datetime(each.given_at))
        moment, undone = iso_time(to_datetime(each.moment)), "false" if each.undone_at is None else "true"
        rows.writerow((each.url.text, each.answer, each.by, safe_text(each.name), given_at, moment, each.step, undone))
    on_progress(len(answers), len(answers))
    return AnswersWritten(len(answers))


ANSWERS: Final = ExportFormat("answers", write_answers, newline="", needs_all_pages=True)
