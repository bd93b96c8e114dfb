"""Links on levels come out as a plain list would give them, sorted by level and then by the order of the frontier."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from frontier.host_clocks import HostClocks
from frontier.naive_frontier import LargestNumber, Linear, NaiveFrontier, seen_in
from honeyguide.frontier import (
    Arrivals,
    BeamFrontier,
    BestFirstFrontier,
    LevelledBeam,
    LevelledFrontier,
    NotBefore,
    Patience,
    Taken,
)
from honeyguide.model import HostId, LinkId

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

WIDTH = 2
HOSTS = 4
CAPACITY = 7
PATIENCE = Patience(1.5, level=2)

some_scores = st.one_of(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, np.inf]), st.floats(-9, 9))
some_rows = st.tuples(*[st.sampled_from([-1.0, 0.0, 0.3, 2.0])] * WIDTH)
some_levels = st.sampled_from([0, 0, 0, 1, 2, 7])


class NaiveLevels(NaiveFrontier):
    """A list, with the level of every link beside it."""

    def __init__(self, clocks: HostClocks, capacity: int = 10**9) -> None:
        super().__init__(clocks)
        self.level_by_link: dict[LinkId, int] = {}
        self._capacity = capacity

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        super().push(arrivals)
        levels = [0] * len(arrivals.links) if arrivals.levels is None else arrivals.levels.tolist()
        self.level_by_link |= zip(arrivals.links, levels, strict=True)
        in_order = sorted(self._waiting, key=lambda one: (self.level_by_link[one.link], -one.score, one.link))
        self._waiting = in_order[: self._capacity]
        return sorted(one.link for one in in_order[self._capacity :])

    def take(self, now: float) -> Taken | NotBefore | None:
        return self._from_first(now, lambda level: level.take(now))

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        return self._from_first(now, lambda level: level.take_random(now, chance))

    def withdraw(self, link: LinkId) -> Taken:
        return replace(super().withdraw(link), level=self.level_by_link[link])

    def _from_first(
        self, now: float, take: Callable[[NaiveFrontier], Taken | NotBefore | None]
    ) -> Taken | NotBefore | None:
        moments = []
        is_worth_waiting = False
        for level in sorted({self.level_by_link[one.link] for one in self._waiting}):
            if is_worth_waiting and level >= PATIENCE.level:
                break
            here = NaiveFrontier(self._clocks)
            here._waiting = [one for one in self._waiting if self.level_by_link[one.link] == level]
            ready_at = [float(self._clocks.ready_at(HOSTS)[one.host]) for one in here._waiting]
            taken = take(here)
            if isinstance(taken, Taken):
                self.withdraw(taken.link)
                return replace(taken, level=level)
            moments.append(min(ready_at))
            is_worth_waiting |= max(ready_at) == np.inf or min(ready_at) <= now + PATIENCE.seconds
        return NotBefore(min(moments)) if moments else None


class OnLevels(RuleBasedStateMachine):
    """A levelled frontier and its model, told the same."""

    def __init__(self) -> None:
        super().__init__()
        self.clocks = HostClocks()
        self.model = NaiveLevels(self.clocks, self.capacity)
        self.frontier = self.make()
        self.host_by_link: dict[LinkId, int] = {}
        self.now = 0.0

    capacity = 10**9

    def make(self) -> LevelledFrontier[Any]:
        return LevelledFrontier(lambda: BestFirstFrontier(self.clocks, WIDTH), PATIENCE)

    def scores(self, data: st.DataObject, count: int) -> NDArray[np.float64]:
        return np.array(data.draw(st.lists(some_scores, min_size=count, max_size=count)))

    def some(self, data: st.DataObject) -> list[LinkId]:
        return data.draw(st.lists(st.sampled_from(self.model.links), min_size=1, max_size=4, unique=True))

    @rule(data=st.data(), count=st.integers(1, 9), has_levels=st.booleans())
    def push(self, data: st.DataObject, count: int, has_levels: bool) -> None:
        new = [LinkId(len(self.host_by_link) + number) for number in range(count)]
        hosts = data.draw(st.lists(st.integers(0, HOSTS - 1), min_size=count, max_size=count))
        self.host_by_link |= zip(new, hosts, strict=True)
        levels = np.array(data.draw(st.lists(some_levels, min_size=count, max_size=count)), dtype=np.uint8)
        arriving = Arrivals(
            new,
            [HostId(host) for host in hosts],
            self.scores(data, count),
            np.array(data.draw(st.lists(some_rows, min_size=count, max_size=count)), dtype=np.float16),
            levels if has_levels else None,
        )
        would_keep = self.frontier.would_keep(arriving.scores, arriving.levels)
        given_back = list(self.model.push(arriving))
        assert list(self.frontier.push(arriving)) == given_back
        assert would_keep.tolist() == [link not in given_back for link in new]

    @rule(times=st.integers(1, 5))
    def take(self, times: int) -> None:
        for _ in range(times):
            there = self.model.take(self.now)
            here = self.frontier.take(self.now)
            assert seen_in(here) == seen_in(there)
            if isinstance(here, Taken) and isinstance(there, Taken):
                assert here.level == there.level

    @rule(seed=st.integers(0, 99))
    def take_random(self, seed: int) -> None:
        here, there = np.random.default_rng(seed), np.random.default_rng(seed)
        assert seen_in(self.frontier.take_random(self.now, here)) == seen_in(self.model.take_random(self.now, there))
        assert here.bit_generator.state == there.bit_generator.state

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data(), level=some_levels)
    def move(self, data: st.DataObject, level: int) -> None:
        links = self.some(data)
        self.frontier.move(links, [level] * len(links))
        self.model.level_by_link |= dict.fromkeys(links, level)

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        for link in self.some(data):
            assert seen_in(self.frontier.withdraw(link)) == seen_in(self.model.withdraw(link))

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data(), keeps_rows=st.booleans())
    def change(self, data: st.DataObject, keeps_rows: bool) -> None:
        links = self.some(data)
        scores = self.scores(data, len(links))
        if keeps_rows:
            self.model.rescore(links, scores)
            self.frontier.rescore(links, scores)
            return
        rows = np.array(data.draw(st.lists(some_rows, min_size=len(links), max_size=len(links))), dtype=np.float16)
        self.model.replace(links, scores, rows)
        self.frontier.replace(links, scores, rows)

    @rule(weights=st.tuples(st.floats(-2, 2), st.floats(-2, 2)), is_linear=st.booleans())
    def reprice(self, weights: tuple[float, float], is_linear: bool) -> None:
        scorer = Linear(np.array(weights)) if is_linear else LargestNumber(weights[0])
        self.model.reprice(scorer)
        self.frontier.reprice(scorer)

    @rule(host=st.integers(0, HOSTS - 1), wait_s=st.floats(0, 6))
    def hold_or_release(self, host: int, wait_s: float) -> None:
        if self.clocks.ready_at(HOSTS)[host] == np.inf:
            self.clocks.release(HostId(host), self.now + wait_s)
        else:
            self.clocks.hold(HostId(host))

    @rule(seconds=st.floats(0, 2))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: len(self.model) > 0)
    @rule()
    def restart(self) -> None:
        """A crawl brought back fills its frontier in order of number, whatever was moved when."""
        everything = self.model.everything()
        levels = np.array([self.model.level_by_link[link] for link in everything.links], dtype=np.uint8)
        self.frontier = self.make()
        self.frontier.push(replace(everything, levels=levels))

    @invariant()
    def both_hold_the_same_links(self) -> None:
        links = self.model.links
        assert len(self.frontier) == len(links)
        assert all((link in self.frontier) == (link in links) for link in self.host_by_link)
        levels = [self.model.level_by_link[link] for link in links]
        assert self.frontier.levels(links).tolist() == levels
        assert self.frontier.behind().tolist() == [link for link in links if self.model.level_by_link[link]]
        if links:
            np.testing.assert_array_equal(self.frontier.peek(links)[0], self.model.peek(links)[0])
            np.testing.assert_array_equal(self.frontier.peek(links)[1], self.model.peek(links)[1])


class BeamOnLevels(OnLevels):
    capacity = CAPACITY

    def make(self) -> LevelledFrontier[Any]:
        return LevelledBeam(lambda: BeamFrontier(self.clocks, CAPACITY, WIDTH), CAPACITY, PATIENCE)


TestOnLevels = OnLevels.TestCase
TestOnLevels.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
TestBeamOnLevels = BeamOnLevels.TestCase
TestBeamOnLevels.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)
