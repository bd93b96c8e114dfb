"""The files of one converted file of vectors, all of them read through memory maps:

NAME/
  about.json     what was converted, and what came of it; written last
  vectors.npy    the vectors as single-precision numbers, a row a word, in the order of the file
  words.utf8     the words after one another
  bounds.npy     where in words.utf8 the word of each row begins, and the end of the last
  keys.npy       64-bit hashes of the words, ascending
  rows.npy       the row of each key

A word is found by its hash and then compared letter by letter. No word is a Python object until it is asked for.

By how much the vectors of a file are multiplied, so that a table in steps of 1/256 up to 8 holds them well.

Some files have numbers of about 0.05, of which steps of 1/256 leave little; others exceed 8 and would be cut. The
factor is a power of two, so that nothing is lost by it, the same for all words, so that no cosine changes, and follows
from the file alone.

A converted file of vectors while it is made.

Files of vectors, each converted once into a folder of the cache.

A folder appears under its name only when it is whole: it is made as a draft and renamed. Whoever converts holds a lock,
so a second process waits and then finds the work done; the system lets go of the lock when a process dies, and the
draft that it leaves is cleared away by the next. When a file has changed, its folder is replaced.
"""

from __future__ import annotations

import fcntl
import json
import logging
import math
import mmap
import os
import re
import shutil
from array import array
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

from honeyguide.errors import VectorsError
from honeyguide.text.vector_files.formats import Content, Format, binary_batches, layout_of, text_batches
from honeyguide.text.vector_files.unpacking import opened, unpacked
from honeyguide.text.vectors import LARGEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO, Self

    from numpy.typing import NDArray

    from honeyguide.text.vector_files.formats import Batch

ABOUT: Final = "about.json"
VECTORS: Final = "vectors.npy"
WORDS: Final = "words.utf8"
BOUNDS: Final = "bounds.npy"
KEYS: Final = "keys.npy"
ROWS: Final = "rows.npy"


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a converted file without looking at its vectors."""

    file: str
    state: str  # of the file when it was converted; another state makes the cache stale
    format: str
    compression: str  # empty where there is none
    words: int  # distinct ones, those that can be looked up
    dimension: int
    duplicates: int  # words that stood there before, left out
    skipped: int  # words that are empty or not UTF-8, left out
    scale: float  # a power of two that vectors are multiplied with when they are looked up
    digest: str  # of words, vectors and scale: equal ones give equal crawls


class CacheReader:
    """A folder of these files, opened. ValueError or OSError where it is not whole."""

    def __init__(self, folder: Path) -> None:
        self.about = About(**json.loads((folder / ABOUT).read_text(encoding="utf-8")))
        self.vectors = _mapped(folder / VECTORS)
        self.bounds = _mapped(folder / BOUNDS)
        self.keys = _mapped(folder / KEYS)
        self.rows = _mapped(folder / ROWS)
        with (folder / WORDS).open("rb") as opened:
            self.text = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        sizes = (self.vectors.shape, len(self.bounds), len(self.keys), len(self.rows), len(self.text))
        written, words = len(self.vectors), self.about.words
        if sizes != ((written, self.about.dimension), written + 1, words, words, int(self.bounds[-1])):
            raise ValueError(f"{folder}: the files do not belong together")

    def word(self, row: int) -> bytes:
        """The word of a row, in UTF-8."""
        return self.text[int(self.bounds[row]) : int(self.bounds[row + 1])]


def key_of(word: bytes) -> int:
    return xxhash.xxh3_64_intdigest(word)


def _mapped(file: Path) -> NDArray[Any]:
    return np.load(file, mmap_mode="r", allow_pickle=False).view(np.ndarray)


_MOST_GIVEN_UP: Final = 2  # halvings that are worth while to keep the largest numbers from being cut
_MOST_DOUBLINGS: Final = 100  # single precision has room for few more


class Spread:
    """Gathers how large the numbers of a file are."""

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


@dataclass(frozen=True, slots=True)
class Converted:
    """What a draft came to."""

    words: int
    duplicates: int
    skipped: int
    scale: float
    digest: str


class CacheDraft:
    """Takes words and vectors in, batch by batch. Memory: 40 bytes a word at the end, whatever the dimension."""

    def __init__(self, folder: Path, dimension: int) -> None:
        self._folder = folder
        self._dimension = dimension
        self._keys = array("Q")
        self._bounds = array("Q", [0])
        self._skipped = 0
        self._spread = Spread()
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

    def finish(self) -> Converted:
        """Write the index. Only `about.json` is missing then."""
        self._write_head()
        _close_whole(self._vectors)
        _close_whole(self._words)
        bounds = np.frombuffer(self._bounds, dtype=np.uint64)
        rows = self._distinct_rows(bounds)
        keys = np.frombuffer(self._keys, dtype=np.uint64)[rows]
        for name, column in ((BOUNDS, bounds), (KEYS, keys), (ROWS, rows.astype("<u4"))):
            with (self._folder / name).open("wb") as opened:
                np.save(opened, column, allow_pickle=False)
                _close_whole(opened)
        return Converted(len(rows), self.rows - len(rows), self._skipped, self._spread.scale, self._digest())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._vectors.close()
        self._words.close()

    def _write_head(self) -> None:
        """The head of vectors.npy has the same length for any number of rows, so it can be mended at the end."""
        shape = (self.rows, self._dimension)
        self._vectors.seek(0)
        np.lib.format.write_array_header_1_0(self._vectors, {"descr": "<f4", "fortran_order": False, "shape": shape})

    def _distinct_rows(self, bounds: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Rows in the order of their keys; of a word that stands there twice, the first."""
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
                seen = {_word(text, bounds, order[place - 1])}
            last = place
            word = _word(text, bounds, order[place])
            if word in seen:
                dropped.append(place)
            seen.add(word)
        return np.delete(order, dropped)

    def _digest(self) -> str:
        whole = xxhash.xxh3_128(f"{self._dimension} {self._spread.scale!r} ".encode())
        whole.update(self._hash_of_words.digest())
        whole.update(self._hash_of_vectors.digest())
        return whole.hexdigest()


def write_about(folder: Path, about: About) -> None:
    with (folder / ABOUT).open("wb") as opened:
        opened.write(json.dumps(asdict(about), indent=2).encode() + b"\n")
        _close_whole(opened)


def _word(text: NDArray[np.uint8], bounds: NDArray[np.uint64], row: int) -> bytes:
    return text[int(bounds[row]) : int(bounds[row + 1])].tobytes()


def _close_whole(opened: BinaryIO) -> None:
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
