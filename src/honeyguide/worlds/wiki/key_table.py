"""Every title of a dump in 12 bytes: sorted 64-bit keys beside the numbers of the articles they stand for.

The key of a title is its hash; numbers of a dump's own (of pages, of link targets) are keys as they are.

With the 17 million titles of the English Wikipedia that is 200 MB, where a dictionary of strings takes several
gigabytes. Two titles of one dump share a key with a probability of about one in 100,000.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np
import xxhash
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable

Keys = NDArray[np.uint64]
Numbers = NDArray[np.int64]


def key_of(title: str) -> int:
    return xxhash.xxh3_64_intdigest(title.encode("utf-8", "surrogatepass"))


def keys_of(titles: Iterable[str]) -> Keys:
    return np.fromiter(map(key_of, titles), dtype=np.uint64)


class KeyColumn:
    """Keys in the order in which they come, 8 bytes each."""

    def __init__(self) -> None:
        self._values = array("Q")

    def __len__(self) -> int:
        return len(self._values)

    def append(self, value: int) -> None:
        self._values.append(value)

    def as_array(self) -> Keys:
        return np.frombuffer(self._values, dtype=np.uint64) if self._values else np.empty(0, dtype=np.uint64)


class KeyTable:
    """Looks up many keys at once. Does not change."""

    def __init__(self, keys: Keys, numbers: NDArray[np.int32]) -> None:
        order = np.argsort(keys, kind="stable")
        self._keys = keys[order]
        self._numbers = numbers[order]

    @classmethod
    def in_order(cls, keys: Keys) -> KeyTable:
        """A table in which the titles are numbered from 0 in the order of their keys."""
        return cls(keys, np.arange(len(keys), dtype=np.int32))

    def with_redirects(self, keys: Keys, ends: Numbers) -> KeyTable:
        """The same and redirects, each under the number of the article where it ends; -1 leaves one out."""
        kept = ends >= 0
        return KeyTable(
            np.concatenate((self._keys, keys[kept])),
            np.concatenate((self._numbers, ends[kept].astype(np.int32))),
        )

    def numbers_of(self, keys: Keys) -> Numbers:
        """The number of each title, -1 for one that is not there."""
        if not len(self._keys) or not len(keys):
            return np.full(len(keys), -1, dtype=np.int64)
        slots = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[slots] == keys, self._numbers[slots], -1).astype(np.int64)
