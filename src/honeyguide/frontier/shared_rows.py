"""The frontier of the papers' reinforcement learners: links with equal rows share one score.

With discretised features many links look alike: two hundred thousand waiting links may have a few ten thousand distinct
rows. A row is kept once, with one score and the links that have it, so scoring everything again is one product over the
distinct rows. A link found on several pages has several rows, is worth its best one (the first it got, among equals),
and leaves once.

Among equal scores the link with the lowest number comes out first, whatever rows they have. A random draw is uniform
over links or over rows, and depends on numbers and contents alone: a crawl brought back from its store draws the same.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.columns import grown
from honeyguide.frontier.chunks import NOTHING
from honeyguide.frontier.frontier import Pairs, Taken, earliest
from honeyguide.model import HostId, LinkId, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier.frontier import Arrivals, Haste, HostReadiness, NotBefore, Ready, Scorer
    from honeyguide.model import Row, Rows

ABSENT: Final = -1  # in place of the row of a link that does not wait
SMALLEST: Final = 256  # rows that there is room for at first


class SharedRowsFrontier:
    """Highest score first. Pushing a link that waits already gives it a further row.

    ValueError for a score or a row that is not finite.
    """

    def __init__(self, hosts: HostReadiness, row_width: int = 0, *, draws_rows: bool = False) -> None:
        self._readiness = hosts
        self._draws_rows = draws_rows
        self._number_by_row: dict[bytes, int] = {}  # of the rows that waiting links have
        self._free: list[int] = []  # numbers that no row has any more
        self._links: list[array[int]] = []  # by row, ascending
        # By row, too. What belongs to a free number is out of date, but for its score and its size.
        self._row: Rows = np.zeros((SMALLEST, row_width), dtype=np.float16)
        self._wide: NDArray[np.float64] | None = None  # the same numbers, once they have to be multiplied
        self._score = np.full(SMALLEST, NOTHING)
        self._size = np.zeros(SMALLEST, dtype=np.int64)
        self._lowest = np.zeros(SMALLEST, dtype=np.int64)  # link
        self._lowest_host = np.zeros(SMALLEST, dtype=np.int64)  # host of that link
        self._digest = np.zeros(SMALLEST, dtype=np.uint64)  # of the row's content
        self._first_row = array("i")  # by link
        self._more_rows: dict[LinkId, tuple[int, ...]] = {}  # all rows of those links that have several
        self._host = array("i")  # by link
        self._waiting_by_host = np.zeros(64, dtype=np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, link: LinkId) -> bool:
        return 0 <= link < len(self._first_row) and self._first_row[link] != ABSENT

    @property
    def distinct_rows(self) -> int:
        """Return how many rows the waiting links have between them."""
        return len(self._number_by_row)

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        _refuse_what_is_not_finite("score", arrivals.links, arrivals.scores)
        _refuse_what_is_not_finite("row", arrivals.links, arrivals.rows)
        numbers = self._numbers_of(arrivals.rows)
        for link, host, number in zip(arrivals.links, arrivals.hosts, numbers, strict=True):
            self._enter(link, host, number)
        self._score[numbers] = arrivals.scores
        return ()

    def would_keep(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.ones(len(scores), dtype=np.bool_)

    def take(self, now: float) -> Taken | NotBefore | None:
        if not self._count:
            return None
        if self._readiness.are_all_ready(now):
            scores = self._score[: len(self._links)]
            return self.withdraw(self._lowest_with(np.flatnonzero(scores == scores.max())))
        if not self._is_any_ready(now):
            return self._next_ready()
        taken = self.withdraw(self._best_ready(now))
        top = float(self._score[: len(self._links)].max())
        return replace(taken, score_lost_waiting=max(top - taken.score, 0.0))

    def better_soon(self, now: float, haste: Haste) -> NotBefore | None:  # noqa: ARG002
        """Never wait: in the papers whose learners share rows, hosts do not rest."""
        return None

    def best_ready(self, now: float) -> Ready | None:  # noqa: ARG002
        """There is nothing to compare with."""
        return None

    def soonest(self, now: float, ready: Ready, haste: Haste) -> NotBefore | None:  # noqa: ARG002
        """Never wait."""
        return None

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        if not self._count:
            return None
        if not self._is_any_ready(now):
            return self._next_ready()
        return self._take_by_row(now, chance) if self._draws_rows else self._take_by_link(now, chance)

    def withdraw(self, link: LinkId) -> Taken:
        return self._leave(link, self._best_row_of(link))

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        """Each link has this one row from now on; the score is that of every link with the row."""
        _refuse_what_is_not_finite("score", links, scores)
        _refuse_what_is_not_finite("row", links, rows)
        for link, score, row in zip(links, scores.tolist(), rows, strict=True):
            host = self.withdraw(link).host
            number = self._numbers_of(row[None, :])[0]
            self._enter(link, host, number)
            self._score[number] = score

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        """Change the scores of the links' best rows, and so of every link with one of these rows."""
        _refuse_what_is_not_finite("score", links, scores)
        rows = [self._best_row_of(link) for link in links]
        self._score[rows] = scores

    def reprice(self, scorer: Scorer) -> None:
        if not self._count:
            return
        before = self._score[: len(self._links)]
        scores = np.zeros(len(before))
        if scorer.weights is not None:
            scores = weighted_sums(self._wide_rows(), scorer.weights)
        else:
            live = np.flatnonzero(before > NOTHING)
            scores[live] = scorer.score(self._row[live])
        if not np.isfinite(scores).all():
            raise ValueError("scores have diverged: lower the learning rate")
        before[:] = np.where(before > NOTHING, scores, NOTHING)

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        """Score and row of each link's best row."""
        rows = [self._best_row_of(link) for link in links]
        return self._score[rows], self._row[rows]

    def note(self, rows: Rows, scores: NDArray[np.float64]) -> None:
        """Links that wait elsewhere have got these rows, with these scores: so have links with one of them here."""
        for content, score in zip(_pieces(rows + np.float16(0)), scores.tolist(), strict=True):
            number = self._number_by_row.get(content)
            if number is not None:
                self._score[number] = score

    def rows_of(self, link: LinkId) -> Rows:
        """Return every row that a waiting link has, in the order in which it got them."""
        return self._row[list(self._numbers_of_link(link))]

    def _lowest_with(self, rows: NDArray[np.int64]) -> LinkId:
        """Return the link with the lowest number that has one of these rows."""
        return LinkId(int(self._lowest[rows].min()))

    def _best_ready(self, now: float) -> LinkId:
        """Return the best link on a ready host. There is one."""
        scores = self._score[: len(self._links)]
        is_ready = self._is_first_ready(now)
        top = float(np.max(scores, where=is_ready, initial=NOTHING))
        # A row whose first link has to wait may have a later one that need not.
        others = np.flatnonzero(~is_ready & (self._size[: len(scores)] > 1) & (scores >= top))
        found = []
        for row in others[np.argsort(-scores[others], kind="stable")].tolist():
            if scores[row] < top:
                break
            links = self._ready_links(row, now)
            if len(links):
                top = float(scores[row])
                found.append(LinkId(int(links[0])))
        openly = np.flatnonzero(is_ready & (scores == top))
        return min([*found, self._lowest_with(openly)] if len(openly) else found)

    def _take_by_link(self, now: float, chance: np.random.Generator) -> Taken:
        """Each link on a ready host is equally likely. Looks at all links ever met."""
        links = np.flatnonzero(np.frombuffer(self._first_row, dtype=np.int32) != ABSENT)
        if not self._readiness.are_all_ready(now):
            links = links[self._ready_at()[np.frombuffer(self._host, dtype=np.int32)[links]] <= now]
        return self.withdraw(LinkId(int(links[chance.integers(len(links))])))

    def _take_by_row(self, now: float, chance: np.random.Generator) -> Taken:
        """Each row that a link on a ready host has is equally likely, then each of these links.

        Every row draws a number, made from its content; the lowest wins. So no order of rows is needed.
        """
        rows = np.flatnonzero((self._size[: len(self._links)] > 1) | self._is_first_ready(now))
        rows = rows[self._score[rows] > NOTHING]
        drawn = _scattered(self._digest[rows] ^ chance.integers(2**64, dtype=np.uint64))
        while True:
            place = int(np.argmin(drawn))
            links = self._ready_links(int(rows[place]), now)
            if len(links):
                return self._leave(LinkId(int(links[chance.integers(len(links))])), int(rows[place]))
            rows, drawn = np.delete(rows, place), np.delete(drawn, place)

    def _enter(self, link: LinkId, host: HostId, row: int) -> None:
        if link >= len(self._first_row):
            more = max(len(self._first_row), link + 1 - len(self._first_row), 1024)
            self._first_row.extend(array("i", [ABSENT]) * more)
            self._host.extend(array("i", [0]) * more)
        if self._first_row[link] == ABSENT:
            self._first_row[link] = row
            self._host[link] = host
            self._count += 1
            self._note_waiting(host)
        elif row in self._numbers_of_link(link):
            return
        else:
            self._more_rows[link] = (*self._numbers_of_link(link), row)
        links = self._links[row]
        if not links or link > links[-1]:
            links.append(link)
        else:
            insort(links, link)
        self._note_links_of(row)

    def _leave(self, link: LinkId, row: int) -> Taken:
        """Take a link out, by one of its rows."""
        host = HostId(self._host[link])
        numbers = list(self._numbers_of_link(link))
        pairs = Pairs(self._row[numbers], self._score[numbers])
        taken = Taken(link, host, float(self._score[row]), self._row[row].copy(), pairs=pairs)
        for shared in numbers:
            links = self._links[shared]
            del links[bisect_left(links, link)]
            self._note_links_of(shared)
        self._first_row[link] = ABSENT
        self._more_rows.pop(link, None)
        self._waiting_by_host[host] -= 1
        self._count -= 1
        return taken

    def _note_links_of(self, row: int) -> None:
        """Bring up to date what is known of the links that have a row."""
        links = self._links[row]
        self._size[row] = len(links)
        if links:
            self._lowest[row] = links[0]
            self._lowest_host[row] = self._host[links[0]]
        else:
            self._score[row] = NOTHING
            del self._number_by_row[self._row[row].tobytes()]
            self._free.append(row)

    def _note_waiting(self, host: HostId) -> None:
        if host >= len(self._waiting_by_host):
            self._waiting_by_host = grown(self._waiting_by_host, host + 1, fill=0)
        self._waiting_by_host[host] += 1

    def _numbers_of_link(self, link: LinkId) -> tuple[int, ...]:
        if link not in self:
            raise KeyError(int(link))
        return self._more_rows.get(link) or (self._first_row[link],)

    def _best_row_of(self, link: LinkId) -> int:
        return max(self._numbers_of_link(link), key=self._score.__getitem__)

    def _numbers_of(self, rows: Rows) -> list[int]:
        """Return the number of each row; one that no waiting link has gets a new one."""
        same_zeros = rows + np.float16(0)  # no negative ones
        return [
            self._new_number(key, row) if (number := self._number_by_row.get(key)) is None else number
            for key, row in zip(_pieces(same_zeros), same_zeros, strict=True)
        ]

    def _new_number(self, content: bytes, row: Row) -> int:
        if self._free:
            number = self._free.pop()
        else:
            number = len(self._links)
            self._links.append(array("i"))
            if number == len(self._score):
                self._grow()
        self._number_by_row[content] = number
        self._row[number] = row
        if self._wide is not None:
            self._wide[number] = row
        self._digest[number] = xxhash.xxh3_64_intdigest(content)
        return number

    def _grow(self) -> None:
        self._row = grown(self._row, 0, fill=0)
        self._wide = None
        self._score = grown(self._score, 0, fill=NOTHING)
        self._size = grown(self._size, 0, fill=0)
        self._lowest = grown(self._lowest, 0, fill=0)
        self._lowest_host = grown(self._lowest_host, 0, fill=0)
        self._digest = grown(self._digest, 0, fill=0)

    def _wide_rows(self) -> NDArray[np.float64]:
        if self._wide is None:
            self._wide = self._row.astype(np.float64)
        return self._wide[: len(self._links)]

    def _ready_at(self) -> NDArray[np.float64]:
        return self._readiness.ready_at(len(self._waiting_by_host))

    def _is_any_ready(self, now: float) -> bool:
        return bool(np.any((self._ready_at() <= now) & (self._waiting_by_host > 0)))

    def _is_first_ready(self, now: float) -> NDArray[np.bool_]:
        """Tell of each row whether the host of its first link is ready; of a free number, False."""
        hosts = self._lowest_host[: len(self._links)]
        return (self._ready_at()[hosts] <= now) & (self._size[: len(hosts)] > 0)

    def _ready_links(self, row: int, now: float) -> NDArray[np.int32]:
        """Return the links that have this row and whose host is ready, ascending."""
        links = np.frombuffer(self._links[row], dtype=np.int32)
        return links[self._ready_at()[np.frombuffer(self._host, dtype=np.int32)[links]] <= now]

    def _next_ready(self) -> NotBefore:
        return earliest(self._ready_at()[self._waiting_by_host > 0])


def _pieces(rows: Rows) -> list[bytes]:
    """Return the content of each row."""
    content, size = rows.tobytes(), rows.itemsize * rows.shape[1]
    return [content[place * size : (place + 1) * size] for place in range(len(rows))]


def _scattered(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers as if drawn at random, though made from these: the last steps of the splitmix64 generator."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _refuse_what_is_not_finite(what: str, links: Sequence[LinkId], values: NDArray[np.floating]) -> None:
    if not np.isfinite(values).all():
        is_finite = np.isfinite(values).reshape(len(links), -1).all(axis=1)
        raise ValueError(f"{what} of link {links[int(np.argmin(is_finite))]} is not a number, or not a finite one")
