"""Random: each waiting link is equally likely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.learn.strategy import Order
from honeyguide.learn.unlearned import Unlearned

if TYPE_CHECKING:
    import numpy as np


class RandomOrder(Unlearned):
    """The other floor: what luck alone finds."""

    order = Order.OLDEST

    def explores(self, chance: np.random.Generator) -> bool:  # noqa: ARG002
        return True
