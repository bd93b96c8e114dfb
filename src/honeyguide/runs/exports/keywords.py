"""The keywords of pages that satisfy a search phrase as CSV: Lim's tuples (2016, 5.1), in his order."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Final

from honeyguide.errors import ExportError
from honeyguide.runs.exports.csv_table import safe_text
from honeyguide.runs.exports.rows import ExportFormat, KeywordsWritten

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.runs.exports.rows import ExportOptions, OnProgress
    from honeyguide.runs.run import Run

KEYWORD_COLUMNS: Final = ("score", "search", "keyword", "url")


def write_keywords(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> KeywordsWritten:
    """Write a header and a keyword a row. ExportError where another judge than rake was asked."""
    judge = run.settings.judge.kind
    if judge != "rake":
        raise ExportError(f"{run.path} has no keywords: its judge is {judge}; crawl with --set judge.kind=rake")
    rows = csv.writer(out)
    rows.writerow(KEYWORD_COLUMNS)
    count = 0
    for match in run.keyword_matches(relevant_only=options.relevant_only):
        rows.writerow((match.score, safe_text(match.search), safe_text(match.keyword), match.url.text))
        count += 1
    on_progress(count, count)
    return KeywordsWritten(count)


KEYWORDS: Final = ExportFormat("keywords", write_keywords, newline="")
