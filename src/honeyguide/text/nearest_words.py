"""Which words lie nearest to a vector, among all the words a source can name."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from honeyguide.text.vectors import cosines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

BLOCK: Final = 4096  # words compared at once: 8 MB at 256 numbers a word


class Vocabulary(Protocol):
    """A source of vectors that can say which words it has."""

    def words(self) -> Sequence[str]:
        """The words worth suggesting; where there are millions they are read as they are asked for."""
        ...

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One vector a word, as `VectorSource` has it."""
        ...


def neighbours(vocabulary: Vocabulary, vector: NDArray[np.float64], count: int) -> list[tuple[str, float]]:
    """The `count` words whose vectors point most nearly where `vector` does, with their cosines.

    Best first, equal ones in the order of their letters; a word that `vector` was made from comes with the rest. The
    zero vector has no neighbours. Looks at every word there is, in blocks of bounded size.
    """
    best: list[tuple[str, float]] = []
    if count < 1 or not np.any(vector):
        return best
    words = vocabulary.words()
    for first in range(0, len(words), BLOCK):
        block = words[first : first + BLOCK]
        near = cosines(vocabulary.vectors(block).astype(np.float64), vector)
        # All that are as near as the last one that may stay: a tie is decided by letters, not by place.
        bar = np.partition(near, -count)[-count] if count < len(near) else -np.inf
        within = np.flatnonzero(near >= bar)
        best = _best(count, best, zip([block[place] for place in within.tolist()], near[within].tolist(), strict=True))
    return best


def _best(count: int, known: list[tuple[str, float]], more: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    return list(islice(sorted([*known, *more], key=lambda pair: (-pair[1], pair[0])), count))
