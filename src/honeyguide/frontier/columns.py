"""Columns of numbers and text that grow: in memory while they are small, in a file without a name when they are large.

The links of a large crawl are nearly all cold: they wait, and nobody looks at them. What is in such a file belongs to
the system's page cache, which gives up what nobody has touched; the process itself holds only what it has touched since
the last `release`. A crawl rebuilds all of it when it is resumed, so nothing has to be safe there. The file lies in
`/var/tmp`, because `/tmp` is memory on many systems, or where the system keeps temporary files. Where it cannot be
made, or the disk is full, the column stays in memory.
"""

from __future__ import annotations

import ctypes
import logging
import mmap
import os
import sys
import tempfile
import weakref
from array import array
from itertools import accumulate, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

log = logging.getLogger(__name__)

Scalar = TypeVar("Scalar", bound=np.generic)

ON_DISK_FROM: Final = 1 << 22
"""Bytes of a column that are kept in memory; more go into a file."""
_malloc_trim: Final = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
_LARGE_FILES: Final = Path("/var/tmp")  # noqa: S108 - files there have no name


def grown(column: NDArray[Scalar], at_least: int, *, fill: float | None) -> NDArray[Scalar]:
    """Return a longer copy of a column: twice as long, or more where that is not enough."""
    size = max(2 * len(column), at_least)
    longer = _empty((size, *column.shape[1:]), column.dtype)
    is_in_file = _file_of(longer) is not None
    rows = max(1, ON_DISK_FROM // max(1, longer[:1].nbytes))
    # Piece by piece, so that copying takes no memory; a new file holds nothing but 0.
    for first in range(0, size if fill or not is_in_file else len(column), rows):
        piece = slice(first, first + rows)
        old = column[piece]
        longer[first : first + len(old)] = old
        if fill is not None:
            longer[first + len(old) : first + rows] = fill
        release((column, longer))
    return longer


def release(columns: Iterable[NDArray[Any]]) -> None:
    """Let go of the parts of these columns that are in memory and in a file as well."""
    for column in columns:
        file = _file_of(column)
        if file is not None and hasattr(mmap, "MADV_DONTNEED"):
            file.madvise(mmap.MADV_DONTNEED)


def trim() -> None:
    """Give back what the C library keeps of memory that was used: after many things came and went, a tenth of all."""
    if _malloc_trim is not None:
        _malloc_trim(0)


def _file_of(column: NDArray[Any]) -> mmap.mmap | None:
    base: object = column.base
    return base if isinstance(base, mmap.mmap) else None


class TextColumn:
    """Texts by number, end to end; the newest in memory, the others in a file once there are many."""

    def __init__(self) -> None:
        self._newest = bytearray()
        self._in_file = 0  # bytes
        self._most = ON_DISK_FROM
        self._file: int | None = None
        self._ends = array("q", [0])  # text n lies between end n and end n+1

    def __len__(self) -> int:
        return len(self._ends) - 1

    def extend(self, texts: Sequence[bytes]) -> None:
        """Add texts at the end."""
        self._newest += b"".join(texts)
        self._ends.extend(islice(accumulate(map(len, texts), initial=self._ends[-1]), 1, None))
        if len(self._newest) > self._most:
            self._write_out()

    def __getitem__(self, number: int) -> bytes:
        start, end = self._ends[number], self._ends[number + 1]
        if start >= self._in_file or self._file is None:
            return bytes(self._newest[start - self._in_file : end - self._in_file])
        return os.pread(self._file, end - start, start)

    def _write_out(self) -> None:
        try:
            if self._file is None:
                with _nameless_file() as file:
                    self._file = os.dup(file.fileno())
                weakref.finalize(self, os.close, self._file)
            written = os.pwrite(self._file, self._newest, self._in_file)
        except OSError as error:
            log.warning("URLs stay in memory, because a temporary file cannot be written: %s", error)
            written = 0
        if written < len(self._newest):  # a full disk; it is tried again
            self._most *= 4
            return
        self._in_file += written
        self._newest = bytearray()


def _empty(shape: tuple[int, ...], dtype: np.dtype[Scalar]) -> NDArray[Scalar]:
    size = int(np.prod(shape)) * dtype.itemsize
    if size < ON_DISK_FROM or not hasattr(os, "posix_fallocate"):
        return np.empty(shape, dtype)
    try:
        with _nameless_file() as file:
            os.posix_fallocate(file.fileno(), 0, size)  # or a full disk would end the process in the midst of it
            return np.ndarray(shape, dtype, buffer=mmap.mmap(file.fileno(), size))
    except OSError as error:
        log.warning("waiting links stay in memory, because a temporary file cannot be made: %s", error)
        return np.empty(shape, dtype)


def _nameless_file() -> IO[bytes]:
    """Make a file that is gone when nobody holds it any more, however the process ends."""
    folder = _LARGE_FILES if os.access(_LARGE_FILES, os.W_OK) else None
    return tempfile.TemporaryFile(dir=folder, buffering=0)
