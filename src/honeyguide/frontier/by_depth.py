"""The frontier of iterative deepening: the links of one level at a time, those of lower levels held back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.frontier.best_first import BestFirstFrontier
from honeyguide.frontier.frontier import Arrivals, Taken
from honeyguide.model import LinkId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier.frontier import HostReadiness, NotBefore, Scorer
    from honeyguide.model import Rows

NOWHERE: Final = np.nan  # the level of a link that does not wait


class HeldBackFrontier:
    """The next whole number up from a score is its level: only links of the highest level that waits come out.

    Inside a level the highest score comes first, of equals the lowest number.

    A link of a lower level is held back while there is one of a higher level, even where every host of the higher level
    rests and its own is ready. ValueError for a score that is not a number.
    """

    def __init__(self, hosts: HostReadiness, row_width: int = 0) -> None:
        self._readiness = hosts
        self._row_width = row_width
        self._levels: dict[float, BestFirstFrontier] = {}  # by level; none is empty. Seldom more than two
        self._level_of = np.full(1024, NOWHERE)  # by link
        self._host_of = np.zeros(1024, dtype=np.int32)  # by link

    def __len__(self) -> int:
        return sum(len(level) for level in self._levels.values())

    def __contains__(self, link: LinkId) -> bool:
        return 0 <= link < len(self._level_of) and not np.isnan(self._level_of[link])

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        scores = np.asarray(arrivals.scores, dtype=np.float64)
        links, hosts = np.asarray(arrivals.links, dtype=np.int64), np.asarray(arrivals.hosts)
        if np.isnan(scores).any():
            raise ValueError(f"score of link {links[int(np.argmax(np.isnan(scores)))]} is not a number")
        levels = np.ceil(scores)
        for level in np.unique(levels).tolist():
            here = np.flatnonzero(levels == level)
            waiting = self._levels.setdefault(level, BestFirstFrontier(self._readiness, self._row_width))
            waiting.push(Arrivals(links[here].tolist(), hosts[here].tolist(), scores[here], arrivals.rows[here]))
        if len(links):
            self._make_room(int(links.max()))
            self._level_of[links] = levels
            self._host_of[links] = hosts
        return ()

    def would_keep(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.ones(len(scores), dtype=np.bool_)

    def take(self, now: float) -> Taken | NotBefore | None:
        if not self._levels:
            return None
        level = max(self._levels)
        taken = self._levels[level].take(now)
        return self._leaving(level, taken) if isinstance(taken, Taken) else taken

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        """Each link of the highest level on a ready host is equally likely. Looks at every link that ever waited."""
        if not self._levels:
            return None
        links = np.flatnonzero(self._level_of == max(self._levels))
        hosts = self._host_of[links]
        is_ready = self._readiness.ready_at(int(hosts.max()) + 1)[hosts] <= now
        if not is_ready.any():
            return self.take(now)  # says when to ask again
        # Not the level's own draw: that one knows in which order links joined the level, a restarted crawl does not.
        by_host = links[is_ready][np.argsort(hosts[is_ready], kind="stable")]
        return self.withdraw(LinkId(int(by_host[int(chance.integers(len(by_host)))])))

    def withdraw(self, link: LinkId) -> Taken:
        level = float(self._levels_of([link])[0])
        return self._leaving(level, self._levels[level].withdraw(link))

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        """Links move to the levels that their new scores name."""
        if not len(links):
            return
        levels = np.ceil(scores)
        stays = self._levels_of(links) == levels
        for place, link in enumerate(links):
            here = slice(place, place + 1)
            if stays[place]:
                self._levels[float(levels[place])].replace([link], scores[here], rows[here])
            else:
                self.push(Arrivals([link], [self.withdraw(link).host], scores[here], rows[here]))

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        self.replace(links, scores, self.peek(links)[1])

    def reprice(self, scorer: Scorer) -> None:
        """Levels do not follow from rows."""

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        levels = self._levels_of(links)
        scores = np.empty(len(links))
        rows = np.empty((len(links), self._row_width), dtype=np.float16)
        for level in np.unique(levels).tolist():
            here = np.flatnonzero(levels == level)
            scores[here], rows[here] = self._levels[level].peek([links[place] for place in here.tolist()])
        return scores, rows

    def _leaving(self, level: float, taken: Taken) -> Taken:
        self._level_of[taken.link] = NOWHERE
        if not len(self._levels[level]):
            del self._levels[level]
        return taken

    def _levels_of(self, links: Sequence[LinkId]) -> NDArray[np.float64]:
        numbers = np.asarray(links, dtype=np.int64)
        is_known = (numbers >= 0) & (numbers < len(self._level_of))
        levels = np.where(is_known, self._level_of[np.where(is_known, numbers, 0)], NOWHERE)
        if np.isnan(levels).any():
            raise KeyError(int(numbers[int(np.argmax(np.isnan(levels)))]))
        return levels

    def _make_room(self, link: int) -> None:
        if link >= len(self._level_of):
            more = max(len(self._level_of), link + 1 - len(self._level_of))
            self._level_of = np.concatenate((self._level_of, np.full(more, NOWHERE)))
            self._host_of = np.concatenate((self._host_of, np.zeros(more, dtype=np.int32)))
