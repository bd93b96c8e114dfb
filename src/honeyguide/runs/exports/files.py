"""Atomic writing of exports: a file or folder appears complete or not at all.

Nothing is written into a run folder, except `report.html`, which belongs to no crawl.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Final

from honeyguide.drafts import holding, remove_abandoned
from honeyguide.errors import ExportError
from honeyguide.runs.folder import run_around

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_REPORT: Final = re.compile(r"report(@\d+)?\.html")


@contextmanager
def atomic_file(path: Path, newline: str | None = None, *, is_binary: bool = False) -> Iterator[IO[Any]]:
    """Give a new file that replaces `path` at the end; if something fails before, `path` is as it was.

    A device or a pipe is written to directly. FileNotFoundError where the folder is missing, ExportError within a run
    folder. `newline` is that of `open`.
    """
    binary, encoding = ("b", None) if is_binary else ("", "utf-8")
    if path.exists() and not path.is_file():  # before it is resolved: /dev/stdout leads to a pipe, which has no path
        with path.open(f"w{binary}", encoding=encoding, newline=newline) as opened:
            yield opened
        return
    asked, path = path, path.resolve()  # a link stays one
    draft = _draft_of(asked, path)
    with _naming(asked):
        begun = draft.open(f"x{binary}", encoding=encoding, newline=newline)
    try:
        with begun as opened, holding(draft):
            yield opened
            opened.flush()
            os.fsync(opened.fileno())  # or a power cut may leave an empty file under the new name
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Give a new folder that takes the name `path` at the end; if something fails before, it leaves nothing behind.

    FileExistsError where something is there already, but for an empty folder; FileNotFoundError where the folder above
    is missing; ExportError within a run folder.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise FileExistsError(errno.EEXIST, "is there already and not empty; name a new folder", str(path))
    asked, path = path, path.resolve()
    draft = _draft_of(asked, path)
    with _naming(asked):
        draft.mkdir()
    try:
        with holding(draft):
            yield draft
            draft.replace(path)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


@contextmanager
def _naming(asked: Path) -> Iterator[None]:
    """Let errors name the path that was asked for, not that of the draft."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror}; name another place with -o", str(asked)) from error


def _draft_of(asked: Path, path: Path) -> Path:
    run = run_around(path)
    if run is not None and not (path.parent == run and _REPORT.fullmatch(path.name)):
        raise ExportError(f"{asked} lies in the run folder {run}, which is for the run alone; name a place outside")
    if not path.parent.exists():
        raise FileNotFoundError(errno.ENOENT, "the folder does not exist; make it first", str(asked))
    remove_abandoned(path.parent, f".{path.name}.export-")
    return path.with_name(f".{path.name}.export-{os.getpid()}.draft")
