"""What strategies that learn nothing have in common: no rows, no weights, no state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Row, Rows, Skipped, Transition, Url


class Unlearned:
    """A strategy's part in a crawl when it neither describes, skips, explores nor learns."""

    row_width = 0

    @property
    def weights(self) -> NDArray[np.float64] | None:
        return None

    def describe(self, candidates: Candidates) -> Rows:
        return np.empty((len(candidates), 0), dtype=np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return np.zeros(len(rows))

    def explores(self, chance: np.random.Generator) -> bool:  # noqa: ARG002
        return False

    def skip(self, url: Url, row: Row) -> Skipped | None:  # noqa: ARG002
        return None

    def learn(self, transition: Transition) -> bool:  # noqa: ARG002
        return False

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        """There is nothing to go back to."""
