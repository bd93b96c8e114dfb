"""Which pages of a run are written, and what of them."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final

from honeyguide.errors import ExportError
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
        return ExportError(f"{run.path} has no relevant page; leave out --relevant to write all {run.progress.pages:,}")
    return ExportError(f"{run.path} has no page to write; go on with it: honeyguide resume {run.path}")


def chosen_records(run: Run, pages: KeptPages, choice: Choice, progress: Progress | None) -> Iterator[PageRecord]:
    """The pages as rows, with `progress` told of each."""
    total = len(pages)
    for done, record in enumerate(records_of(run, pages, with_text=choice.with_text), 1):
        yield record
        if progress is not None:
            progress(done, total)
