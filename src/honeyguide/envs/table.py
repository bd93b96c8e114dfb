"""Which of the waiting links an agent is shown: the newest, the best by a named scorer, and some drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.errors import SettingsError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TableSpec:
    """The table of candidates. What `newest` and `best` leave of it is drawn uniformly from the other waiting links."""

    rows: int = 64
    newest: float = 0.25  # share of the rows for the links found last
    best: float = 0.5  # share of the rows for the links with the highest scores
    scorer: str = "best-first"  # the strategy that gives the scores; it learns, where it is one that learns

    def __post_init__(self) -> None:
        mistakes = []
        if self.rows < 1:
            mistakes.append(f"rows is {self.rows}: a table needs at least one")
        if not (self.newest >= 0 and self.best >= 0 and self.newest + self.best <= 1):
            mistakes.append(
                f"newest is {self.newest:g} and best {self.best:g}: shares are at least 0 and together at most 1"
            )
        if mistakes:
            raise SettingsError(mistakes)

    @property
    def newest_rows(self) -> int:
        return round(self.newest * self.rows)

    @property
    def best_rows(self) -> int:
        return min(round(self.best * self.rows), self.rows - self.newest_rows)

    @property
    def sampled_rows(self) -> int:
        return self.rows - self.newest_rows - self.best_rows


def shortlist(scores: NDArray[np.float64], spec: TableSpec, chance: np.random.Generator) -> NDArray[np.int64]:
    """Places of the links to show, given the scores of all waiting links in order of discovery. No place comes twice.

    First the newest, newest first; then the best of the others, best first, first come first among equals; then a
    uniform sample of the rest. All of them while they fit into the table.
    """
    newest = np.arange(len(scores))[::-1][: spec.newest_rows]
    others = scores[: len(scores) - len(newest)]
    best = _highest(others, spec.best_rows)
    rest = np.delete(np.arange(len(others)), best)
    if len(rest) > spec.rows - len(newest) - len(best):
        rest = chance.choice(rest, spec.sampled_rows, replace=False)
    return np.concatenate((newest, best, rest))


def _highest(scores: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Places of the highest scores, highest first, the earlier of equals first."""
    if count < len(scores):
        lowest_in = np.partition(scores, len(scores) - count)[len(scores) - count] if count else np.inf
        contenders = np.flatnonzero(scores >= lowest_in)
    else:
        contenders = np.arange(len(scores))
    return contenders[np.argsort(-scores[contenders], kind="stable")][:count]
