"""The seam: which of the links seen so far is worth a fetch?"""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Row, Rows, Skipped, Transition, Url


class Order(Enum):
    """In which order a strategy wants its links to wait."""

    BEST_SCORE = auto()
    OLDEST = auto()
    NEWEST = auto()


class Strategy(Protocol):
    """Scores links and learns from what following them brought. Uses only what the crawler has seen.

    A link is described once, as a row of `row_width` numbers; scoring, exploring and learning see that row only, so a
    strategy that is saved, loaded and told the later transitions again is in the same state to the last bit.
    """

    order: Order
    row_width: int

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """Where a score is the weighted sum of its row, the weights; None where it is anything else."""
        ...

    def describe(self, candidates: Candidates) -> Rows:
        """All the strategy will know of each link. A link's row does not depend on the others in the batch."""
        ...

    def score(self, rows: Rows) -> NDArray[np.float64]:
        """How much each link is worth; higher is sooner. Equal rows have bit-equal scores in any batch."""
        ...

    def explores(self, chance: np.random.Generator) -> bool:
        """Whether the next link is to be drawn at random."""
        ...

    def skip(self, url: Url, row: Row) -> Skipped | None:
        """Asked when a link's turn has come: a reason not to fetch it, or None."""
        ...

    def learn(self, transition: Transition) -> bool:
        """Take in what following a link brought. True when waiting links now have other scores."""
        ...

    def save(self) -> bytes:
        """The state, to be loaded by a strategy made with the same settings."""
        ...

    def load(self, state: bytes) -> None:
        """Go back to a saved state; StrategyError if it is not one."""
        ...
