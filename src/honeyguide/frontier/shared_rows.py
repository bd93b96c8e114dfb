"""The frontier of the papers' reinforcement learners: links with equal rows share one score.

With discretised features many links look alike: two hundred thousand waiting links may have a few thousand distinct
rows. A row is kept once, with one score and the links that have it, so scoring everything again is one product over the
distinct rows. A link found on several pages has several rows, is worth its best one, and leaves once.

Among equal scores the link with the lowest number comes out first, whatever rows they have. A random draw is uniform
over links or over rows, taken in an order that depends on numbers and contents alone: a crawl brought back from its
store draws the same.
"""

from __future__ import annotations

import heapq
from array import array
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.domain import LinkId
from honeyguide.frontier.frontier import HostId, NotBefore, Taken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Rows
    from honeyguide.frontier.frontier import Arrivals, Scorer
    from honeyguide.frontier.politeness import HostClocks

NOTHING: Final = -np.inf  # score of a row that no waiting link has
ABSENT: Final = -1  # in place of the row of a link that does not wait


class SharedRowsFrontier:
    """Highest score first. Pushing a link that waits already gives it a further row.

    ValueError for a score or a row that is not finite.
    """

    def __init__(self, clocks: HostClocks, row_width: int = 0, *, draws_rows: bool = False) -> None:
        self._clocks = clocks
        self._draws_rows = draws_rows
        self._number_by_row: dict[bytes, int] = {}
        self._row: Rows = np.empty((256, row_width), dtype=np.float16)
        self._score = np.full(256, NOTHING)
        self._digest = np.zeros(256, dtype=np.uint64)  # of the row's content: an order that no history changes
        self._places: list[dict[HostId, list[LinkId]]] = []  # by row and host, a heap of links, some of them gone
        self._live: list[int] = []  # by row, how many waiting links have it
        self._first_row = array("i")  # by link
        self._more_rows: dict[LinkId, tuple[int, ...]] = {}  # of links that have several
        self._host = array("i")  # by link
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, link: LinkId) -> bool:
        return 0 <= link < len(self._first_row) and self._first_row[link] != ABSENT

    @property
    def distinct_rows(self) -> int:
        """How many rows the waiting links have between them."""
        return int(np.count_nonzero(self._score > NOTHING))

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        _check_finite("score", arrivals.links, arrivals.scores)
        _check_finite("row", arrivals.links, arrivals.rows.astype(np.float32).sum(axis=1))
        columns = zip(arrivals.links, arrivals.hosts, arrivals.scores.tolist(), arrivals.rows, strict=True)
        for link, host, score, row in columns:
            number = self._number_of(row)
            self._enter(link, host, number)
            self._score[number] = score
        return ()

    def would_keep(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.ones(len(scores), dtype=np.bool_)

    def take(self, now: float) -> Taken | NotBefore | None:
        if not self._count:
            return None
        scores = self._score[: len(self._places)].copy()
        while True:
            top = scores.max()
            if top == NOTHING:
                return self._next_ready()
            best = np.flatnonzero(scores == top).tolist()
            found = [(link, row) for row in best if (link := self._lowest_ready(row, now)) is not None]
            if found:
                link, row = min(found)
                return self._leave(link, row)
            scores[best] = NOTHING  # none of their hosts is ready

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        if not self._count:
            return None
        return self._take_by_row(now, chance) if self._draws_rows else self._take_by_link(now, chance)

    def withdraw(self, link: LinkId) -> Taken:
        return self._leave(link, self._best_row_of(link))

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        """Each link has this one row from now on; the score is that of every link with the row."""
        _check_finite("score", links, scores)
        for link, score, row in zip(links, scores.tolist(), rows, strict=True):
            host = HostId(self._host[link])
            self._leave(link, self._best_row_of(link))
            number = self._number_of(row)
            self._enter(link, host, number)
            self._score[number] = score

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        """Change the scores of the links' best rows, and so of every link with one of these rows."""
        _check_finite("score", links, scores)
        rows = [self._best_row_of(link) for link in links]
        self._score[rows] = scores

    def reprice(self, scorer: Scorer) -> None:
        live = np.flatnonzero(self._score[: len(self._places)] > NOTHING)
        scores = scorer.score(self._row[live])
        if not np.isfinite(scores).all():
            raise ValueError("scores have diverged: lower the learning rate")
        self._score[live] = scores

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        """Score and row of each link's best row."""
        rows = [self._best_row_of(link) for link in links]
        return self._score[rows].copy(), self._row[rows]

    def rows_of(self, link: LinkId) -> Rows:
        """Every row that a waiting link has, in the order in which it got them."""
        return self._row[list(self._rows_of(link))]

    def _enter(self, link: LinkId, host: HostId, row: int) -> None:
        if link >= len(self._first_row):
            more = max(len(self._first_row), link + 1 - len(self._first_row), 1024)
            self._first_row.extend(array("i", [ABSENT]) * more)
            self._host.extend(array("i", [0]) * more)
        if self._first_row[link] == ABSENT:
            self._first_row[link] = row
            self._host[link] = host
            self._count += 1
        elif row in self._rows_of(link):
            return
        else:
            self._more_rows[link] = (*self._rows_of(link), row)
        heapq.heappush(self._places[row].setdefault(host, []), link)
        self._live[row] += 1

    def _leave(self, link: LinkId, row: int) -> Taken:
        """Take a link out, by one of its rows."""
        taken = Taken(link, HostId(self._host[link]), float(self._score[row]), self._row[row].copy())
        for shared in self._rows_of(link):
            self._live[shared] -= 1
            if not self._live[shared]:
                self._score[shared] = NOTHING
                self._places[shared].clear()
        self._first_row[link] = ABSENT
        self._more_rows.pop(link, None)
        self._count -= 1
        return taken

    def _rows_of(self, link: LinkId) -> tuple[int, ...]:
        if link not in self:
            raise KeyError(int(link))
        return self._more_rows.get(link) or (self._first_row[link],)

    def _best_row_of(self, link: LinkId) -> int:
        return max(self._rows_of(link), key=self._score.__getitem__)

    def _number_of(self, row: NDArray[np.float16]) -> int:
        """The number of a row, a new one if it was never met."""
        content = (row + np.float16(0)).tobytes()  # no negative zero
        number = self._number_by_row.get(content)
        if number is None:
            number = self._number_by_row[content] = len(self._places)
            if number == len(self._score):
                self._grow()
            self._row[number] = row
            self._digest[number] = xxhash.xxh3_64_intdigest(content)
            self._places.append({})
            self._live.append(0)
        return number

    def _grow(self) -> None:
        self._row = np.concatenate((self._row, np.empty_like(self._row)))
        self._score = np.concatenate((self._score, np.full_like(self._score, NOTHING)))
        self._digest = np.concatenate((self._digest, np.zeros_like(self._digest)))

    def _lowest_ready(self, row: int, now: float) -> LinkId | None:
        """The link with the lowest number that has this row and whose host is ready."""
        lowest = None
        for host, heap in self._places[row].items():
            if not self._clocks.is_ready(host, now):
                continue
            while heap and not self._has(heap[0], row):
                heapq.heappop(heap)
            if heap and (lowest is None or heap[0] < lowest):
                lowest = heap[0]
        return lowest

    def _has(self, link: LinkId, row: int) -> bool:
        return link in self and row in self._rows_of(link)

    def _take_by_link(self, now: float, chance: np.random.Generator) -> Taken | NotBefore:
        """Each link on a ready host is equally likely. Looks at all links ever met."""
        links = self._waiting()
        if not self._clocks.are_all_ready(now):
            hosts = self._hosts(links)
            links = links[self._clocks.ready_at(int(hosts.max()) + 1)[hosts] <= now]
        if not len(links):
            return self._next_ready()
        return self.withdraw(LinkId(int(links[chance.integers(len(links))])))

    def _take_by_row(self, now: float, chance: np.random.Generator) -> Taken | NotBefore:
        """Each row that a link on a ready host has is equally likely, then each of these links."""
        rows = np.flatnonzero(self._score[: len(self._places)] > NOTHING)
        if not self._clocks.are_all_ready(now):
            rows = rows[[self._lowest_ready(row, now) is not None for row in rows.tolist()]]
        if not len(rows):
            return self._next_ready()
        by_content = rows[np.argsort(self._digest[rows], kind="stable")]
        row = int(by_content[chance.integers(len(by_content))])
        sharing = sorted(
            {
                link
                for host, heap in self._places[row].items()
                if self._clocks.is_ready(host, now)
                for link in heap
                if self._has(link, row)
            }
        )
        return self._leave(sharing[int(chance.integers(len(sharing)))], row)

    def _waiting(self) -> NDArray[np.int64]:
        return np.flatnonzero(np.frombuffer(self._first_row, dtype=np.int32) != ABSENT)

    def _hosts(self, links: NDArray[np.int64]) -> NDArray[np.int32]:
        return np.frombuffer(self._host, dtype=np.int32)[links]

    def _next_ready(self) -> NotBefore:
        hosts = np.unique(self._hosts(self._waiting()))
        return NotBefore(float(self._clocks.ready_at(int(hosts.max()) + 1)[hosts].min()))


def _check_finite(what: str, links: Sequence[LinkId], values: NDArray[np.floating]) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"{what} of link {links[int(np.argmin(np.isfinite(values)))]} is not finite")
