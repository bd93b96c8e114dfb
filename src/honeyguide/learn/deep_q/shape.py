"""What goes into a network and what comes out of it.

Pertejo's future work (5.2) asks for a network that takes the state and the action and has one output: `outputs` is 0.
In his experiment (3.7) the state alone goes in, and every page that could ever be fetched has an output of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Rows

DIGIT: Final = 1024  # an output is told in digits of this base: half precision has whole numbers up to 2,048 only
DIGITS: Final = 3
MOST_OUTPUTS: Final = DIGIT**DIGITS - 1


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The columns of a row, and how many outputs there are.

    A row begins with the state. The link follows: in numbers of its own, or as the digits of its output plus one,
    lowest first; zeros are a link without an output.
    """

    state_width: int
    row_width: int
    scale: NDArray[np.float32]  # factor of each number that goes in
    outputs: int = 0

    @property
    def inputs(self) -> int:
        return self.state_width if self.outputs else self.row_width

    def which(self, rows: Rows) -> NDArray[np.int64] | None:
        """The output of each row, -1 for none; None where all rows have the same."""
        if not self.outputs:
            return None
        digits = rows[:, self.state_width :].astype(np.int64)
        return digits @ (DIGIT ** np.arange(DIGITS)) - 1

    def has_value(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows the network can value."""
        which = self.which(rows)
        return np.ones(len(rows), dtype=np.bool_) if which is None else (which >= 0) & (which < self.outputs)


def digits_of(outputs: NDArray[np.int64]) -> Rows:
    """Outputs as they stand in rows; one too large to be told is the largest that can be."""
    numbers = np.minimum(outputs + 1, MOST_OUTPUTS)
    return (numbers[:, None] // DIGIT ** np.arange(DIGITS) % DIGIT).astype(np.float16)
