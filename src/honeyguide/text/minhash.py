"""Texts that are nearly the same, found by MinHash (Broder 1997), as corpora for language models are made.

A text is the set of its shingles of five words; two texts are alike where the sets share most of their members
(Jaccard). 128 minima of hashes stand for a set: the share in which two of them agree estimates the likeness, with a
standard error of 0.035 at 0.8. Minima are looked up in 16 bands of 8, so that a text is compared only with those that
agree in a whole band: of pairs at 0.8 nineteen in twenty are found, at 0.9 all but one in ten million.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.text.tokens import words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHINGLE_WORDS: Final = 5
ALIKE: Final = 0.8
_BANDS: Final = 16
_ROWS: Final = 8
_MOST_WORDS: Final = 200_000  # of a text that are looked at
_SEED: Final = 20
_RANDOM: Final = np.random.default_rng(_SEED)
_FACTORS: Final = _RANDOM.integers(1, 1 << 63, _BANDS * _ROWS, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
_OFFSETS: Final = _RANDOM.integers(0, 1 << 63, _BANDS * _ROWS, dtype=np.uint64)
_BASE: Final = np.uint64(0x9E3779B97F4A7C15)


class TextClusters:
    """Puts texts that come one after the other into clusters, each led by its first. Some 2 KB for each cluster."""

    def __init__(self) -> None:
        self._leaders: list[tuple[int, NDArray[np.uint32]]] = []
        self._leaders_by_band: dict[int, int | list[int]] = {}  # a list where several share a band

    def place(self, number: int, text: str) -> int:
        """Return the number of the first text that this one is like, which may be its own `number`."""
        minima = _minima(text)
        bands = [
            xxhash.xxh3_64_intdigest(minima[_ROWS * band : _ROWS * (band + 1)].tobytes(), seed=band)
            for band in range(_BANDS)
        ]
        for leader in sorted({each for band in bands for each in self._led(band)}):
            leading, theirs = self._leaders[leader]
            if np.count_nonzero(minima == theirs) >= ALIKE * len(minima):
                return leading
        for band in bands:
            known = self._led(band)
            self._leaders_by_band[band] = [*known, len(self._leaders)] if known else len(self._leaders)
        self._leaders.append((number, minima))
        return number

    def _led(self, band: int) -> list[int]:
        found = self._leaders_by_band.get(band)
        return [] if found is None else [found] if isinstance(found, int) else found


def _minima(text: str) -> NDArray[np.uint32]:
    """Return the smallest hash of the shingles of a text, by each of 128 hash functions."""
    words = words_of(text)[:_MOST_WORDS]
    hashes = np.fromiter(map(_word_hash, words), dtype=np.uint64, count=len(words))
    span = min(SHINGLE_WORDS, len(words))
    shingles = np.zeros(max(1, len(words) - span + 1), dtype=np.uint64)
    for place in range(span):
        shingles = (shingles ^ (shingles >> np.uint64(31))) * _BASE + hashes[place : place + len(shingles)]
    shingles = np.unique(shingles)
    minima = np.empty(len(_FACTORS), dtype=np.uint32)
    for number, (factor, offset) in enumerate(zip(_FACTORS, _OFFSETS, strict=True)):
        minima[number] = ((shingles * factor + offset) >> np.uint64(32)).min()
    return minima


@lru_cache(maxsize=65_536)
def _word_hash(word: str) -> int:
    return xxhash.xxh3_64_intdigest(word.encode("utf-8", "surrogatepass"))
