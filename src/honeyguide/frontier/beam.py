"""The frontier of beam search: only the best so many links wait, the others are given back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.frontier.best_first import BestFirstFrontier
from honeyguide.frontier.frontier import Taken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import LinkId, Rows
    from honeyguide.frontier.frontier import Arrivals, NotBefore, Scorer
    from honeyguide.frontier.politeness import HostClocks


class BeamFrontier:
    """At most `capacity` links wait. Where there are more, the lowest scores go, the newest first among equals."""

    def __init__(self, clocks: HostClocks, capacity: int, row_width: int = 0) -> None:
        self._capacity = capacity
        self._waiting = BestFirstFrontier(clocks, row_width)
        self._links: dict[LinkId, None] = {}  # those that wait

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, link: LinkId) -> bool:
        return link in self._waiting

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        self._waiting.push(arrivals)
        self._links.update(dict.fromkeys(arrivals.links))
        return self._prune() if len(self._links) > self._capacity else ()

    def take(self, now: float) -> Taken | NotBefore | None:
        return self._without(self._waiting.take(now))

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        return self._without(self._waiting.take_random(now, chance))

    def withdraw(self, link: LinkId) -> Taken:
        taken = self._waiting.withdraw(link)
        del self._links[link]
        return taken

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        self._waiting.replace(links, scores, rows)

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        self._waiting.rescore(links, scores)

    def reprice(self, scorer: Scorer) -> None:
        self._waiting.reprice(scorer)

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        return self._waiting.peek(links)

    def _without(self, taken: Taken | NotBefore | None) -> Taken | NotBefore | None:
        if isinstance(taken, Taken):
            del self._links[taken.link]
        return taken

    def _prune(self) -> Sequence[LinkId]:
        """Give up the worst. Looks at every waiting link: a beam is narrow."""
        links = list(self._links)
        scores, _ = self._waiting.peek(links)
        worst_last = np.lexsort((np.asarray(links), -scores))
        pruned = [links[place] for place in worst_last[self._capacity :].tolist()]
        for link in pruned:
            self.withdraw(link)
        return sorted(pruned)
