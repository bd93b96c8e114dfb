"""By how much the vectors of a file are multiplied, so that a table in steps of 1/256 up to 8 holds them well.

Some files have numbers of about 0.05, of which steps of 1/256 leave little; others exceed 8 and would be cut. The
factor is a power of two, so that nothing is lost by it, the same for all words, so that no cosine changes, and follows
from the file alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text.vectors import LARGEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
