"""The weighted queue of WikiCrawler: the heaviest item first, the first added among equals.

The document keeps a linked hash map and looks through all of it at every extraction. Here items of one weight stand in
one line, and a heap holds the weights that have a line: adding and extracting cost O(log w) where w weights differ,
which is never more than the items that wait, and 23 for the topic weights of the document.

Crawls do not use it: `BestFirstFrontier` gives the same order, and knows hosts besides (a test drives both).
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Hashable
from typing import Generic, TypeVar

Item = TypeVar("Item", bound=Hashable)


class _Line(deque[Item]):
    """Two items or more of one weight, at first. It has no hash, so that no item can be taken for one."""

    __slots__ = ()


class WeightedQueue(Generic[Item]):
    """Items with weights. With equal weights it is a first-in-first-out queue.

    An item that waits is not entered twice: its first weight stays. Once extracted, it may be added again.
    """

    def __init__(self) -> None:
        self._waiting: set[Item] = set()
        self._by_weight: dict[float, Item | _Line[Item]] = {}  # a lone item has no line: that would take 700 bytes
        self._negated_weights: list[float] = []  # a heap of the keys above

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, item: Item) -> bool:
        return item in self._waiting

    def add(self, item: Item, weight: float) -> bool:
        """Let an item wait; False, and nothing changes, where it waits already. ValueError for a weight of NaN."""
        if item in self._waiting:
            return False
        if weight not in self._by_weight:
            if math.isnan(weight):
                raise ValueError(f"the weight of {item!r} is not a number")
            self._by_weight[weight] = item
            heapq.heappush(self._negated_weights, -weight)
        else:
            line = self._by_weight[weight]
            if isinstance(line, _Line):
                line.append(item)
            else:
                self._by_weight[weight] = _Line((line, item))
        self._waiting.add(item)
        return True

    def extract(self) -> tuple[Item, float]:
        """Take out the heaviest item, of several the first that was added, with its weight. IndexError when empty."""
        if not self._waiting:
            raise IndexError("extract from an empty queue")
        weight = -self._negated_weights[0]
        item = self._by_weight[weight]
        is_last = True
        if isinstance(item, _Line):
            line, item = item, item.popleft()
            is_last = not line
        if is_last:
            heapq.heappop(self._negated_weights)
            del self._by_weight[weight]
        self._waiting.remove(item)
        return item, weight
