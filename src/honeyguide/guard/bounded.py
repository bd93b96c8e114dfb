"""Memory that has a bound: a table that forgets what was touched longest ago once it is full."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

K = TypeVar("K")
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """A mapping of at most `capacity` entries. Reading changes nothing; `touch` and `put` make an entry the newest."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: K) -> bool:
        return key in self._values

    def __iter__(self) -> Iterator[K]:
        return iter(self._values)

    def get(self, key: K) -> V | None:
        return self._values.get(key)

    def touch(self, key: K) -> V | None:
        """The value, which is now the last to be forgotten."""
        value = self._values.get(key)
        if value is not None:
            self._values.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> tuple[K, V] | None:
        """Keep a value; where that makes one too many, the entry that had to go."""
        self._values[key] = value
        self._values.move_to_end(key)
        return self._values.popitem(last=False) if len(self._values) > self.capacity else None

    def remove(self, key: K) -> None:
        """Forget an entry, where there is one."""
        self._values.pop(key, None)

    def items(self) -> Iterable[tuple[K, V]]:
        """From what is forgotten first to what is forgotten last."""
        return self._values.items()

    def replace(self, items: Iterable[tuple[K, V]]) -> None:
        """Hold these instead, in this order; the last of them, where there is no room for all."""
        self._values = OrderedDict(items)
        while len(self._values) > self.capacity:
            self._values.popitem(last=False)


def remember(shingles: dict[int, None], sketch: Iterable[int], most: int) -> None:
    """Add a page's sampled shingles to those of earlier ones; what was on no page for longest is forgotten."""
    for shingle in sketch:
        shingles.pop(shingle, None)
        shingles[shingle] = None
    while len(shingles) > most:
        del shingles[next(iter(shingles))]
