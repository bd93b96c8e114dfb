"""What a frontier of shared rows should do, as plainly as possible: one list of links with their rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from honeyguide.frontier import Arrivals, NotBefore, Taken
from honeyguide.model import HostId, LinkId, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier import Haste, HostReadiness, Scorer
    from honeyguide.model import Row, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """One link with one of its rows."""

    link: LinkId
    host: HostId
    row: Row
    content: bytes  # of the row, with no negative zero


class NaivePairs:
    """Highest score first, the lower number among equals; a link leaves with all its rows."""

    def __init__(self, clocks: HostReadiness, *, draws_rows: bool = False) -> None:
        self._clocks = clocks
        self._draws_rows = draws_rows
        self._pairs: list[Pair] = []
        self._score_by_row: dict[bytes, float] = {}

    def __len__(self) -> int:
        return len(self.links)

    def __contains__(self, link: LinkId) -> bool:
        return link in self.links

    @property
    def links(self) -> list[LinkId]:
        return sorted({pair.link for pair in self._pairs})

    @property
    def distinct_rows(self) -> int:
        return len({pair.content for pair in self._pairs})

    def host(self, link: LinkId) -> HostId:
        return self._of(link)[0].host

    def rows_of(self, link: LinkId) -> Rows:
        return np.array([pair.row for pair in self._of(link)])

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        columns = zip(arrivals.links, arrivals.hosts, arrivals.scores.tolist(), arrivals.rows, strict=True)
        for link, host, score, row in columns:
            pair = Pair(link, host, row, (row + np.float16(0)).tobytes())
            if not any(other.link == link and other.content == pair.content for other in self._pairs):
                self._pairs.append(pair)
            self._score_by_row[pair.content] = score
        return ()

    def would_keep(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.ones(len(scores), dtype=np.bool_)

    def take(self, now: float) -> Taken | NotBefore | None:
        ready = self._ready(now)
        if not ready:
            return self._next_ready()
        taken = self._leave(min(ready, key=lambda pair: (-self._score(pair), pair.link)))
        best_left = max(map(self._score, self._pairs), default=taken.score)
        return replace(taken, score_lost_waiting=max(best_left - taken.score, 0.0))

    def better_soon(self, now: float, haste: Haste) -> NotBefore | None:
        return None

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        ready = self._ready(now)
        if not ready:
            return self._next_ready()
        if not self._draws_rows:
            links = sorted({pair.link for pair in ready})
            return self.withdraw(links[int(chance.integers(len(links)))])
        nonce = int(chance.integers(2**64, dtype=np.uint64))
        row = min(
            {pair.content for pair in ready},
            key=lambda content: scattered(xxhash.xxh3_64_intdigest(content) ^ nonce),
        )
        sharing = sorted((pair for pair in ready if pair.content == row), key=lambda pair: pair.link)
        return self._leave(sharing[int(chance.integers(len(sharing)))])

    def withdraw(self, link: LinkId) -> Taken:
        return self._leave(self._best(link))

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        for link, score, row in zip(links, scores.tolist(), rows, strict=True):
            host = self.withdraw(link).host
            self.push(Arrivals([link], [host], np.array([score]), row[None, :]))

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        contents = [self._best(link).content for link in links]
        self._score_by_row.update(zip(contents, scores.tolist(), strict=True))

    def reprice(self, scorer: Scorer) -> None:
        for pair in self._pairs:
            row = pair.row[None, :]
            scores = scorer.score(row) if scorer.weights is None else weighted_sums(row, scorer.weights)
            self._score_by_row[pair.content] = float(scores[0])

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        best = [self._best(link) for link in links]
        return np.array([self._score(pair) for pair in best]), np.array([pair.row for pair in best])

    def everything(self) -> Arrivals:
        """All that waits: what a restarted crawl fills its frontier with."""
        return Arrivals(
            [pair.link for pair in self._pairs],
            [pair.host for pair in self._pairs],
            np.array([self._score(pair) for pair in self._pairs]),
            np.array([pair.row for pair in self._pairs], dtype=np.float16),
        )

    def _score(self, pair: Pair) -> float:
        return self._score_by_row[pair.content]

    def _of(self, link: LinkId) -> list[Pair]:
        found = [pair for pair in self._pairs if pair.link == link]
        if not found:
            raise KeyError(link)
        return found

    def _best(self, link: LinkId) -> Pair:
        return max(self._of(link), key=self._score)

    def _leave(self, chosen: Pair) -> Taken:
        score = self._score(chosen)
        self._pairs = [pair for pair in self._pairs if pair.link != chosen.link]
        return Taken(chosen.link, chosen.host, score, chosen.row)

    def _ready(self, now: float) -> list[Pair]:
        return [pair for pair in self._pairs if self._clocks.ready_at(pair.host + 1)[pair.host] <= now]

    def _next_ready(self) -> NotBefore | None:
        if not self._pairs:
            return None
        ready_at = self._clocks.ready_at(1 + max(pair.host for pair in self._pairs))
        return NotBefore(min(float(ready_at[pair.host]) for pair in self._pairs))


def scattered(number: int) -> int:
    """The last steps of splitmix64, in whole numbers."""
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB % 2**64
    return number ^ (number >> 31)
