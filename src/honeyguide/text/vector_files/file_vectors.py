"""Vectors of words out of a file, as a source for the table of `WordVectors`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

from honeyguide.text.vector_files.cache import Converting, key_of, open_cached

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.text.vector_files.cache import CacheReader


class FileVectors:
    """A file of vectors, read through its memory-mapped cache: words that nobody asks for take no memory.

    A word is looked up as it is given, which in a crawl is in lower case. Where the file does not have it so, but with
    a capital or in capitals, it is taken from there.
    """

    def __init__(self, path: Path, cache: Path, on_progress: Callable[[Converting], None] = lambda _: None) -> None:
        self.path = path
        self.folder, self._cache = open_cached(path, cache, on_progress)
        self.about = self._cache.about
        self.dimension = self.about.dimension
        self.digest = self.about.digest

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        rows = self._rows_of(words)
        for spelling in (str.capitalize, str.upper):
            missing = np.flatnonzero(rows < 0)
            rows[missing] = self._rows_of([spelling(words[place]) for place in missing.tolist()])
        vectors = np.zeros((len(words), self.dimension), dtype=np.float32)
        known = np.flatnonzero(rows >= 0)
        vectors[known] = self._cache.vectors[rows[known]] * np.float32(self.about.scale)
        return vectors

    def words(self) -> Sequence[str]:
        """All words of the file, in its order, which in most files is that of their frequency."""
        return WordList(self._cache)

    def size_bytes(self) -> int:
        """Room that the cache of this file takes."""
        return sum(file.stat().st_size for file in self.folder.iterdir())

    def _rows_of(self, words: Iterable[str]) -> NDArray[np.int64]:
        """The row of each word, -1 where there is none."""
        cache, encoded = self._cache, [word.encode("utf-8", "surrogatepass") for word in words]
        keys = np.fromiter(map(key_of, encoded), dtype=np.uint64, count=len(encoded))
        slots = np.searchsorted(cache.keys, keys)
        hits = np.flatnonzero(cache.keys[np.minimum(slots, len(cache.keys) - 1)] == keys)
        rows = np.full(len(encoded), -1, dtype=np.int64)
        rows[hits] = cache.rows[slots[hits]]
        begins, ends = cache.bounds[rows[hits]], cache.bounds[rows[hits] + 1]
        for place, begin, end in zip(hits.tolist(), begins.tolist(), ends.tolist(), strict=True):
            if cache.text[begin:end] != encoded[place]:
                rows[place] = self._row_after(int(slots[place]), encoded[place])
        return rows

    def _row_after(self, slot: int, word: bytes) -> int:
        """The row of a word, given that another one with the same key stands in this slot; -1 if it is not there."""
        keys, key = self._cache.keys, self._cache.keys[slot]
        slot += 1
        while slot < len(keys) and keys[slot] == key:
            row = int(self._cache.rows[slot])
            if self._cache.word(row) == word:
                return row
            slot += 1
        return -1


class WordList(Sequence[str]):
    """The words of a cache in the order of their file, each made when it is asked for."""

    def __init__(self, cache: CacheReader) -> None:
        self._cache = cache
        has_gaps = cache.about.words < len(cache.vectors)
        self._rows: Sequence[int] | NDArray[np.uint32] = np.sort(cache.rows) if has_gaps else range(cache.about.words)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self._cache.word(int(row)).decode() for row in self._rows[place]]
        return self._cache.word(int(self._rows[place])).decode()
