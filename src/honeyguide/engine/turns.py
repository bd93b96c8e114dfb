"""Scores for strategies to whom only the order of arrival counts: a link's turn, in one number.

Turns are exact in double precision: a page shows fewer than 2^20 links, a crawl takes fewer than 2^32 steps and meets
fewer than 2^32 links, none of them 2^20 clicks away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.learn import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import LinkId, Rows
    from honeyguide.learn import Strategy

LINKS_OF_A_PAGE: Final = 2**20
LINKS_OF_A_LEVEL: Final = 2**32


def scores_of(
    strategy: Strategy, rows: Rows, links: Sequence[LinkId] | NDArray[np.int64], *, step: int, depth: int
) -> NDArray[np.float64]:
    """What links found together on a page are worth: by the strategy's own score, or by their turn."""
    match strategy.order:
        case Order.BEST_SCORE:
            return strategy.score(rows)
        case Order.OLDEST:
            return -np.asarray(links, dtype=np.float64)
        case Order.NEWEST:
            # The first link of a page is on top of the stack.
            return step * float(LINKS_OF_A_PAGE) - np.arange(len(links), dtype=np.float64)
        case Order.SHALLOWEST:
            # Whole numbers part the levels, the rest is the turn inside one.
            return -depth - np.asarray(links, dtype=np.float64) / LINKS_OF_A_LEVEL
