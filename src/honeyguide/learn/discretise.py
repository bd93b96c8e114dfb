"""Continuous features as small whole numbers, in the ways of Han et al. (2018) and of Pertejo (2021).

The papers' ranges share their edges ("[0.0,0.2] by 0, [0.2,0.4] by 1"). Here a range has its lower edge and not its
upper one, except the last, which has both: 0.2 is in the second of five. What is below the first range falls into it,
what is above the last into that, and what is not a number counts as 0. Every function takes arrays of any shape, and an
entry's index depends on that entry alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TENTHS: Final = np.arange(1, 10) / 10
_FIFTHS: Final = _TENTHS[1::2]
_ODD_TENTHS: Final = _TENTHS[0::2]
_HALVES: Final = np.arange(-3, 4) / 2


def five_buckets(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Han's first index of a relevance: [0, 0.2) is 0, [0.2, 0.4) is 1, … [0.8, 1] is 4."""
    return _range_of(values, _FIFTHS)


def six_buckets(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Han's second index of a relevance: [0, 0.1) is 0, [0.1, 0.3) is 1, … [0.9, 1] is 5.

    Both indexes together tell the tenth: `five_buckets` plus `six_buckets` is `tenths`.
    """
    return _range_of(values, _ODD_TENTHS)


def tenths(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Pertejo's index of a relevance: the whole part of ten times it, negatives at 0, and 1 at 9."""
    return _range_of(values, _TENTHS)


def change_classes(changes: NDArray[np.float64], small: float, large: float) -> NDArray[np.int64]:
    """Han's index of a change of relevance, with δ1 = `small` and δ2 = `large`.

    0 within δ1, 1 for an increase up to δ2, 2 for one beyond, 3 for a decrease up to δ2, 4 for one beyond. A change of
    just δ belongs to the smaller class.
    """
    numbers = _no_gaps(changes)
    size = np.abs(numbers)
    rise = np.where(size > large, 2, 1)
    return np.where(size <= small, 0, np.where(numbers > 0, rise, rise + 2))


def change_halves(changes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Pertejo's index of a change of relevance: eight ranges of 0.5, from [-2, -1.5) as 0 to [1.5, 2] as 7."""
    return _range_of(changes, _HALVES)


def _range_of(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    # Not int(10 x): the product of 10 and a number just below an edge is rounded up to the edge.
    return np.searchsorted(edges, _no_gaps(values), side="right").astype(np.int64)


def _no_gaps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is not a number as 0; a fifth of the time of `nan_to_num`, which makes infinities finite as well."""
    return np.where(np.isnan(values), 0.0, values)
