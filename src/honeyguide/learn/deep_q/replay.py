"""What was learned from before, to be learned from again: the replay memory (Lin 1992; Pertejo's holds 50,000).

An experience takes two bytes a number: the row of the link followed, and the distinct rows of the links found, at most
`MOST_NEXT` of them. Numbers are as the strategy described them, so nothing is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from honeyguide.domain import Row, Rows

MOST_NEXT: Final = 256  # of a page with more links that look different, so many by chance


@dataclass(frozen=True, slots=True, eq=False)
class Experience:
    """A link followed, and what came of it. `next_rows` is empty where nothing follows."""

    row: Row
    reward: float
    next_rows: Rows


class Replay:
    """The last `capacity` experiences; older ones are written over."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._kept: list[Experience] = []
        self._oldest = 0

    def __len__(self) -> int:
        return len(self._kept)

    def add(self, experience: Experience) -> None:
        if len(self._kept) < self._capacity:
            self._kept.append(experience)
            return
        self._kept[self._oldest] = experience
        self._oldest = (self._oldest + 1) % self._capacity

    def drawn(self, count: int, chance: np.random.Generator) -> list[Experience]:
        """So many by chance, each draw uniform over all that are kept."""
        return [self._kept[place] for place in chance.integers(len(self._kept), size=count).tolist()]

    def arrays(self, row_width: int) -> dict[str, NDArray[np.generic]]:
        """Everything, in columns."""
        none = np.empty((0, row_width), dtype=np.float16)
        return {
            "rows": np.stack([kept.row for kept in self._kept]) if self._kept else none,
            "rewards": np.array([kept.reward for kept in self._kept], dtype=np.float64),
            "next_counts": np.array([len(kept.next_rows) for kept in self._kept], dtype=np.int64),
            "next_rows": np.concatenate([none, *(kept.next_rows for kept in self._kept)]),
            "oldest": np.array(self._oldest),
        }

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to what `arrays` gave."""
        ends = np.cumsum(arrays["next_counts"].astype(np.int64))
        next_rows = np.split(arrays["next_rows"].astype(np.float16), ends)[: len(ends)]
        rewards = arrays["rewards"].astype(np.float64).tolist()
        columns = zip(arrays["rows"].astype(np.float16), rewards, next_rows, strict=True)
        self._kept = [Experience(row.copy(), reward, following.copy()) for row, reward, following in columns]
        self._oldest = int(arrays["oldest"].item())


def distinct(rows: Rows, chance: np.random.Generator) -> Rows:
    """Each row once, in an order of their own; some of them by chance where they are more than `MOST_NEXT`."""
    found: Rows = np.unique(rows, axis=0) if len(rows) > 1 else rows.copy()
    if len(found) > MOST_NEXT:
        found = found[np.sort(chance.choice(len(found), MOST_NEXT, replace=False))]
    return found
