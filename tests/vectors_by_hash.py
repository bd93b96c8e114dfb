"""Word vectors made from a hash: no meaning, no loading time, the same on every machine."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from honeyguide.text import WordVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class HashedVectors:
    """A vector source of 64 numbers a word."""

    dimension = 64

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        return np.array([_vector(word) for word in words], dtype=np.float32).reshape(len(words), self.dimension)


@cache
def _vector(word: str) -> NDArray[np.float64]:
    return np.random.default_rng(xxhash.xxh3_64_intdigest(word.encode())).normal(size=HashedVectors.dimension)


@cache
def hashed_vectors() -> WordVectors:
    """One table for all: it only remembers the words that it was asked for."""
    return WordVectors(HashedVectors())
