"""Files of vectors, each converted once into a folder of the cache.

A folder appears under its name only when it is whole: it is made as a draft and renamed. Whoever converts holds a lock,
so a second process waits and then finds the work done; the system lets go of the lock when a process dies, and the
draft that it leaves is cleared away by the next. When a file has changed, its folder is replaced.
"""

from __future__ import annotations

import fcntl
import logging
import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import xxhash

from honeyguide.errors import VectorsError
from honeyguide.text.vector_files.binary_rows import binary_batches
from honeyguide.text.vector_files.cache_draft import CacheDraft, write_about
from honeyguide.text.vector_files.cache_files import About, CacheReader
from honeyguide.text.vector_files.content import Content
from honeyguide.text.vector_files.layouts import Format, layout_of
from honeyguide.text.vector_files.text_rows import text_batches
from honeyguide.text.vector_files.unpacking import opened, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

log = logging.getLogger(__name__)

_FORMAT: Final = 1  # of the cache: another number makes all that was converted stale
_PROBE_BYTES: Final = 1 << 16
_LONGEST_NAME: Final = 80


@dataclass(frozen=True, slots=True)
class Converting:
    """How far the conversion of a file has come."""

    path: Path
    bytes_read: int  # of the file as it lies on disk
    size_bytes: int
    words: int


def open_cached(path: Path, cache: Path, on_progress: Callable[[Converting], None]) -> tuple[Path, CacheReader]:
    """The folder that a file of vectors is converted in, and what it holds; converts the file first if need be.

    VectorsError where the file is none that can be used or the cache cannot be written; then nothing is left behind.
    """
    state, folder = _state_of(path), cache / _name_for(path)
    found = _current(folder, state)
    if found is None:
        with _told_plainly(cache), _locked(folder):
            found = _current(folder, state)  # someone else may have done it while we waited
            if found is None:
                _convert(path, state, folder, on_progress)
                found = CacheReader(folder)
    return folder, found


def _state_of(path: Path) -> str:
    """What changes when the file does: its size, its time, its first and last bytes."""
    with opened(path) as file:
        facts = os.fstat(file.fileno())
        probe = xxhash.xxh3_128(file.read(_PROBE_BYTES))
        file.seek(max(0, facts.st_size - _PROBE_BYTES))
        probe.update(file.read(_PROBE_BYTES))
    return f"{_FORMAT} {facts.st_size} {facts.st_mtime_ns} {probe.hexdigest()}"


def _name_for(path: Path) -> str:
    """Says which file it was, to a person; two files of the same name differ in the letters after it."""
    readable = re.sub(r"[^A-Za-z0-9._-]", "_", path.name)[:_LONGEST_NAME]
    return f"{readable}-{xxhash.xxh3_64_hexdigest(os.fsencode(path.resolve()))}"


def _current(folder: Path, state: str) -> CacheReader | None:
    """What was converted earlier; None where it is not there, not whole, or of another state of the file."""
    try:
        found = CacheReader(folder)
    except (OSError, ValueError, TypeError, EOFError):
        return None
    return found if found.about.state == state else None


def _convert(path: Path, state: str, folder: Path, on_progress: Callable[[Converting], None]) -> None:
    draft, old = folder.with_name(f"{folder.name}.draft"), folder.with_name(f"{folder.name}.old")
    _remove(draft, old)
    draft.mkdir()
    try:
        _write_draft(path, state, draft, on_progress)
        if _state_of(path) != state:
            raise VectorsError(f"{path} has changed while it was read; try again when it is finished")
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
    finally:
        _remove(draft, old)


def _write_draft(path: Path, state: str, draft: Path, on_progress: Callable[[Converting], None]) -> None:
    with unpacked(path) as file:
        content = Content(file.blocks())
        layout = layout_of(content, path)
        log.info("converting %s: %s, %s numbers a word", path, layout.format.value, layout.dimension)
        read = binary_batches if layout.format is Format.WORD2VEC_BINARY else text_batches
        with CacheDraft(draft, layout.dimension) as cache:
            for batch in read(content, layout, path):
                cache.add(batch)
                on_progress(Converting(path, file.bytes_read, file.size_bytes, cache.rows))
            if not cache.rows:
                raise VectorsError(f"{path} holds no word that can be looked up; get the file again")
            if cache.is_all_zero:
                raise VectorsError(f"every number in {path} is 0, so no word is near another: get the file again")
            made = cache.finish()
        about = About(
            file=str(path.resolve()),
            state=state,
            format=layout.format.value,
            compression=file.compression,
            dimension=layout.dimension,
            **asdict(made),
        )
        write_about(draft, about)


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Held by whoever converts into this folder; the others wait."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _told_plainly(cache: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise VectorsError(
            f"cannot write the cache of vectors in {cache}: {error.strerror or error}; free some space, or set "
            "vectors.cache_folder to a folder that you may write to"
        ) from error
