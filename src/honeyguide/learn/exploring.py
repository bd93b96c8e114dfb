"""Softmax and UCB for learners with linear values, in place of one choice in ten at random.

Han et al. (2018) name "other ways to deal with exploration/exploitation" as future work; the two textbook ones are here
(Sutton and Barto 2018, chapter 2, and LinUCB for values that are linear). Both add to the value q of a waiting pair of
state and action, with row x, so that the greatest sum is the choice:

    softmax    q + τ g, g drawn from the Gumbel distribution: pairs are then chosen with probability ∝ exp(q / τ)
    ucb        q + c √(xᵀ A⁻¹ x), A = I + Σ x_i x_iᵀ over the pairs that were followed

Draws are a hash of the row, of the crawl's seed and of the number of draws so far, so equal rows have equal sums and a
resumed crawl draws the same. Synchronous learners draw for every pair at every step; asynchronous ones when a pair gets
its value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from honeyguide.learn.linucb import variances
from honeyguide.learn.online_ridge import Ridge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import Row, Rows

# Those of splitmix64; all odd, so that products modulo 2^64 lose nothing.
MULTIPLIER: Final = 0x9E3779B97F4A7C15
MIXERS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


class Exploration(Protocol):
    """Adds to values what makes a learner explore."""

    def bonus(self, rows: Rows) -> NDArray[np.float64]:
        """Return what is added to the value of each row; equal rows get the same."""
        ...

    def learn(self, row: Row) -> None:
        """A pair was followed, and all waiting pairs get new values."""
        ...

    @property
    def state(self) -> NDArray[np.float64]:
        """What was explored, to be saved."""
        ...

    def restore(self, state: NDArray[np.float64]) -> None:
        """Go back to a saved state. ValueError where it is none."""
        ...


class Softmax:
    """Chance in proportion to exp(q / temperature), over the distinct pairs that wait."""

    def __init__(self, temperature: float, width: int, seed: int) -> None:
        self._temperature = temperature
        self._multipliers = np.random.default_rng([seed, 2]).integers(2**63, size=width, dtype=np.uint64) * 2 + 1
        self._draws = 0

    def bonus(self, rows: Rows) -> NDArray[np.float64]:
        bits = (rows + np.float16(0)).view(np.uint16).astype(np.uint64)  # there is but one zero
        mixed = np.einsum("ij,j->i", bits, self._multipliers, optimize=False)
        mixed += np.uint64(MULTIPLIER * (self._draws + 1) % 2**64)
        for shift, mixer in zip((30, 27), MIXERS, strict=True):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * mixer
        uniform = ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)).astype(np.float64)
        gumbel: NDArray[np.float64] = -np.log(-np.log((uniform + 0.5) / 2**53))
        return self._temperature * gumbel

    def learn(self, row: Row) -> None:  # noqa: ARG002
        self._draws = (self._draws + 1) % 2**31

    @property
    def state(self) -> NDArray[np.float64]:
        return np.array([self._draws], dtype=np.float64)

    def restore(self, state: NDArray[np.float64]) -> None:
        self._draws = int(state.reshape(1)[0]) % 2**31


class UpperConfidence:
    """A bonus for pairs unlike those that were followed."""

    def __init__(self, confidence: float, width: int) -> None:
        self._confidence = confidence
        self._known = Ridge.prior(np.zeros(width), np.ones(width))

    def bonus(self, rows: Rows) -> NDArray[np.float64]:
        return self._confidence * np.sqrt(variances(rows, self._known.inverse))

    def learn(self, row: Row) -> None:
        self._known = self._known.updated(row.astype(np.float64), 0.0)

    @property
    def state(self) -> NDArray[np.float64]:
        return self._known.inverse

    def restore(self, state: NDArray[np.float64]) -> None:
        width = len(self._known.weights)
        self._known = Ridge(self._known.weights, state.reshape(width, width))
