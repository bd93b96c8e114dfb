"""The weighted queue as its document describes it: tuples in the order they were added, all looked at each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable


class LinearScanQueue:
    """Items and weights in the order of arrival."""

    def __init__(self) -> None:
        self._weights: dict[Hashable, float] = {}

    def __len__(self) -> int:
        return len(self._weights)

    def __contains__(self, item: Hashable) -> bool:
        return item in self._weights

    def add(self, item: Hashable, weight: float) -> bool:
        if item in self._weights:
            return False
        self._weights[item] = weight
        return True

    def extract(self) -> tuple[Hashable, float]:
        heaviest = max(self._weights.values())
        item = next(item for item, weight in self._weights.items() if weight == heaviest)
        return item, self._weights.pop(item)
