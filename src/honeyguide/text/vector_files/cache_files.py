"""The files of one converted file of vectors, all of them read through memory maps:

NAME/
  about.json     what was converted, and what came of it; written last
  vectors.npy    the vectors as single-precision numbers, a row a word, in the order of the file
  words.utf8     the words after one another
  bounds.npy     where in words.utf8 the word of each row begins, and the end of the last
  keys.npy       64-bit hashes of the words, ascending
  rows.npy       the row of each key

A word is found by its hash and then compared letter by letter. No word is a Python object until it is asked for.
"""

from __future__ import annotations

import json
import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import xxhash

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

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
