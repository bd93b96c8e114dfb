"""The frontier of iterative deepening: the links of one level at a time, those of lower levels held back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.frontier.best_first import BestFirstFrontier
from honeyguide.frontier.frontier import Arrivals, Taken

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import LinkId, Rows
    from honeyguide.frontier.frontier import NotBefore, Scorer
    from honeyguide.frontier.politeness import HostClocks


class HeldBackFrontier:
    """Scores are levels: only links of the highest level that waits come out, first come first.

    A link of a lower level is held back while there is one of a higher level, even where every host of the higher level
    rests and its own is ready.
    """

    def __init__(self, clocks: HostClocks, row_width: int = 0) -> None:
        self._clocks = clocks
        self._row_width = row_width
        self._levels: dict[float, BestFirstFrontier] = {}  # by score; none is empty. Seldom more than two

    def __len__(self) -> int:
        return sum(len(level) for level in self._levels.values())

    def __contains__(self, link: LinkId) -> bool:
        return any(link in level for level in self._levels.values())

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        scores = np.asarray(arrivals.scores, dtype=np.float64)
        links, hosts = np.asarray(arrivals.links), np.asarray(arrivals.hosts)
        for score in np.unique(scores).tolist():
            here = np.flatnonzero(scores == score)
            level = self._levels.setdefault(score, BestFirstFrontier(self._clocks, self._row_width))
            # Inside a level the lowest number comes out first.
            level.push(
                Arrivals(links[here].tolist(), hosts[here].tolist(), -links[here].astype(float), arrivals.rows[here])
            )
        return ()

    def take(self, now: float) -> Taken | NotBefore | None:
        return self._taken_from_highest(lambda level: level.take(now))

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        """Each link of the highest level on a ready host is equally likely."""
        return self._taken_from_highest(lambda level: level.take_random(now, chance))

    def withdraw(self, link: LinkId) -> Taken:
        score = self._level_of(link)
        return self._leaving(score, self._levels[score].withdraw(link))

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        """Links move to the levels that their new scores name."""
        hosts = [self.withdraw(link).host for link in links]
        self.push(Arrivals(links, hosts, scores, rows))

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        if len(links):
            self.replace(links, scores, self.peek(links)[1])

    def reprice(self, scorer: Scorer) -> None:
        """Levels do not follow from rows."""

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        scores = np.array([self._level_of(link) for link in links])
        rows = [self._levels[score].peek([link])[1] for link, score in zip(links, scores.tolist(), strict=True)]
        return scores, np.concatenate(rows) if rows else np.empty((0, self._row_width), dtype=np.float16)

    def _taken_from_highest(
        self, take: Callable[[BestFirstFrontier], Taken | NotBefore | None]
    ) -> Taken | NotBefore | None:
        if not self._levels:
            return None
        score = max(self._levels)
        taken = take(self._levels[score])
        return self._leaving(score, taken) if isinstance(taken, Taken) else taken

    def _leaving(self, score: float, taken: Taken) -> Taken:
        if not len(self._levels[score]):
            del self._levels[score]
        return replace(taken, score=score)

    def _level_of(self, link: LinkId) -> float:
        for score, level in self._levels.items():
            if link in level:
                return score
        raise KeyError(f"link {link} does not wait")
