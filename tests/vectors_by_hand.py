"""Word vectors of two numbers, so that cosines can be worked out by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text import WordVectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

VECTOR_BY_WORD: Final = {
    "north": (0.0, 1.0),
    "east": (1.0, 0.0),
    "south": (0.0, -1.0),
    "west": (-1.0, 0.0),
    "upper": (0.75, 1.0),  # cosine 0.8 with north, 0.6 with east
}


class CompassVectors:
    """A vector source that knows five words."""

    dimension = 2

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        return np.array([VECTOR_BY_WORD.get(word, (0.0, 0.0)) for word in words], dtype=np.float32).reshape(-1, 2)


def compass_vectors() -> WordVectors:
    return WordVectors(CompassVectors())
