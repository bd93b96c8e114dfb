"""Links that wait behind others whatever their scores: one frontier for each level, the lowest level first.

Inside a level the order is that of the frontiers joined here, so a link that is moved keeps its score, its row and its
place among equals, and is where it would be had it waited there from the beginning. While nothing waits deeper than
level 0, all there is to this is one more call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

import numpy as np

from honeyguide.columns import grown
from honeyguide.frontier.beam import BeamFrontier
from honeyguide.frontier.best_first import BestFirstFrontier
from honeyguide.frontier.frontier import Arrivals, Frontier, NotBefore, Pairs, Taken
from honeyguide.frontier.shared_rows import SharedRowsFrontier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier.frontier import Haste, Ready, Scorer, Standing
    from honeyguide.model import LinkId, Rows


class OneLevel(Frontier, Protocol):
    """A frontier that can be compared with others."""

    def best_ready(self, now: float) -> Ready | None:
        """Return what is ready; None where there is nothing, or no need to compare."""
        ...

    def soonest(self, now: float, ready: Ready, haste: Haste) -> NotBefore | None:
        """Return until when to wait for the first link that is worth it, rather than to ask for what is ready."""
        ...


Inner = TypeVar("Inner", bound=OneLevel)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long links at `level` and deeper wait for hosts of links above them that are not ready yet."""

    seconds: float
    level: int = 1


NO_PATIENCE: Final = Patience(0.0)


class LevelledFrontier(Generic[Inner]):
    """Links at a deeper level wait behind those at levels above it, as far as the hosts of those are ready.

    The levels that have to be patient are looked at only where no host of a level above will be ready in that time, and
    none of them is being asked just now; the others, where none is ready. Levels are 0 to 255; `make` makes the
    frontier of one.
    """

    def __init__(self, make: Callable[[], Inner], patience: Patience = NO_PATIENCE) -> None:
        self._make = make
        self._patience = patience
        self._frontiers: dict[int, Inner] = {0: make()}  # by level, rising; none is empty but for level 0
        self._level_of = np.zeros(0, dtype=np.uint8)  # by link; 0 also beyond its end, and where a link does not wait

    def __len__(self) -> int:
        return sum(map(len, self._frontiers.values()))

    def __contains__(self, link: LinkId) -> bool:
        return link in self._frontiers[self._level(link)]

    def levels(self, links: Sequence[LinkId] | NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the level of each link; 0 for one that does not wait."""
        numbers = np.asarray(links, dtype=np.int64)
        if not len(self._level_of):
            return np.zeros(len(numbers), dtype=np.uint8)
        is_known = (numbers >= 0) & (numbers < len(self._level_of))
        levels = np.zeros(len(numbers), dtype=np.uint8)
        levels[is_known] = self._level_of[numbers[is_known]]
        return levels

    def behind(self) -> NDArray[np.int64]:
        """Return the links that wait deeper than level 0, in order of number. Looks at a byte a link ever met."""
        if len(self._frontiers) == 1:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero(self._level_of)

    def by_level(self) -> Iterable[tuple[int, Inner]]:
        """Return what waits, by level."""
        return self._frontiers.items()

    def count_behind(self) -> int:
        """Return how many links wait deeper than level 0."""
        return sum(len(frontier) for level, frontier in self._frontiers.items() if level)

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        if arrivals.levels is None or not np.any(arrivals.levels):
            return self._frontiers[0].push(arrivals)
        given_back: list[LinkId] = []
        for level in np.unique(arrivals.levels).tolist():
            here = np.flatnonzero(arrivals.levels == level)
            links = [arrivals.links[place] for place in here.tolist()]
            hosts = [arrivals.hosts[place] for place in here.tolist()]
            given_back += self._enter(level, Arrivals(links, hosts, arrivals.scores[here], arrivals.rows[here]))
        return sorted(given_back)

    def would_keep(
        self,
        scores: NDArray[np.float64],
        levels: NDArray[np.uint8] | None = None,  # noqa: ARG002 - matters where room is short
    ) -> NDArray[np.bool_]:
        """Return which links would find room, were links of these scores pushed together now, at these levels."""
        return np.ones(len(scores), dtype=np.bool_)

    def take(self, now: float) -> Taken | NotBefore | None:
        return self._first(now, lambda frontier: frontier.take(now))

    def better_soon(self, now: float, haste: Haste) -> NotBefore | None:
        """Look at the first level that has a link on a ready host, and at those above it."""
        above: list[Inner] = []
        for frontier in self._frontiers.values():
            above.append(frontier)
            ready = frontier.best_ready(now)
            if ready is not None:
                waits = [found for each in above if (found := each.soonest(now, ready, haste)) is not None]
                return min(waits, key=lambda wait: wait.moment, default=None)
        return None

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        """Each link of the lowest level that has one on a ready host is equally likely."""
        return self._first(now, lambda frontier: frontier.take_random(now, chance))

    def withdraw(self, link: LinkId) -> Taken:
        level = self._level(link)
        return self._leaving(level, self._frontiers[level].withdraw(link))

    def move(self, links: Sequence[LinkId], levels: Sequence[int]) -> None:
        """Let waiting links wait at these levels, as if they had always been there. KeyError if one does not wait."""
        self.give_back([self.withdraw(link) for link in links], levels)

    def give_back(self, taken: Sequence[Taken], levels: Sequence[int]) -> None:
        """Links that were taken wait again as they did, but at these levels."""
        if not len(taken):
            return
        pairs = [one.pairs or Pairs(one.row[None, :], np.array([one.score])) for one in taken]
        counts = [len(each.scores) for each in pairs]
        arrivals = Arrivals(
            [one.link for one, count in zip(taken, counts, strict=True) for _ in range(count)],
            [one.host for one, count in zip(taken, counts, strict=True) for _ in range(count)],
            np.concatenate([each.scores for each in pairs]),
            np.concatenate([each.rows for each in pairs]),
            np.repeat(np.asarray(levels, dtype=np.uint8), counts),
        )
        given_back = self.push(arrivals)
        assert not given_back, "where links have just left there is room for them"

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        """Change scores and rows of waiting links; their levels stay."""
        for frontier, chosen, here in self.parted(links):
            frontier.replace(chosen, scores[here], rows[here])

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        for frontier, chosen, here in self.parted(links):
            frontier.rescore(chosen, scores[here])

    def reprice(self, scorer: Scorer) -> None:
        for frontier in self._frontiers.values():
            frontier.reprice(scorer)

    def peek(self, links: Sequence[LinkId]) -> tuple[NDArray[np.float64], Rows]:
        parted = list(self.parted(links))
        if not parted or len(parted[0][1]) == len(links):
            return self._frontiers[0].peek(links) if not parted else parted[0][0].peek(links)
        seen = [frontier.peek(chosen) for frontier, chosen, _ in parted]
        back = np.argsort(np.concatenate([np.arange(len(links))[here] for _, _, here in parted]))
        return np.concatenate([scores for scores, _ in seen])[back], np.concatenate([rows for _, rows in seen])[back]

    def _first(self, now: float, ask: Callable[[Inner], Taken | NotBefore | None]) -> Taken | NotBefore | None:
        """Return what the first level gives that has something, or for which it is worth waiting."""
        soonest: NotBefore | None = None
        is_worth_waiting = False
        for level, frontier in self._frontiers.items():
            if is_worth_waiting and level >= self._patience.level:
                break
            answer = ask(frontier)
            if isinstance(answer, Taken):
                return self._leaving(level, answer)
            if answer is None:
                continue
            if soonest is None or answer.moment < soonest.moment:
                soonest = answer
            is_worth_waiting |= answer.is_awaited or answer.moment <= now + self._patience.seconds
        return soonest

    def parted(self, links: Sequence[LinkId]) -> Iterator[tuple[Inner, Sequence[LinkId], NDArray[np.int64] | slice]]:
        """Links by the frontiers in which they wait, and their places in the list."""
        levels = self.levels(links) if len(self._frontiers) > 1 else None
        if levels is None or not levels.any():
            if len(links):
                yield self._frontiers[0], links, slice(None)
            return
        for level in np.unique(levels).tolist():
            here = np.flatnonzero(levels == level)
            yield self._frontiers[level], [links[place] for place in here.tolist()], here

    def _level(self, link: LinkId) -> int:
        return int(self._level_of[link]) if 0 <= link < len(self._level_of) else 0

    def _enter(self, level: int, arrivals: Arrivals) -> Sequence[LinkId]:
        if level not in self._frontiers:
            self._frontiers = dict(sorted([*self._frontiers.items(), (level, self._make())]))
        given_back = self._frontiers[level].push(arrivals)
        if level:
            self._note_level(arrivals.links, level)
            self._forget(given_back)
        return given_back

    def _leaving(self, level: int, taken: Taken) -> Taken:
        if not level:
            return taken
        self._forget([taken.link])
        return replace(taken, level=level)

    def _note_level(self, links: Sequence[LinkId], level: int) -> None:
        highest = max(links)
        if highest >= len(self._level_of):
            self._level_of = grown(self._level_of, max(highest + 1, 1024), fill=0)
        self._level_of[np.asarray(links, dtype=np.int64)] = level

    def _forget(self, links: Sequence[LinkId]) -> None:
        """Links have left levels deeper than 0."""
        for link in links:
            level = self._level(link)
            if level:
                self._level_of[link] = 0
                if level in self._frontiers and not len(self._frontiers[level]):
                    del self._frontiers[level]


_BEHIND: Final = 1e6  # more than any score differs from another


def standing_of(frontier: Frontier | LevelledFrontier[Any], now: float, haste: Haste, count: int) -> Standing | None:
    """Return what is ready and the best to wait for, on the first level; None where that is not known."""
    if isinstance(frontier, LevelledFrontier):
        return standing_of(dict(frontier.by_level())[0], now, haste, count)
    return frontier.standing(now, haste, count) if isinstance(frontier, BestFirstFrontier) else None


def worths_of(frontier: Frontier | LevelledFrontier[Any], links: Sequence[LinkId]) -> NDArray[np.float64]:
    """Return what decides the turns of waiting links, each at its level."""
    if isinstance(frontier, LevelledFrontier):
        worths = np.empty(len(links))
        for inner, chosen, here in frontier.parted(links):
            worths[here] = worths_of(inner, chosen)
        return worths
    return frontier.worths(links) if isinstance(frontier, BestFirstFrontier) else frontier.peek(links)[0]


def promises_of(frontier: Frontier | LevelledFrontier[Any], count: int) -> list[float]:
    """Return what the best waiting links are worth, the best first; 0 where their order tells nothing of that."""
    if isinstance(frontier, LevelledFrontier):
        found: list[float] = []
        for level, inner in frontier.by_level():
            found += [worth - _BEHIND * level for worth in promises_of(inner, count - len(found))]
            if len(found) >= count:
                break
        return found
    if isinstance(frontier, BestFirstFrontier):
        return frontier.promises(count) if count > 0 and len(frontier) else []
    return [0.0] * min(count, len(frontier))


class LevelledBeam(LevelledFrontier[BeamFrontier]):
    """At most `capacity` links wait, all levels together: the deepest give way first."""

    def __init__(self, make: Callable[[], BeamFrontier], capacity: int, patience: Patience = NO_PATIENCE) -> None:
        super().__init__(make, patience)
        self._capacity = capacity

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        given_back = list(super().push(arrivals))
        excess = len(self) - self._capacity
        for level in sorted(self._frontiers, reverse=True):
            if excess <= 0:
                break
            waiting = len(self._frontiers[level])
            gone = self._frontiers[level].narrow(max(waiting - excess, 0))
            self._forget(gone)
            given_back += gone
            excess -= len(gone)
        return sorted(given_back)

    def would_keep(self, scores: NDArray[np.float64], levels: NDArray[np.uint8] | None = None) -> NDArray[np.bool_]:
        levels = np.zeros(len(scores), dtype=np.uint8) if levels is None else levels
        is_kept = np.zeros(len(scores), dtype=np.bool_)
        room = self._capacity
        for level in sorted({*self._frontiers, *levels.tolist()}):
            here = np.flatnonzero(levels == level)
            frontier = self._frontiers.get(level)
            if frontier is None:
                frontier = self._make()
            is_kept[here] = frontier.would_keep(scores[here], room)
            room = max(room - len(frontier) - len(here), 0)
        return is_kept


class LevelledRows(LevelledFrontier[SharedRowsFrontier]):
    """Links with equal rows share one score on whatever level they wait. A link gets further rows where it waits."""

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        told = np.zeros(len(arrivals.links), dtype=np.uint8) if arrivals.levels is None else arrivals.levels
        if len(self._frontiers) > 1 or told.any():
            waits = np.array([link in self for link in arrivals.links], dtype=np.bool_)
            arrivals = replace(arrivals, levels=np.where(waits, self.levels(arrivals.links), told))
        given_back = super().push(arrivals)
        self._note(arrivals.rows, arrivals.scores)
        return given_back

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        super().replace(links, scores, rows)
        self._note(rows, scores)

    def rescore(self, links: Sequence[LinkId], scores: NDArray[np.float64]) -> None:
        _, rows = self.peek(links)
        super().rescore(links, scores)
        self._note(rows, scores)

    def rows_of(self, link: LinkId) -> Rows:
        """Return every row that a waiting link has, in the order in which it got them."""
        return self._frontiers[self._level(link)].rows_of(link)

    def _note(self, rows: Rows, scores: NDArray[np.float64]) -> None:
        if len(self._frontiers) > 1:
            for frontier in self._frontiers.values():
                frontier.note(rows, scores)
