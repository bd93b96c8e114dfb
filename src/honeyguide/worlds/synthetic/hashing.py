"""Random numbers without state: a hash of what they are for, so that any page can be computed alone and in any order.

The hash is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014)
applied to a counter, in numpy over many counters at once and in plain integers for one.
"""

from __future__ import annotations

import sys
from typing import Final

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]

_MASK: Final = 2**64 - 1
_GAMMA: Final = 0x9E3779B97F4A7C15
_FIRST: Final = 0xBF58476D1CE4E5B9
_SECOND: Final = 0x94D049BB133111EB
_STEPS: Final = np.arange(1 << 14, dtype=np.uint64) * np.uint64(_GAMMA)
_U30, _U27, _U31 = np.uint64(30), np.uint64(27), np.uint64(31)
_UFIRST, _USECOND, _UGAMMA = np.uint64(_FIRST), np.uint64(_SECOND), np.uint64(_GAMMA)
_QUARTER_ORDER: Final = 1 if sys.byteorder == "little" else -1  # the same web on every machine


def hash_int(*parts: int) -> int:
    """Return one 64-bit hash of some integers, in order."""
    state = 0
    for part in parts:
        state = (state * 3 + part + _GAMMA) & _MASK
        state = ((state ^ (state >> 30)) * _FIRST) & _MASK
        state = ((state ^ (state >> 27)) * _SECOND) & _MASK
        state ^= state >> 31
    return state


def hash_each(numbers: Ints, key: Hashes | np.uint64) -> Hashes:
    """Return a 64-bit hash of each number under a key, or under each of several keys in a column."""
    return _finalise(numbers.view(np.uint64) * _UGAMMA + key)


def draws(key: int, count: int) -> Hashes:
    """Return `count` 64-bit hashes that belong to a key; at most 16,384."""
    return _finalise(_STEPS[:count] + np.uint64(key))


def quarters(hashes: Hashes) -> Ints:
    """Return the four 16-bit quarters of each hash: four rows of numbers below 65,536, each shaped like `hashes`."""
    rows = hashes.view(np.uint16).reshape(-1, 4).T[::_QUARTER_ORDER].astype(np.int64)
    return rows if hashes.ndim == 1 else rows.reshape(4, *hashes.shape)


def unit(hashes: Hashes) -> NDArray[np.float64]:
    """Return each hash as a number from 0 up to 1, from its upper bits."""
    return (hashes >> np.uint64(11)).astype(np.float64) * 2.0**-53


def of_65536(share: float) -> int:
    """Return a share as a threshold for a number of `quarters`."""
    return round(share * 65536)


def _finalise(state: Hashes) -> Hashes:
    """Mix in place; `state` is the caller's own fresh array."""
    state ^= state >> _U30
    state *= _UFIRST
    state ^= state >> _U27
    state *= _USECOND
    state ^= state >> _U31
    return state
