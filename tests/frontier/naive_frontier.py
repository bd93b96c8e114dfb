"""What a frontier should do, written as plainly as possible: one list, looked through from end to end every time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.frontier import Arrivals, NotBefore, Taken
from honeyguide.model import HostId, LinkId, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier import Haste, HostReadiness, Scorer
    from honeyguide.model import Row, Rows


@dataclass(slots=True)
class Waiting:
    """One link in the list."""

    link: LinkId
    host: HostId
    score: float
    row: Row


class NaiveFrontier:
    """Highest score first, the lower number among equals."""

    def __init__(self, clocks: HostReadiness) -> None:
        self._clocks = clocks
        self._waiting: list[Waiting] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, link: LinkId) -> bool:
        return any(waiting.link == link for waiting in self._waiting)

    @property
    def links(self) -> list[LinkId]:
        return sorted(waiting.link for waiting in self._waiting)

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        columns = zip(arrivals.links, arrivals.hosts, arrivals.scores, arrivals.rows, strict=True)
        self._waiting += [Waiting(link, host, float(score), row) for link, host, score, row in columns]
        return ()

    def would_keep(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.ones(len(scores), dtype=np.bool_)

    def take(self, now: float) -> Taken | NotBefore | None:
        ready = self._ready(now)
        if not ready:
            return self._next_ready()
        best = max(waiting.score for waiting in self._waiting)
        taken = self.withdraw(min(ready, key=lambda waiting: (-waiting.score, waiting.link)).link)
        return replace(taken, score_lost_waiting=best - taken.score) if best > taken.score else taken

    def better_soon(self, now: float, haste: Haste) -> NotBefore | None:
        ready = self._ready(now)
        if not ready:
            return None
        best, hosts = max(0.0, *(one.score for one in ready)), len({one.host for one in ready})
        count = 1 + max(one.host for one in self._waiting)
        ready_at, asked_at = self._clocks.ready_at(count), self._clocks.asked_at(count)
        waits = []
        for one in self._waiting:
            wait_s = float(ready_at[one.host]) - now
            if wait_s == np.inf:
                wait_s = max(now - float(asked_at[one.host]), haste.turn_s)
            price = 1 + haste.hurry / (1 - haste.hurry) * hosts * wait_s / haste.turn_s
            if 0 < wait_s < 60 and one.score > best * price:
                waits.append(wait_s)
        return NotBefore(now + min(waits)) if waits else None

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        ready = sorted(self._ready(now), key=lambda waiting: (waiting.host, waiting.link))
        if not ready:
            return self._next_ready()
        return self.withdraw(ready[int(chance.integers(len(ready)))].link)

    def withdraw(self, link: LinkId) -> Taken:
        waiting = self._find(link)
        self._waiting.remove(waiting)
        return Taken(waiting.link, waiting.host, waiting.score, waiting.row)

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        for link, score, row in zip(links, scores, rows, strict=True):
            waiting = self._find(link)
            waiting.score, waiting.row = float(score), row

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        for link, score in zip(links, scores, strict=True):
            self._find(link).score = float(score)

    def reprice(self, scorer: Scorer) -> None:
        for waiting in self._waiting:
            waiting.score = float(scorer.score(waiting.row[None, :])[0])

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        found = [self._find(link) for link in links]
        return np.array([waiting.score for waiting in found]), np.array([waiting.row for waiting in found])

    def everything(self) -> Arrivals:
        """All that waits, in order of number: what a restarted crawl fills its frontier with."""
        waiting = sorted(self._waiting, key=lambda waiting: waiting.link)
        return Arrivals(
            [one.link for one in waiting],
            [one.host for one in waiting],
            np.array([one.score for one in waiting]),
            np.array([one.row for one in waiting], dtype=np.float16),
        )

    def _find(self, link: LinkId) -> Waiting:
        for waiting in self._waiting:
            if waiting.link == link:
                return waiting
        raise KeyError(link)

    def _ready(self, now: float) -> list[Waiting]:
        return [waiting for waiting in self._waiting if self._clocks.ready_at(waiting.host + 1)[waiting.host] <= now]

    def _next_ready(self) -> NotBefore | None:
        if not self._waiting:
            return None
        ready_at = self._clocks.ready_at(1 + max(waiting.host for waiting in self._waiting))
        return NotBefore(min(float(ready_at[waiting.host]) for waiting in self._waiting))


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Scores by weights."""

    weights: NDArray[np.float64]

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return weighted_sums(rows, self.weights)


@dataclass(frozen=True, slots=True)
class LargestNumber:
    """Scores that no weights give: the largest number in the row, times a factor."""

    factor: float

    @property
    def weights(self) -> NDArray[np.float64] | None:
        return None

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows.max(axis=1).astype(np.float64) * self.factor


def arrivals(
    links: Sequence[int],
    *,
    hosts: Sequence[int] | None = None,
    scores: Sequence[float] | NDArray[np.float64] | None = None,
    rows: Rows | None = None,
) -> Arrivals:
    """Links with what a test cares about; else on host 0, with score 0, without a row."""
    return Arrivals(
        [LinkId(link) for link in links],
        [HostId(host) for host in ([0] * len(links) if hosts is None else hosts)],
        np.zeros(len(links)) if scores is None else np.array(scores, dtype=np.float64),
        np.empty((len(links), 0), dtype=np.float16) if rows is None else rows,
    )


def seen_in(taken: Taken | NotBefore | None) -> object:
    """What came out, in a form that compares."""
    if isinstance(taken, Taken):
        return taken.link, taken.host, taken.score, taken.row.tolist(), taken.score_lost_waiting
    return taken
