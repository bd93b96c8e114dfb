"""A network's layers in arithmetic that gives a row the same numbers to the last bit in any batch.

A matrix product adds up a row in an order that depends on how many rows there are, and rounds at every step. Here
nothing is rounded: inputs and weights are whole multiples of powers of two, chosen so that every partial sum fits the
53 bits of a double. Sums of whole numbers do not depend on their order, so BLAS may add as it likes, with any number of
threads.

What that costs is a rounding beforehand: rows to multiples of 2^-12 (exact for indexes), the activity of a unit to
multiples of 2^-20, weights to some 24 bits of the largest in their layer, as many as single precision has.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Rows

    Floats = NDArray[np.float64]

DOUBLE_BITS: Final = 53
ROW_GRID: Final = 2.0**-12
ROW_LIMIT: Final = 2.0**9  # numbers in a row beyond it count as it
ROW_BITS: Final = 21
UNIT_GRID: Final = 2.0**-20  # of an activity, which is from -1 to 1
UNIT_BITS: Final = 20
BLOCK_ROWS: Final = 8192


class ExactLayers:
    """Hidden layers of tanh units over rows, then a linear layer."""

    def __init__(self, layers: Sequence[tuple[NDArray[np.floating], NDArray[np.floating]]]) -> None:
        """From weights, of shape (inputs, units), and biases of each layer, the linear one last."""
        self._layers = [
            (on_grid(weights.astype(np.float64), UNIT_BITS if place else ROW_BITS), bias.astype(np.float64))
            for place, (weights, bias) in enumerate(layers)
        ]

    def outputs(self, rows: Rows, which: NDArray[np.int64] | None = None) -> Floats:
        """The output of each row: the only one, or that of the linear layer's unit `which`."""
        found = np.empty(len(rows))
        for start in range(0, len(rows), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            found[block] = self._outputs(rows[block], None if which is None else which[block])
        return found

    def _outputs(self, rows: Rows, which: NDArray[np.int64] | None) -> Floats:
        activity = np.clip(np.round(rows.astype(np.float64) / ROW_GRID) * ROW_GRID, -ROW_LIMIT, ROW_LIMIT)
        *hidden, (weights, bias) = self._layers
        for layer_weights, layer_bias in hidden:
            activity = np.round(np.tanh(activity @ layer_weights + layer_bias) / UNIT_GRID) * UNIT_GRID
        if which is None:
            return activity @ weights[:, 0] + bias[0]
        return (activity * weights.T[which]).sum(axis=1) + bias[which]


def on_grid(weights: Floats, input_bits: int) -> Floats:
    """Weights rounded so that their sums with inputs of so many bits are exact."""
    largest = float(np.abs(weights).max(initial=0.0))
    if not largest:
        return weights
    room = DOUBLE_BITS - input_bits - math.ceil(math.log2(max(len(weights), 1)))
    grid = 2.0 ** (math.frexp(largest)[1] - room)
    return np.round(weights / grid) * grid
