"""Every frontier does what a plain list does, link for link, also after a restart."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from frontier.host_clocks import HostClocks
from frontier.naive_frontier import LargestNumber, Linear, NaiveFrontier, seen_in
from honeyguide.frontier import (
    Arrivals,
    BeamFrontier,
    BestFirstFrontier,
    ByDepthFrontier,
    LevelledBeam,
    LevelledFrontier,
    NotBefore,
    Patience,
    Taken,
    best_first,
    chunks,
)
from honeyguide.model import HostId, LinkId, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier import Frontier, Scorer
    from honeyguide.model import Rows

WIDTH = 2
HOSTS = 4
CAPACITY = 7
UNLIMITED = 10**9
PATIENCE = Patience(1.5, level=2)

# Few different numbers, so that ties are common; some that are not exact in half precision or in sums.
some_scores = st.one_of(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, np.inf]), st.floats(-9, 9))
some_rows = st.tuples(*[st.sampled_from([-2.0, -1.0, -0.1, 0.0, 0.3, 1.0, 1000.0])] * WIDTH)
some_weights = st.tuples(*[st.one_of(st.sampled_from([-1.0, 0.0, 0.1]), st.floats(-1e6, 1e6))] * WIDTH)
some_levels = st.sampled_from([0, 0, 0, 1, 2, 7])


class NaiveLevels(NaiveFrontier):
    """A list with the level of every link beside it. What finds no room is given back, deepest and worst first."""

    def __init__(self, clocks: HostClocks, capacity: int) -> None:
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


class NaiveByDepth(NaiveLevels):
    """As if only the links waited whose scores, rounded up, are the highest."""

    def reprice(self, scorer: Scorer) -> None:
        """Levels do not follow from rows."""

    def _from_first(
        self, now: float, take: Callable[[NaiveFrontier], Taken | NotBefore | None]
    ) -> Taken | NotBefore | None:
        top = NaiveFrontier(self._clocks)
        highest = max((np.ceil(waiting.score) for waiting in self._waiting), default=0.0)
        top._waiting = [waiting for waiting in self._waiting if np.ceil(waiting.score) == highest]
        taken = take(top)
        if isinstance(taken, Taken):
            self.withdraw(taken.link)
        return taken


class Beams(RuleBasedStateMachine):
    """A frontier and its model, told the same."""

    capacity = CAPACITY

    def __init__(self) -> None:
        super().__init__()
        self.clocks = HostClocks()
        self.model = self.make_model()
        self.frontier = self.make()
        self.host_by_link: dict[LinkId, int] = {}
        self.away: list[LinkId] = []  # given back
        self.now = 0.0

    def make(self) -> Frontier:
        return BeamFrontier(self.clocks, CAPACITY, WIDTH)

    def make_model(self) -> NaiveLevels:
        return NaiveLevels(self.clocks, self.capacity)

    def rows(self, data: st.DataObject, count: int) -> Rows:
        rows = data.draw(st.lists(some_rows, min_size=count, max_size=count))
        return np.array(rows, dtype=np.float16).reshape(count, WIDTH)

    def scores(self, data: st.DataObject, rows: Rows) -> NDArray[np.float64]:
        return np.array(data.draw(st.lists(some_scores, min_size=len(rows), max_size=len(rows))))

    def levels(self, data: st.DataObject, count: int) -> NDArray[np.uint8] | None:
        return None

    def would_keep(self, arriving: Arrivals) -> NDArray[np.bool_]:
        return self.frontier.would_keep(arriving.scores)

    def some(self, data: st.DataObject) -> list[LinkId]:
        return data.draw(st.lists(st.sampled_from(self.model.links), min_size=1, max_size=5, unique=True))

    @rule(data=st.data(), count=st.integers(1, 9))
    def push(self, data: st.DataObject, count: int) -> None:
        """New links, and some that were given back before, in the order in which a page might show them."""
        for _ in range(count):
            self.host_by_link[LinkId(len(self.host_by_link))] = data.draw(st.integers(0, HOSTS - 1))
        new = list(self.host_by_link)[-count:]
        again = data.draw(st.lists(st.sampled_from(self.away), max_size=3, unique=True)) if self.away else []
        links = data.draw(st.permutations(again + new)) if again else new
        hosts = [HostId(self.host_by_link[link]) for link in links]
        rows = self.rows(data, len(links))
        arriving = Arrivals(links, hosts, self.scores(data, rows), rows, self.levels(data, len(links)))
        is_kept = self.would_keep(arriving)
        given_back = self.model.push(arriving)
        assert list(self.frontier.push(arriving)) == list(given_back)
        self.away = [link for link in (*self.away, *given_back) if link not in self.frontier]
        if not again:  # where all of them are newer than what waits, the answer was exact
            assert is_kept.tolist() == [link not in given_back for link in links]

    @rule(times=st.integers(1, 6))
    def take(self, times: int) -> None:
        for _ in range(times):
            here, there = self.frontier.take(self.now), self.model.take(self.now)
            assert seen_in(here) == seen_in(there)
            assert getattr(here, "level", 0) == getattr(there, "level", 0)

    @rule(seed=st.integers(0, 99), times=st.integers(1, 3))
    def take_random(self, seed: int, times: int) -> None:
        here, there = np.random.default_rng(seed), np.random.default_rng(seed)
        for _ in range(times):
            drawn = seen_in(self.frontier.take_random(self.now, here))
            assert drawn == seen_in(self.model.take_random(self.now, there))
        assert here.bit_generator.state == there.bit_generator.state

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data(), comes_back=st.booleans())
    def withdraw(self, data: st.DataObject, comes_back: bool) -> None:
        for link in self.some(data):
            taken = self.model.withdraw(link)
            assert seen_in(self.frontier.withdraw(link)) == seen_in(taken)
            if comes_back:
                levels = np.array([taken.level], dtype=np.uint8)
                again = Arrivals([link], [taken.host], np.array([taken.score]), taken.row[None, :], levels)
                assert list(self.model.push(again)) == list(self.frontier.push(again)) == []

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data(), keeps_rows=st.booleans())
    def change(self, data: st.DataObject, keeps_rows: bool) -> None:
        links = self.some(data)
        rows = self.rows(data, len(links))
        scores = self.scores(data, rows)
        for frontier in (self.model, self.frontier):
            if keeps_rows:
                frontier.rescore(links, scores)
            else:
                frontier.replace(links, scores, rows)

    @rule(weights=some_weights)
    def reprice_at_new_weights(self, weights: tuple[float, ...]) -> None:
        self.reprice(Linear(np.array(weights)))

    @rule(factor=st.sampled_from([-1.0, 0.0, 0.1, 3.0]))
    def reprice_without_weights(self, factor: float) -> None:
        self.reprice(LargestNumber(factor))

    def reprice(self, scorer: Scorer) -> None:
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
        assert len(self.frontier) == len(links) <= self.capacity
        assert all((link in self.frontier) == (link in links) for link in self.host_by_link)
        if links:
            np.testing.assert_array_equal(self.frontier.peek(links)[0], self.model.peek(links)[0])
            np.testing.assert_array_equal(self.frontier.peek(links)[1], self.model.peek(links)[1])


class BestFirst(Beams):
    """Chunks of a few links and a short ring of past weights, so that both are used up often."""

    capacity = UNLIMITED

    def __init__(self) -> None:
        self._measures = ExitStack()
        for place, value in (((chunks, "SMALLEST"), 2), ((chunks, "LARGEST"), 8), ((best_first, "RING"), 5)):
            self._measures.enter_context(patch.object(*place, value))
        self.weights: NDArray[np.float64] | None = None
        super().__init__()

    def teardown(self) -> None:
        self._measures.close()

    def make(self) -> Frontier:
        return BestFirstFrontier(self.clocks, WIDTH)

    def scores(self, data: st.DataObject, rows: Rows) -> NDArray[np.float64]:
        if self.weights is not None and data.draw(st.booleans(), label="scores follow from the weights"):
            return weighted_sums(rows, self.weights)
        return super().scores(data, rows)

    @precondition(lambda self: self.weights is not None)
    @rule(step=st.tuples(*[st.floats(-0.01, 0.01)] * WIDTH), times=st.integers(1, 7))
    def drift(self, step: tuple[float, ...], times: int) -> None:
        for _ in range(times):
            assert self.weights is not None
            self.reprice(Linear(self.weights + np.array(step)))

    def reprice(self, scorer: Scorer) -> None:
        self.weights = scorer.weights
        super().reprice(scorer)


class ByDepth(Beams):
    capacity = UNLIMITED

    def make(self) -> Frontier:
        return ByDepthFrontier(self.clocks, WIDTH)

    def make_model(self) -> NaiveLevels:
        return NaiveByDepth(self.clocks, UNLIMITED)


class OnLevels(Beams):
    capacity = UNLIMITED
    frontier: LevelledFrontier[Any]

    def make(self) -> LevelledFrontier[Any]:
        return LevelledFrontier(lambda: BestFirstFrontier(self.clocks, WIDTH), PATIENCE)

    def levels(self, data: st.DataObject, count: int) -> NDArray[np.uint8] | None:
        if not data.draw(st.booleans(), label="has levels"):
            return None
        return np.array(data.draw(st.lists(some_levels, min_size=count, max_size=count)), dtype=np.uint8)

    def would_keep(self, arriving: Arrivals) -> NDArray[np.bool_]:
        return self.frontier.would_keep(arriving.scores, arriving.levels)

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data(), level=some_levels)
    def move(self, data: st.DataObject, level: int) -> None:
        links = self.some(data)
        self.frontier.move(links, [level] * len(links))
        self.model.level_by_link |= dict.fromkeys(links, level)

    @invariant()
    def both_have_the_same_levels(self) -> None:
        levels = {link: self.model.level_by_link[link] for link in self.model.links}
        assert self.frontier.levels(list(levels)).tolist() == list(levels.values())
        assert self.frontier.behind().tolist() == [link for link, level in levels.items() if level]


class BeamsOnLevels(OnLevels):
    capacity = CAPACITY

    def make(self) -> LevelledFrontier[Any]:
        return LevelledBeam(lambda: BeamFrontier(self.clocks, CAPACITY, WIDTH), CAPACITY, PATIENCE)


@pytest.mark.parametrize("examples", [20, pytest.param(150, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("machine", [Beams, BestFirst, ByDepth, OnLevels, BeamsOnLevels])
def test_a_frontier_does_what_a_list_does(machine: type[Beams], examples: int) -> None:
    """The rules of the machines compare both after every move."""
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=30, deadline=None))
