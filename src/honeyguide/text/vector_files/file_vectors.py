"""Word vectors read from a converted file, as a source for the table of `WordVectors`.

A word is found by its hash and then compared letter by letter. No word is a Python object until it is asked for.

NAME/
  about.json     the file that was converted, and the result; written last
  vectors.npy    the vectors as single-precision numbers, a row a word, in the order of the file
  words.utf8     the words after one another
  bounds.npy     where in words.utf8 the word of each row begins, and the end of the last
  keys.npy       64-bit hashes of the words, ascending
  rows.npy       the row of each key
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, overload

import numpy as np
import xxhash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from numpy.typing import NDArray

ABOUT: Final = "about.json"
VECTORS: Final = "vectors.npy"
WORDS: Final = "words.utf8"
BOUNDS: Final = "bounds.npy"
KEYS: Final = "keys.npy"
ROWS: Final = "rows.npy"


@dataclass(frozen=True, slots=True)
class AboutVectors:
    """The facts of a converted file."""

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


def key_of(word: bytes) -> int:
    return xxhash.xxh3_64_intdigest(word)


class FileVectors:
    """A converted file of vectors, read through memory maps: words that nobody asks for take no memory.

    A word is looked up as it is given, which in a crawl is in lower case. Where the file does not have it so, but with
    a capital or in capitals, it is taken from there.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        """Open the conversion of `path` in `folder`. ValueError or OSError where it is not whole."""
        self.path = path
        self.folder = folder
        self.about = AboutVectors(**json.loads((folder / ABOUT).read_text(encoding="utf-8")))
        self.dimension = self.about.dimension
        self.digest = self.about.digest
        self._vectors, self._bounds, self._keys, self._rows = (
            np.load(folder / name, mmap_mode="r", allow_pickle=False).view(np.ndarray)
            for name in (VECTORS, BOUNDS, KEYS, ROWS)
        )
        with (folder / WORDS).open("rb") as opened:
            self._text = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        sizes = (self._vectors.shape, len(self._bounds), len(self._keys), len(self._rows), len(self._text))
        written, words = len(self._vectors), self.about.words
        if sizes != ((written, self.dimension), written + 1, words, words, int(self._bounds[-1])):
            raise ValueError(f"{folder}: the files do not belong together")

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        rows = self._rows_of(words)
        for spelling in (str.capitalize, str.upper):
            missing = np.flatnonzero(rows < 0)
            rows[missing] = self._rows_of([spelling(words[place]) for place in missing.tolist()])
        vectors = np.zeros((len(words), self.dimension), dtype=np.float32)
        known = np.flatnonzero(rows >= 0)
        vectors[known] = self._vectors[rows[known]] * np.float32(self.about.scale)
        return vectors

    def has(self, word: str) -> bool:
        return bool(self.vectors([word]).any())

    def words(self) -> Sequence[str]:
        """Return all words of the file, in its order, which in most files is that of their frequency."""
        has_gaps = self.about.words < len(self._vectors)
        return FileWords(self.word, np.sort(self._rows) if has_gaps else range(self.about.words))

    def word(self, row: int) -> str:
        return self._word(row).decode()

    def size_bytes(self) -> int:
        """Return the room that the conversion takes on disk."""
        return sum(file.stat().st_size for file in self.folder.iterdir())

    def _rows_of(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the row of each word, -1 where there is none."""
        encoded = [word.encode("utf-8", "surrogatepass") for word in words]
        keys = np.fromiter(map(key_of, encoded), dtype=np.uint64, count=len(encoded))
        slots = np.searchsorted(self._keys, keys)
        hits = np.flatnonzero(self._keys[np.minimum(slots, len(self._keys) - 1)] == keys)
        rows = np.full(len(encoded), -1, dtype=np.int64)
        rows[hits] = self._rows[slots[hits]]
        begins, ends = self._bounds[rows[hits]], self._bounds[rows[hits] + 1]
        for place, begin, end in zip(hits.tolist(), begins.tolist(), ends.tolist(), strict=True):
            if self._text[begin:end] != encoded[place]:
                rows[place] = self._row_after(int(slots[place]), encoded[place])
        return rows

    def _row_after(self, slot: int, word: bytes) -> int:
        """Return the row of a word where another one with the same key stands in this slot; -1 if it is not there."""
        keys, key = self._keys, self._keys[slot]
        slot += 1
        while slot < len(keys) and keys[slot] == key:
            row = int(self._rows[slot])
            if self._word(row) == word:
                return row
            slot += 1
        return -1

    def _word(self, row: int) -> bytes:
        return self._text[int(self._bounds[row]) : int(self._bounds[row + 1])]


class FileWords(Sequence[str]):
    """The words of a file in its order, each made when it is asked for."""

    def __init__(self, word_of_row: Callable[[int], str], rows: Sequence[int] | NDArray[np.uint32]) -> None:
        self._word_of_row = word_of_row
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._word_of_row(int(row)) for row in self._rows[place]]
        return self._word_of_row(int(self._rows[place]))
