"""What every link is worth by one state of the network: NumPy alone, and the same for equal rows in any batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.learn.deep_q.exact_layers import ExactLayers
from honeyguide.learn.deep_q.networks import ADVANTAGE, STATE, layers_of
from honeyguide.learn.deep_q.rules import Dueling
from honeyguide.learn.deep_q.targets import baseline

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from honeyguide.domain import Rows
    from honeyguide.learn.deep_q.shape import Shape
    from honeyguide.learn.deep_q.state_links import StateLinks

NEVER: Final = -1e30  # the value of a link that has no output: below all others, and still a number


class Valuation:
    """The values by a network as it was when this was made.

    In the dueling form a state's baseline is fixed when the state is first told of (`meet`) and holds for this
    valuation, so that a value does not change while links wait by it. A link in a state never told of is worth V(s).
    """

    def __init__(
        self,
        shape: Shape,
        dueling: Dueling,
        towers: Mapping[str, NDArray[np.float32]],
        baseline_by_state: Mapping[bytes, float] | None = None,
    ) -> None:
        self.towers = towers
        self.baseline_by_state = dict(baseline_by_state or {})
        self._shape = shape
        self._dueling = dueling
        self._advantages = ExactLayers(layers_of(towers, ADVANTAGE, shape.scale))
        self._states = None if dueling is Dueling.NONE else ExactLayers(layers_of(towers, STATE, shape.scale))

    def values(self, rows: Rows) -> NDArray[np.float64]:
        has_value = self._shape.has_value(rows)
        values = np.where(self._is_seed(rows), 0.0, NEVER)
        values[has_value] = self._values(rows[has_value])
        return values

    def meet(self, states: Iterable[bytes], links: StateLinks) -> None:
        """Fix the baselines of states that have none yet."""
        if self._states is None:
            return
        new = [state for state in states if state not in self.baseline_by_state]
        samples = [links.of(state) for state in new]
        ends = np.cumsum([len(sample) for sample in samples])
        found = np.split(self._advantages_of(np.concatenate(samples)), ends)[: len(new)] if new else []
        for state, advantages in zip(new, found, strict=True):
            if len(advantages):
                self.baseline_by_state[state] = baseline(advantages, self._dueling)

    def _values(self, rows: Rows) -> NDArray[np.float64]:
        advantages = self._advantages_of(rows)
        if self._states is None or not len(rows):
            return advantages
        width = self._shape.state_width
        states, place = np.unique(rows[:, :width] + np.float16(0), axis=0, return_inverse=True)
        place = place.reshape(-1)
        baselines = np.array([self.baseline_by_state.get(state.tobytes(), np.nan) for state in states])[place]
        beyond = np.where(np.isnan(baselines), 0.0, advantages - baselines)
        return self._states.outputs(states)[place] + beyond

    def _advantages_of(self, rows: Rows) -> NDArray[np.float64]:
        return self._advantages.outputs(rows[:, : self._shape.inputs], self._shape.which(rows))

    def _is_seed(self, rows: Rows) -> NDArray[np.bool_]:
        return (rows[:, self._shape.state_width :] == 0).all(axis=1)
