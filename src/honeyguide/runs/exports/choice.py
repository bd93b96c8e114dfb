"""What an export came to, for a person to read.

Which pages of a run are written, and what of them.

Files and folders that appear in whole or not at all, and never among the files of a run.

Only `report.html`, which belongs to no crawl, may be written into a run folder.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, TextIO, TypeAlias, cast

from honeyguide.errors import ExportError
from honeyguide.model.counts import count_of
from honeyguide.runs import PageRecord, records_of, run_around

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.runs import KeptPages, Run

Progress: TypeAlias = Callable[[int, int], None]
"""Is told now and then how much is done, and of how much."""


@dataclass(frozen=True, slots=True)
class EdgesWritten:
    """What a file of a graph holds."""

    vertices: int
    edges: int

    def __str__(self) -> str:
        return f"{count_of(self.vertices, 'vertex', 'vertices')}, {count_of(self.edges, 'edge')}"


@dataclass(frozen=True, slots=True)
class PagesWritten:
    """What a file or folder of pages holds."""

    pages: int
    without_text: int = 0  # pages whose bodies the run had not kept, so that they have no text here

    def __str__(self) -> str:
        told = count_of(self.pages, "page")
        return f"{told}, {self.without_text:,} of them without text: it was not kept" if self.without_text else told


@dataclass(frozen=True, slots=True)
class RecordsWritten:
    """What a WARC file holds."""

    responses: int
    pages: int  # of these responses

    def __str__(self) -> str:
        return f"{count_of(self.responses, 'response')}, {count_of(self.pages, 'page')} among them"


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


REPORT_NAME: Final = "report.html"


@contextmanager
def whole_file(path: Path, newline: str | None = None) -> Iterator[TextIO]:
    """A new text file that takes the place of `path` at the end; if something fails before, `path` is as it was.

    What is there and is no plain file, such as a device or a pipe, is written to as it is. FileNotFoundError where the
    folder is missing, ExportError within a run folder. `newline` is that of `open`.
    """
    with _whole(path, "", newline) as opened:
        yield cast("TextIO", opened)


@contextmanager
def whole_binary_file(path: Path) -> Iterator[BinaryIO]:
    """As `whole_file`, for bytes."""
    with _whole(path, "b") as opened:
        yield cast("BinaryIO", opened)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A new folder that takes the name `path` at the end; if something fails before, it leaves nothing behind.

    FileExistsError where something is there already, but for an empty folder; FileNotFoundError where the folder above
    is missing; ExportError within a run folder.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise FileExistsError(errno.EEXIST, "is there already and not empty; name a new folder", str(path))
    asked, path = path, path.resolve()
    draft = _draft_of(asked, path)
    with _told_of(asked):
        draft.mkdir()
    try:
        yield draft
        draft.replace(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _whole(path: Path, binary: str, newline: str | None = None) -> Iterator[IO[Any]]:
    encoding = None if binary else "utf-8"
    if path.exists() and not path.is_file():  # before it is resolved: /dev/stdout leads to a pipe, which has no path
        with path.open(f"w{binary}", encoding=encoding, newline=newline) as opened:
            yield opened
        return
    asked, path = path, path.resolve()  # a link stays one
    draft = _draft_of(asked, path)
    with _told_of(asked):
        begun = draft.open(f"x{binary}", encoding=encoding, newline=newline)
    try:
        with begun as opened:
            yield opened
            opened.flush()
            os.fsync(opened.fileno())  # or a power cut may leave an empty file under the new name
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _told_of(asked: Path) -> Iterator[None]:
    """Errors name the path that was asked for, not that of the draft."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; name another place with -o", str(asked)) from error


def _draft_of(asked: Path, path: Path) -> Path:
    run = run_around(path)
    if run is not None and path != run / REPORT_NAME:
        raise ExportError(f"{asked} lies in the run folder {run}, which is for the run alone; name a place outside")
    if not path.parent.exists():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist; make it first", str(asked))
    return path.with_name(f"{path.name}.{os.getpid()}.draft")
