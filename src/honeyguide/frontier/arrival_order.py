"""Frontiers in which only the order of arrival counts: a queue and a stack, under the same host readiness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.frontier.best_first import BestFirstFrontier
from honeyguide.frontier.frontier import Arrivals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import LinkId, Rows
    from honeyguide.frontier.frontier import NotBefore, Scorer, Taken
    from honeyguide.frontier.politeness import HostClocks


class ArrivalOrderFrontier:
    """Oldest first, or newest first. A link's score is its turn, made from its number; given scores change nothing.

    Kept in the best-first columns, so that every order obeys host readiness by the same code.
    """

    def __init__(self, clocks: HostClocks, row_width: int = 0, *, newest_first: bool) -> None:
        self._sign = 1.0 if newest_first else -1.0
        self._waiting = BestFirstFrontier(clocks, row_width)

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, link: LinkId) -> bool:
        return link in self._waiting

    def push(self, arrivals: Arrivals) -> None:
        self._waiting.push(Arrivals(arrivals.links, arrivals.hosts, self._turns(arrivals.links), arrivals.rows))

    def take(self, now: float) -> Taken | NotBefore | None:
        return self._waiting.take(now)

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        return self._waiting.take_random(now, chance)

    def withdraw(self, link: LinkId) -> Taken:
        return self._waiting.withdraw(link)

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:  # noqa: ARG002
        """Found again: the rows change, the turns stay."""
        self._waiting.replace(links, self._turns(links), rows)

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        """Scores do not count here."""

    def reprice(self, scorer: Scorer) -> None:
        """Scores do not count here."""

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        return self._waiting.peek(links)

    def _turns(self, links: Sequence[LinkId]) -> NDArray[np.float64]:
        # Links are numbered in order of discovery, and arrive in that order.
        return self._sign * np.asarray(links, dtype=np.float64)
