"""The frontier of beam search: only the best so many links wait, the others are given back.

A beam is narrow, so every question looks at all of it: one pass over a few columns that never grow beyond the capacity
and the links of one page. Nothing here depends on how many links were ever pushed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.frontier.frontier import NotBefore, Ready, Taken, check_scores, earliest, soonest
from honeyguide.model import HostId, LinkId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier.frontier import Arrivals, Haste, HostReadiness, Scorer
    from honeyguide.model import Rows


class BeamFrontier:
    """At most `capacity` links wait. Where there are more, the lowest scores go, the highest numbers among equals.

    Which link comes out is a matter of scores and numbers alone, so a link that was given back and is pushed again has
    its old place among equals. ValueError for a score that is not a number.
    """

    def __init__(self, hosts: HostReadiness, capacity: int, row_width: int = 0) -> None:
        self._readiness = hosts
        self._capacity = capacity
        self._links = np.empty(0, dtype=np.int64)  # in ascending order, like the columns beside it
        self._hosts = np.empty(0, dtype=np.int32)
        self._scores = np.empty(0)
        self._rows: Rows = np.empty((0, row_width), dtype=np.float16)

    def __len__(self) -> int:
        return len(self._links)

    def __contains__(self, link: LinkId) -> bool:
        place = int(np.searchsorted(self._links, link))
        return place < len(self._links) and bool(self._links[place] == link)

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        check_scores(arrivals.links, arrivals.scores)
        links = np.concatenate((self._links, np.asarray(arrivals.links, dtype=np.int64)))
        hosts = np.concatenate((self._hosts, np.asarray(arrivals.hosts, dtype=np.int32)))
        scores = np.concatenate((self._scores, arrivals.scores))
        rows = np.concatenate((self._rows, arrivals.rows))
        assert len(np.unique(links)) == len(links), "a link that waits already is pushed again"
        in_order = np.argsort(links)
        self._links, self._hosts = links[in_order], hosts[in_order]
        self._scores, self._rows = scores[in_order], rows[in_order]
        return self.narrow(self._capacity)

    def narrow(self, room: int) -> Sequence[LinkId]:
        """Let no more than `room` links wait; gives back the others."""
        if len(self) <= room:
            return ()
        best_first = np.lexsort((self._links, -self._scores))
        kept, given_back = np.sort(best_first[:room]), self._links[np.sort(best_first[room:])]
        self._links, self._hosts = self._links[kept], self._hosts[kept]
        self._scores, self._rows = self._scores[kept], self._rows[kept]
        return [LinkId(link) for link in given_back.tolist()]

    def would_keep(self, scores: NDArray[np.float64], room: int | None = None) -> NDArray[np.bool_]:
        """Return which links would find room, were links of these scores pushed together now; `room` may be less."""
        waiting = len(self._scores)
        best_first = np.argsort(-np.concatenate((self._scores, scores)), kind="stable")
        is_kept = np.zeros(len(best_first), dtype=np.bool_)
        is_kept[best_first[: self._capacity if room is None else room]] = True
        return is_kept[waiting:]

    def take(self, now: float) -> Taken | NotBefore | None:
        ready = self._ready(now)
        if not len(ready):
            return self._next_ready()
        best = float(self._scores.max())
        taken = self._leaving(int(ready[np.argmax(self._scores[ready])]))
        return replace(taken, score_lost_waiting=best - taken.score) if best > taken.score else taken

    def better_soon(self, now: float, haste: Haste) -> NotBefore | None:
        ready = self.best_ready(now)
        return None if ready is None else self.soonest(now, ready, haste)

    def best_ready(self, now: float) -> Ready | None:
        """Return what is ready; None where no link is on a ready host."""
        ready = self._ready(now)
        return Ready(float(self._scores[ready].max()), len(np.unique(self._hosts[ready]))) if len(ready) else None

    def soonest(self, now: float, ready: Ready, haste: Haste) -> NotBefore | None:
        """Return until when to wait for the first link that is worth it, rather than to ask for what is ready."""
        return soonest(self._scores, self._hosts, self._readiness, now, ready, haste)

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        ready = self._ready(now)
        if not len(ready):
            return self._next_ready()
        by_host = ready[np.argsort(self._hosts[ready], kind="stable")]  # the draw then names what every frontier would
        return self._leaving(int(by_host[int(chance.integers(len(ready)))]))

    def withdraw(self, link: LinkId) -> Taken:
        return self._leaving(int(self._places([link])[0]))

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        self.rescore(links, scores)
        if len(links):
            self._rows[self._places(links)] = rows

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        check_scores(links, scores)
        if len(links):
            self._scores[self._places(links)] = scores

    def reprice(self, scorer: Scorer) -> None:
        if not len(self):
            return
        scores = scorer.score(self._rows)
        check_scores(self._links, scores)
        self._scores = scores

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        places = self._places(links)
        return self._scores[places], self._rows[places]

    def _ready(self, now: float) -> NDArray[np.int64]:
        """Places of the links that may be fetched now."""
        if not len(self) or self._readiness.are_all_ready(now):
            return np.arange(len(self))
        return np.flatnonzero(self._ready_at() <= now)

    def _next_ready(self) -> NotBefore | None:
        return earliest(self._ready_at()) if len(self) else None

    def _ready_at(self) -> NDArray[np.float64]:
        return self._readiness.ready_at(int(self._hosts.max()) + 1)[self._hosts]

    def _places(self, links: Sequence[LinkId]) -> NDArray[np.int64]:
        wanted = np.asarray(links, dtype=np.int64)
        places = np.searchsorted(self._links, wanted)
        is_there = places < len(self._links)
        is_there[is_there] = self._links[places[is_there]] == wanted[is_there]
        if not is_there.all():
            raise KeyError(int(wanted[int(np.argmin(is_there))]))
        return places

    def _leaving(self, place: int) -> Taken:
        link, host = LinkId(int(self._links[place])), HostId(int(self._hosts[place]))
        taken = Taken(link, host, float(self._scores[place]), self._rows[place].copy())
        self._links, self._hosts = np.delete(self._links, place), np.delete(self._hosts, place)
        self._scores, self._rows = np.delete(self._scores, place), np.delete(self._rows, place, axis=0)
        return taken
