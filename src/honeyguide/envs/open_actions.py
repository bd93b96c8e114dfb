"""Rows of a table of which only some hold a link: a space of actions that draws none that is masked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.int8]


class OpenActions(spaces.Discrete[np.int64]):
    """`Discrete`, whose `sample` without a mask draws uniformly from the actions that are open now.

    What is drawn right after `seed` must depend on the seed alone, and not on how far an earlier episode had got: until
    the environment says again what is open, only actions that were so at the beginning, too, are drawn.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._at_first = np.ones(count, dtype=np.int8)
        self._open = self._at_first

    def begin(self, mask: Mask) -> None:
        """An episode begins with these actions open."""
        self._at_first = mask.copy()
        self._open = self._at_first

    def update(self, mask: Mask) -> None:
        """These actions are open now."""
        self._open = mask.copy()

    def seed(self, seed: int | None = None) -> int:
        at_both = self._open & self._at_first
        if at_both.any():
            self._open = at_both
        return super().seed(seed)

    def sample(self, mask: Mask | None = None, probability: NDArray[Any] | None = None) -> np.int64:
        if mask is None and probability is None:
            mask = self._open
        return super().sample(mask, probability)
