"""Beam search (Lim 2016, section 3.4): best-first with room for so many waiting links and no more.

Links are ranked by a heuristic. Those beyond the best `width` are pruned: counted, forgotten, and ranked again should
another page show them. The memory of the frontier is then a matter of the width, not of the web. Lim keeps a min-heap
and a max-heap of the same links; what comes out is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.learn.strategy import Order, Strategy
from honeyguide.learn.unlearned import Unlearned

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Rows


class Beam(Unlearned):
    """Another strategy's scores, and at most `width` links that wait. The other one must not learn."""

    order = Order.BEST_SCORE

    def __init__(self, heuristic: Strategy, width: int) -> None:
        self._heuristic = heuristic
        self.capacity = width
        self.row_width = heuristic.row_width

    def describe(self, candidates: Candidates) -> Rows:
        return self._heuristic.describe(candidates)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return self._heuristic.score(rows)
