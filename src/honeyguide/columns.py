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
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

log = logging.getLogger(__name__)

Scalar = TypeVar("Scalar", bound=np.generic)

ON_DISK_FROM: Final = 1 << 22
"""Bytes of a column that are kept in memory; more go into a file."""
FREE: Final = -1
FULL: Final = 0.6
"""Of the places of a hash table, the share that may be taken: beyond, looking up takes longer and longer."""
_HALF_OF_A_HASH: Final = (1 << 32) - 1
TEXTS_OF_A_BLOCK: Final = 1 << 16
_libc: Final = ctypes.CDLL(None) if sys.platform == "linux" else None
_malloc_trim: Final = getattr(_libc, "malloc_trim", None)
_mallopt: Final = getattr(_libc, "mallopt", None)
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_APART_FROM: Final = 1 << 20
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


def keep_large_apart() -> None:
    """Have the C library of this process give back what is large as soon as it is free.

    Else it learns from the first large piece to take all of them from where small ones lie, and holes stay: a snapshot
    of tens of megabytes is made and thrown away every few hundred fetches.
    """
    if _mallopt is not None:
        _mallopt(_M_MMAP_THRESHOLD, _APART_FROM)
        _mallopt(_M_TRIM_THRESHOLD, 4 * _APART_FROM)


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
        self._end = 0
        # Where each text begins, counted from where its block of texts does: half the bytes of a place in the file.
        self._starts = array("I")
        self._blocks = array("q")

    def __len__(self) -> int:
        return len(self._starts)

    def extend(self, texts: Sequence[bytes]) -> None:
        """Add texts at the end."""
        self._newest += b"".join(texts)
        for text in texts:
            if not len(self._starts) % TEXTS_OF_A_BLOCK:
                self._blocks.append(self._end)
            self._starts.append(self._end - self._blocks[-1])
            self._end += len(text)
        if len(self._newest) > self._most:
            self._write_out()

    def __getitem__(self, number: int) -> bytes:
        start, end = self._start(number), self._start(number + 1) if number + 1 < len(self) else self._end
        if start >= self._in_file or self._file is None:
            return bytes(self._newest[start - self._in_file : end - self._in_file])
        return os.pread(self._file, end - start, start)

    def _start(self, number: int) -> int:
        return self._blocks[number // TEXTS_OF_A_BLOCK] + self._starts[number]

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


class NumbersByHash:
    """Numbers from 0, found by hashes, in some 12 bytes each.

    A hash table with open addressing: the place of a number is given by its hash, or is the next free one after that.
    Looking up is as fast as in a dictionary, which takes another 100 bytes for each, because it holds hashes and
    numbers as objects.
    """

    def __init__(self) -> None:
        self._hashes = array("I")  # by number; half of each hash is enough
        self._places = _places(self._hashes, size=1024)

    def __len__(self) -> int:
        return len(self._hashes)

    def having(self, digest: int) -> Iterator[int]:
        """Yield the numbers that may have this hash: all that have it, and hardly ever another."""
        places, last, half = self._places, len(self._places) - 1, digest & _HALF_OF_A_HASH
        place = half & last
        while (number := places[place]) != FREE:
            if self._hashes[number] == half:
                yield number
            place = (place + 1) & last

    def extend(self, digests: Iterable[int]) -> None:
        """Give the next numbers to these hashes."""
        first = len(self)
        self._hashes.extend([digest & _HALF_OF_A_HASH for digest in digests])
        size = len(self._places)
        while len(self) > FULL * size:
            size *= 2
        if size > len(self._places):
            self._places = _places(self._hashes, size=size)
            return
        places, last = self._places, size - 1
        for number in range(first, len(self)):
            place = self._hashes[number] & last
            while places[place] != FREE:
                place = (place + 1) & last
            places[place] = number


def _places(hashes: array[int], *, size: int) -> memoryview[int]:
    """Return a table of `size`, a power of two, with the numbers of these hashes in it."""
    numbers = np.full(size, FREE, dtype=np.int32)
    left = np.arange(len(hashes), dtype=np.int32)
    places = np.array(hashes, dtype=np.uint32) & np.uint32(size - 1)
    while len(left):
        # Where the place is free one of those that want it stays there; the others go on to the next.
        is_free = numbers[places] == FREE
        numbers[places[is_free]] = left[is_free]
        is_left = numbers[places] != left
        left, places = left[is_left], (places[is_left] + np.uint32(1)) & np.uint32(size - 1)
    return numbers.data


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
