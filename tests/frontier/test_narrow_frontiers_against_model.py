"""The beam and the frontier that holds links back do what a plain list does, also after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from frontier.host_clocks import HostClocks
from frontier.naive_frontier import LargestNumber, Linear, NaiveFrontier, seen_in
from honeyguide.frontier import Arrivals, BeamFrontier, Frontier, HeldBackFrontier, Taken
from honeyguide.model import HostId, LinkId

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.frontier import NotBefore, Scorer
    from honeyguide.model import Rows

WIDTH = 2
HOSTS = 4
CAPACITY = 7

some_scores = st.one_of(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, np.inf]), st.floats(-9, 9))
some_rows = st.tuples(*[st.sampled_from([-1.0, 0.0, 0.3, 2.0])] * WIDTH)


class NaiveBeam(NaiveFrontier):
    """Links beyond the capacity are given back: the lowest scores, the highest numbers among equals."""

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        super().push(arrivals)
        best_first = sorted(self._waiting, key=lambda waiting: (-waiting.score, waiting.link))
        self._waiting = best_first[:CAPACITY]
        return sorted(waiting.link for waiting in best_first[CAPACITY:])


class NaiveLevels(NaiveFrontier):
    """As if only the links waited whose scores, rounded up, are the highest."""

    def take(self, now: float) -> Taken | NotBefore | None:
        return self._from_highest(lambda top: top.take(now))

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        return self._from_highest(lambda top: top.take_random(now, chance))

    def reprice(self, scorer: Scorer) -> None:
        """Levels do not follow from rows."""

    def _from_highest(self, take: Callable[[NaiveFrontier], Taken | NotBefore | None]) -> Taken | NotBefore | None:
        top = NaiveFrontier(self._clocks)
        highest = max((np.ceil(waiting.score) for waiting in self._waiting), default=0.0)
        top._waiting = [waiting for waiting in self._waiting if np.ceil(waiting.score) == highest]
        taken = take(top)
        if isinstance(taken, Taken):
            self.withdraw(taken.link)
        return taken


class BothFrontiers(RuleBasedStateMachine):
    """A frontier and its model, told the same."""

    def __init__(self) -> None:
        super().__init__()
        self.clocks = HostClocks()
        self.model = self.make_model()
        self.frontier = self.make()
        self.host_by_link: dict[LinkId, int] = {}
        self.away: list[LinkId] = []  # given back
        self.now = 0.0

    def make(self) -> Frontier:
        raise NotImplementedError

    def make_model(self) -> NaiveFrontier:
        raise NotImplementedError

    def rows(self, data: st.DataObject, count: int) -> Rows:
        return np.array(data.draw(st.lists(some_rows, min_size=count, max_size=count)), dtype=np.float16)

    def scores(self, data: st.DataObject, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array(data.draw(st.lists(some_scores, min_size=count, max_size=count)))

    def some(self, data: st.DataObject) -> list[LinkId]:
        return data.draw(st.lists(st.sampled_from(self.model.links), min_size=1, max_size=4, unique=True))

    @rule(data=st.data(), count=st.integers(1, 9))
    def push(self, data: st.DataObject, count: int) -> None:
        """New links, and some that were given back before, in the order in which a page might show them."""
        for _ in range(count):
            self.host_by_link[LinkId(len(self.host_by_link))] = data.draw(st.integers(0, HOSTS - 1))
        new = list(self.host_by_link)[-count:]
        again = data.draw(st.lists(st.sampled_from(self.away), max_size=3, unique=True)) if self.away else []
        links = data.draw(st.permutations(again + new)) if again else new
        hosts = [HostId(self.host_by_link[link]) for link in links]
        arriving = Arrivals(links, hosts, self.scores(data, len(links)), self.rows(data, len(links)))
        is_kept = self.frontier.would_keep(arriving.scores)
        given_back = self.model.push(arriving)
        assert list(self.frontier.push(arriving)) == list(given_back)
        self.away = [link for link in (*self.away, *given_back) if link not in self.frontier]
        if not again:  # where all of them are newer than what waits, the answer was exact
            assert is_kept.tolist() == [link not in given_back for link in links]

    @rule(data=st.data(), count=st.integers(1, 9))
    def push_only_what_finds_room(self, data: st.DataObject, count: int) -> None:
        """What a page's links that would be kept push out are links that waited, never one of themselves."""
        scores = self.scores(data, count)
        chosen = scores[self.frontier.would_keep(scores)]
        new = [LinkId(len(self.host_by_link) + number) for number in range(len(chosen))]
        self.host_by_link |= dict.fromkeys(new, 0)
        arriving = Arrivals(new, [HostId(0)] * len(new), chosen, self.rows(data, len(new)).reshape(len(new), WIDTH))
        given_back = self.model.push(arriving)
        assert list(self.frontier.push(arriving)) == list(given_back)
        assert not set(given_back) & set(new)
        self.away += given_back

    @rule(times=st.integers(1, 5))
    def take(self, times: int) -> None:
        for _ in range(times):
            assert seen_in(self.frontier.take(self.now)) == seen_in(self.model.take(self.now))

    @rule(seed=st.integers(0, 99))
    def take_random(self, seed: int) -> None:
        here, there = np.random.default_rng(seed), np.random.default_rng(seed)
        assert seen_in(self.frontier.take_random(self.now, here)) == seen_in(self.model.take_random(self.now, there))

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        for link in self.some(data):
            assert seen_in(self.frontier.withdraw(link)) == seen_in(self.model.withdraw(link))

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        links = self.some(data)
        scores, rows = self.scores(data, len(links)), self.rows(data, len(links))
        self.model.replace(links, scores, rows)
        self.frontier.replace(links, scores, rows)

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def rescore(self, data: st.DataObject) -> None:
        links = self.some(data)
        scores = self.scores(data, len(links))
        self.model.rescore(links, scores)
        self.frontier.rescore(links, scores)

    @rule(weights=st.tuples(st.floats(-2, 2), st.floats(-2, 2)), is_linear=st.booleans())
    def reprice(self, weights: tuple[float, float], is_linear: bool) -> None:
        scorer = Linear(np.array(weights)) if is_linear else LargestNumber(weights[0])
        self.model.reprice(scorer)
        self.frontier.reprice(scorer)

    @rule(host=st.integers(0, HOSTS), wait_s=st.floats(0, 3))
    def hold_or_release(self, host: int, wait_s: float) -> None:
        if self.clocks.ready_at(HOSTS + 1)[host] == np.inf:
            self.clocks.release(HostId(host), self.now + wait_s)
        else:
            self.clocks.hold(HostId(host))

    @rule(seconds=st.floats(0, 2))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @precondition(lambda self: len(self.model) > 0)
    @rule()
    def restart(self) -> None:
        self.frontier = self.make()
        self.frontier.push(self.model.everything())

    @invariant()
    def both_hold_the_same_links(self) -> None:
        links = self.model.links
        assert len(self.frontier) == len(links)
        assert all((link in self.frontier) == (link in links) for link in self.host_by_link)
        if links:
            np.testing.assert_array_equal(self.frontier.peek(links)[0], self.model.peek(links)[0])
            np.testing.assert_array_equal(self.frontier.peek(links)[1], self.model.peek(links)[1])


class Beams(BothFrontiers):
    def make(self) -> Frontier:
        return BeamFrontier(self.clocks, CAPACITY, WIDTH)

    def make_model(self) -> NaiveFrontier:
        return NaiveBeam(self.clocks)

    @invariant()
    def no_more_wait_than_there_is_room_for(self) -> None:
        assert len(self.frontier) <= CAPACITY


class Levels(BothFrontiers):
    def make(self) -> Frontier:
        return HeldBackFrontier(self.clocks, WIDTH)

    def make_model(self) -> NaiveFrontier:
        return NaiveLevels(self.clocks)


TestBeams = Beams.TestCase
TestBeams.settings = settings(max_examples=80, stateful_step_count=30, deadline=None)
TestLevels = Levels.TestCase
TestLevels.settings = settings(max_examples=80, stateful_step_count=30, deadline=None)
