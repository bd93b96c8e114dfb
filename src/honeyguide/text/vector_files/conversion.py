"""Conversion of word vector files, done once: each becomes a folder of the cache that is read through memory maps.

A folder appears under its name only when it is whole: it is made as a draft and renamed. Whoever converts holds a lock,
so a second process waits and then finds the work done; the system lets go of the lock when a process dies, and the
draft that it leaves is cleared away by the next. When a file has changed, its folder is replaced.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import shutil
from array import array
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.errors import VectorsError
from honeyguide.locks import lock
from honeyguide.text.compressed import BrokenStream, CompressedFile
from honeyguide.text.vector_files.file_vectors import (
    ABOUT,
    BOUNDS,
    KEYS,
    ROWS,
    VECTORS,
    WORDS,
    AboutVectors,
    FileVectors,
    key_of,
)
from honeyguide.text.vector_files.formats import Content, Format, binary_batches, layout_of, text_batches
from honeyguide.text.vectors import LARGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedReader
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO, Self

    from numpy.typing import NDArray

    from honeyguide.text.vector_files.formats import Batch

_MOST_GIVEN_UP: Final = 2  # halvings that are worth while to keep the largest numbers from being cut
_MOST_DOUBLINGS: Final = 100  # single precision has room for few more


class NumberSpread:
    """How large the numbers of a file are, and the factor by which they are multiplied when they are looked up.

    A table in steps of 1/256 up to 8 is to hold them well. Some files have numbers of about 0.05, of which such steps
    leave little; others exceed 8 and would be cut. The factor is a power of two, so that nothing is lost by it, the
    same for all words, so that no cosine changes, and follows from the file alone.
    """

    def __init__(self) -> None:
        self._count = 0
        self._squares = 0.0
        self._largest = 0.0

    def add(self, vectors: NDArray[np.float32]) -> None:
        numbers = vectors.astype(np.float64)
        self._count += numbers.size
        self._squares += float((numbers * numbers).sum())
        self._largest = max(self._largest, float(np.abs(numbers).max(initial=0.0)))

    @property
    def is_all_zero(self) -> bool:
        return self._largest == 0.0

    @property
    def scale(self) -> float:
        """Brings the root mean square to between 1/2 and 1; down to 1/8, where that keeps the largest within bounds."""
        if self.is_all_zero:
            return 1.0
        typical = math.floor(-math.log2(math.sqrt(self._squares / self._count)))
        within = math.floor(math.log2(LARGEST / self._largest))
        doublings = min(typical, max(within, typical - _MOST_GIVEN_UP))
        return 2.0 ** max(-_MOST_DOUBLINGS, min(doublings, _MOST_DOUBLINGS))


class CacheDraft:
    """Takes words and vectors in, batch by batch. Memory: 40 bytes a word at the end, whatever the dimension."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder = folder
        self._dimension = dimension
        self._keys = array("Q")
        self._bounds = array("Q", [0])
        self._skipped = 0
        self._spread = NumberSpread()
        self._hash_of_words = xxhash.xxh3_128()
        self._hash_of_vectors = xxhash.xxh3_128()
        self._words = (folder / WORDS).open("wb")
        self._vectors = (folder / VECTORS).open("wb")
        self._write_head()

    @property
    def rows(self) -> int:
        return len(self._keys)

    @property
    def is_all_zero(self) -> bool:
        return self._spread.is_all_zero

    def add(self, batch: Batch) -> None:
        end = self._bounds[-1]
        for word in batch.words:
            self._keys.append(key_of(word))
            end += len(word)
            self._bounds.append(end)
        text = b"".join(batch.words)
        numbers = batch.vectors.astype("<f4").tobytes()
        self._words.write(text)
        self._vectors.write(numbers)
        self._hash_of_words.update(b"\n".join([*batch.words, b""]))
        self._hash_of_vectors.update(numbers)
        self._spread.add(batch.vectors)
        self._skipped += batch.skipped

    def finish(self, file: CompressedFile, state: str, format_name: str) -> None:
        """Write the index, and last `about.json`."""
        self._write_head()
        _sync_and_close(self._vectors)
        _sync_and_close(self._words)
        bounds = np.frombuffer(self._bounds, dtype=np.uint64)
        rows = self._distinct_rows(bounds)
        keys = np.frombuffer(self._keys, dtype=np.uint64)[rows]
        for name, column in ((BOUNDS, bounds), (KEYS, keys), (ROWS, rows.astype("<u4"))):
            with (self._folder / name).open("wb") as opened:
                np.save(opened, column, allow_pickle=False)
                _sync_and_close(opened)
        about = AboutVectors(
            file=str(file.path.resolve()),
            state=state,
            format=format_name,
            compression=file.compression,
            dimension=self._dimension,
            words=len(rows),
            duplicates=self.rows - len(rows),
            skipped=self._skipped,
            scale=self._spread.scale,
            digest=self._digest(),
        )
        with (self._folder / ABOUT).open("wb") as opened:
            opened.write(json.dumps(asdict(about), indent=2).encode() + b"\n")
            _sync_and_close(opened)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._vectors.close()
        self._words.close()

    def _write_head(self) -> None:
        """Write the head of vectors.npy, which is as long for any number of rows, so it can be mended at the end."""
        shape = (self.rows, self._dimension)
        self._vectors.seek(0)
        np.lib.format.write_array_header_1_0(self._vectors, {"descr": "<f4", "fortran_order": False, "shape": shape})

    def _distinct_rows(self, bounds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return rows in the order of their keys; of a word that stands there twice, the first."""
        keys = np.frombuffer(self._keys, dtype=np.uint64)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        repeated = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
        if not len(repeated):
            return order
        text = np.memmap(self._folder / WORDS, dtype=np.uint8, mode="r")
        dropped: list[int] = []
        seen: set[bytes] = set()
        last = -1
        for place in repeated.tolist():
            if place - 1 != last:  # a run of equal keys begins one before
                seen = {_read_word(text, bounds, order[place - 1])}
            last = place
            word = _read_word(text, bounds, order[place])
            if word in seen:
                dropped.append(place)
            seen.add(word)
        return np.delete(order, dropped)

    def _digest(self) -> str:
        whole = xxhash.xxh3_128(f"{self._dimension} {self._spread.scale!r} ".encode())
        whole.update(self._hash_of_words.digest())
        whole.update(self._hash_of_vectors.digest())
        return whole.hexdigest()


def _read_word(text: NDArray[np.uint8], bounds: NDArray[np.uint64], row: int) -> bytes:
    return text[int(bounds[row]) : int(bounds[row + 1])].tobytes()


def _sync_and_close(opened: BinaryIO) -> None:
    opened.flush()
    os.fsync(opened.fileno())  # or a power cut may leave an empty file under a good name
    opened.close()


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


def open_file_vectors(
    path: Path, cache: Path, on_progress: Callable[[Converting], None] = lambda _: None
) -> FileVectors:
    """Open a file of vectors through its conversion in a folder of `cache`, which is made first if need be.

    VectorsError where the file is none that can be used or the cache cannot be written; then nothing is left behind.
    """
    state, folder = _file_state(path), cache / _folder_name(path)
    found = _open_current(path, folder, state)
    if found is not None:
        return found
    try:
        with _locked(folder):
            found = _open_current(path, folder, state)  # another process may have made it while we waited
            if found is None:
                _convert(path, state, folder, on_progress)
                found = FileVectors(path, folder)
            return found
    except OSError as error:
        raise VectorsError(
            f"cannot write the cache of vectors in {cache}: {error.strerror or error}; free some space, or set "
            "vectors.cache_folder to a folder that you may write to"
        ) from error


def _file_state(path: Path) -> str:
    """Return a text that changes when the file does: size, time, first and last bytes."""
    with _open_file(path) as file:
        facts = os.fstat(file.fileno())
        probe = xxhash.xxh3_128(file.read(_PROBE_BYTES))
        file.seek(max(0, facts.st_size - _PROBE_BYTES))
        probe.update(file.read(_PROBE_BYTES))
    return f"{_FORMAT} {facts.st_size} {facts.st_mtime_ns} {probe.hexdigest()}"


def _folder_name(path: Path) -> str:
    """Return a name that a person knows the file by; two files of one name differ in the letters after it."""
    readable = re.sub(r"[^A-Za-z0-9._-]", "_", path.name)[:_LONGEST_NAME]
    return f"{readable}-{xxhash.xxh3_64_hexdigest(os.fsencode(path.resolve()))}"


def _open_current(path: Path, folder: Path, state: str) -> FileVectors | None:
    """Open an earlier conversion; None where it is not there, not whole, or of another state of the file."""
    try:
        found = FileVectors(path, folder)
    except (OSError, ValueError, TypeError, EOFError):
        return None
    return found if found.about.state == state else None


def _convert(path: Path, state: str, folder: Path, on_progress: Callable[[Converting], None]) -> None:
    draft, old = folder.with_name(f"{folder.name}.draft"), folder.with_name(f"{folder.name}.old")
    _remove(draft, old)
    draft.mkdir()
    try:
        _write_draft(path, state, draft, on_progress)
        if _file_state(path) != state:
            raise VectorsError(f"{path} has changed while it was read; try again when it is finished")
        if folder.exists():
            folder.rename(old)
        draft.rename(folder)
    finally:
        _remove(draft, old)


def _write_draft(path: Path, state: str, draft: Path, on_progress: Callable[[Converting], None]) -> None:
    with CompressedFile(path) as file:
        try:
            content = Content(file.blocks())
            layout = layout_of(content, path)
            log.info("converting %s: %s, %s numbers a word", path, layout.format.value, layout.dimension)
            read = binary_batches if layout.format is Format.WORD2VEC_BINARY else text_batches
            with CacheDraft(draft, layout.dimension) as cache:
                for batch in read(content, layout):
                    cache.add(batch)
                    on_progress(Converting(path, file.bytes_read, file.size_bytes, cache.rows))
                if not cache.rows:
                    raise VectorsError(f"{path} holds no word that can be looked up; get the file again")
                if cache.is_all_zero:
                    raise VectorsError(f"every number in {path} is 0, so no word is near another: get the file again")
                cache.finish(file, state, layout.format.value)
        except BrokenStream as error:
            raise VectorsError(f"{path}: {error}: {error.remedy}") from error


def _open_file(path: Path) -> BufferedReader:
    """Open the file as it lies on disk. VectorsError where there is none that can be read."""
    if path.is_dir():
        raise VectorsError(f"{path} is a folder: name one file of vectors in it")
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise VectorsError(f"there is no file of vectors {path}: check the path, or take the bundled ones") from None
    except OSError as error:
        raise VectorsError(f"cannot read {path}: {error.strerror or error}; check who may read it") from error


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; other processes wait for it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as file:
        lock(file.fileno(), waits=True)
        yield
