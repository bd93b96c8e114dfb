"""Answers given earlier, read from a CSV file or from another run.

The file's first line names its columns: `url` and `answer`, and where they are known `by` (person, model, labels or
file), `name` of that person or model, `moment` and `undone`. `honeyguide export --format answers` writes such a file.
Other columns are left alone. Spreadsheets write `;` or tabs between columns in some countries, and a mark at the start.
"""

from __future__ import annotations

import csv
import logging
from typing import TYPE_CHECKING, Final, cast, get_args

from honeyguide.errors import AnswerError, InvalidUrl
from honeyguide.model import Url
from honeyguide.runs.inbox import Answerer, PageAnswer, Reply

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)

_NEEDED: Final = ("url", "answer")
_SEPARATORS: Final = ",;\t"
_KINDS: Final = frozenset(get_args(Answerer))


def read_answer_file(file: Path) -> list[PageAnswer]:
    """Return the answers of a CSV file that were not undone, in its order, or by moment where all lines have one.

    A line that is no answer is left out, with a warning that names it. AnswerError where the file is none of answers.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            header = lines.readline()
            lines.seek(0)
            rows = csv.DictReader(lines, delimiter=max(_SEPARATORS, key=header.count))
            rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or ()]
            missing = [name for name in _NEEDED if name not in rows.fieldnames]
            if missing:
                raise AnswerError(
                    f"{file} has no column {' and no column '.join(missing)}; its first line must name url and answer"
                )
            found: list[tuple[str, PageAnswer]] = []
            for row in rows:
                if (row.get("undone") or "").strip().lower() != "true":
                    try:
                        found.append((row.get("moment") or "", _answer(file, row)))
                    except AnswerError as error:
                        log.warning("%s, line %s: %s; the line is left out", file, rows.line_num, error)
    except OSError as error:
        raise AnswerError(f"cannot read the answers in {file}: {error.strerror}; name a CSV file or a run") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise AnswerError(
            f"{file} is no CSV file of answers ({error}); name one with columns url and answer"
        ) from error
    if all(moment for moment, _ in found):
        found.sort(key=lambda each: each[0])  # a time in ISO 8601 sorts as text
    return [answer for _, answer in found]


def _answer(file: Path, row: dict[str, str | None]) -> PageAnswer:
    said = (row["answer"] or "").strip().lower()
    by, name = (row.get("by") or "").strip(), (row.get("name") or "").strip()
    if said not in ("yes", "no", "skip"):
        raise AnswerError(f"{said!r} is no answer; write yes, no or skip")
    try:
        url = Url.parse(row["url"] or "")
    except InvalidUrl as error:
        raise AnswerError(str(error)) from error
    if by.lower() in _KINDS:
        return PageAnswer(url, cast("Reply", said), cast("Answerer", by.lower()), name)
    return PageAnswer(url, cast("Reply", said), "file", name or by or file.name)
