"""What strategies that learn nothing have in common: no rows, no weights, no state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.learn.strategy import Strategy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Rows, Transition


class Unlearned(Strategy):
    """A strategy's part in a crawl when it neither describes nor learns."""

    row_width = 0

    def describe(self, candidates: Candidates) -> Rows:
        return np.empty((len(candidates), 0), dtype=np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return np.zeros(len(rows))

    def learn(self, transition: Transition) -> bool:  # noqa: ARG002
        return False

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        """There is nothing to go back to."""
