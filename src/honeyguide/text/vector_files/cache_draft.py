"""A converted file of vectors while it is made."""

from __future__ import annotations

import json
import os
from array import array
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from honeyguide.text.vector_files.cache_files import ABOUT, BOUNDS, KEYS, ROWS, VECTORS, WORDS, key_of
from honeyguide.text.vector_files.scaling import Spread

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import BinaryIO, Self

    from numpy.typing import NDArray

    from honeyguide.text.vector_files.batch import Batch
    from honeyguide.text.vector_files.cache_files import About


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
