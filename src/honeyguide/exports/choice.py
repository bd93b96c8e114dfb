"""Which pages of a run are written, and what of them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from honeyguide.errors import ExportError
from honeyguide.exports.written import PagesWritten
from honeyguide.reading import PageRecord, records_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.exports.written import Progress
    from honeyguide.store import KeptPages, Run


@dataclass(frozen=True, slots=True)
class Choice:
    """What a caller asked for besides the format."""

    relevant_only: bool = False
    with_text: bool = True  # which takes parsing every page again
    one_file: bool = False  # where a format is a folder of files otherwise


EVERYTHING: Final = Choice()
FACTS: Final = tuple(field.name for field in fields(PageRecord) if field.name not in ("text", "parents"))
"""The columns of a page that are no long lists or texts: what nodes of graphs and front matter say."""


@contextmanager
def chosen_pages(run: Run, choice: Choice) -> Iterator[KeptPages]:
    """The pages to write, as they are at one moment. ExportError where there are none."""
    with run.at_one_moment():
        pages = run.kept_pages(relevant_only=choice.relevant_only)
        if not len(pages):
            raise nothing_to_write(run, choice)
        yield pages


def nothing_to_write(run: Run, choice: Choice) -> ExportError:
    if choice.relevant_only and run.progress.pages:
        return ExportError(f"{run.path} has no relevant page; write all {run.progress.pages:,} instead")
    return ExportError(f"{run.path} has no page to write; go on with it: honeyguide resume {run.path}")


class ChosenRecords:
    """The pages as rows, one in memory at a time; once. `progress` is told of each, and what was written is counted."""

    def __init__(self, run: Run, pages: KeptPages, choice: Choice, progress: Progress | None) -> None:
        self._records = records_of(run, pages, with_text=choice.with_text)
        self._total = len(pages)
        self._asks_for_text = choice.with_text
        self._progress = progress
        self._done = self._without_text = 0

    def __iter__(self) -> Iterator[PageRecord]:
        for record in self._records:
            yield record
            self._done += 1
            self._without_text += record.text is None
            if self._progress is not None:
                self._progress(self._done, self._total)

    @property
    def written(self) -> PagesWritten:
        """What came of those that have gone by."""
        return PagesWritten(self._done, self._without_text if self._asks_for_text else 0)


@contextmanager
def chosen_records(run: Run, choice: Choice, progress: Progress | None) -> Iterator[ChosenRecords]:
    """The pages to write as rows, as they are at one moment. ExportError where there are none."""
    with chosen_pages(run, choice) as pages:
        yield ChosenRecords(run, pages, choice, progress)


def heading_of(record: PageRecord) -> str:
    """What a page is called, on one line: its title, else its address."""
    return " ".join(record.title.split()) or record.url
