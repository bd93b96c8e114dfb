"""The best-first frontier gives the very links, scores and rows that a plain list looked through every time gives."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from frontier.host_clocks import HostClocks
from frontier.naive_frontier import LargestNumber, Linear, NaiveFrontier, seen_in
from honeyguide.frontier import Arrivals, BestFirstFrontier, Taken, best_first, chunks
from honeyguide.model import HostId, LinkId, Rows, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

WIDTH = 3
HOSTS = 5

# Few different numbers, so that ties are common; some that are not exact in half precision or in sums.
row_numbers = st.sampled_from([-2.0, -1.0, -0.1, 0.0, 0.3, 1.0, 2.0, 1000.0])
weight_numbers = st.one_of(st.sampled_from([-1.0, 0.0, 0.1, 1.0]), st.floats(-1e6, 1e6))
scores_by_hand = st.one_of(st.sampled_from([-np.inf, -1.0, 0.0, 0.5, 1.0, np.inf]), st.floats(-100, 100))


@contextmanager
def small_measures() -> Iterator[None]:
    """Chunks and ring so small that a short example fills, recycles and wraps them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_first, "RING", 5)
        patch.setattr(chunks, "SMALLEST", 2)
        patch.setattr(chunks, "LARGEST", 8)
        yield


class BothFrontiers(RuleBasedStateMachine):
    """The frontier and the model, told the same."""

    def __init__(self) -> None:
        super().__init__()
        self._measures = small_measures()
        self._measures.__enter__()
        self.clocks = HostClocks()
        self.model = NaiveFrontier(self.clocks)
        self.frontier = BestFirstFrontier(self.clocks, WIDTH)
        self.met = 0
        self.now = 0.0
        self.weights: NDArray[np.float64] | None = None

    def teardown(self) -> None:
        self._measures.__exit__(None, None, None)

    def rows(self, data: st.DataObject, count: int) -> Rows:
        numbers = data.draw(st.lists(row_numbers, min_size=count * WIDTH, max_size=count * WIDTH))
        return np.array(numbers, dtype=np.float16).reshape(count, WIDTH)

    def some(self, data: st.DataObject, most: int = 6) -> list[LinkId]:
        return data.draw(st.lists(st.sampled_from(self.model.links), min_size=1, max_size=most, unique=True))

    def scores(self, data: st.DataObject, rows: Rows) -> NDArray[np.float64]:
        if self.weights is not None and data.draw(st.booleans(), label="scores follow from the weights"):
            return weighted_sums(rows, self.weights)
        return np.array(data.draw(st.lists(scores_by_hand, min_size=len(rows), max_size=len(rows))))

    @initialize()
    def begin_with_nothing(self) -> None:
        assert self.frontier.take(0.0) is None

    @rule(data=st.data(), count=st.integers(1, 12))
    def push(self, data: st.DataObject, count: int) -> None:
        links = [LinkId(self.met + number) for number in range(count)]
        self.met += count
        hosts = data.draw(st.lists(st.integers(0, HOSTS - 1), min_size=count, max_size=count))
        rows = self.rows(data, count)
        arriving = Arrivals(links, [HostId(host) for host in hosts], self.scores(data, rows), rows)
        self.model.push(arriving)
        self.frontier.push(arriving)

    @rule(times=st.integers(1, 10))
    def take(self, times: int) -> None:
        for _ in range(times):
            assert seen_in(self.frontier.take(self.now)) == seen_in(self.model.take(self.now))

    @rule(seed=st.integers(0, 99), times=st.integers(1, 5))
    def take_random(self, seed: int, times: int) -> None:
        here, there = np.random.default_rng(seed), np.random.default_rng(seed)
        for _ in range(times):
            assert seen_in(self.frontier.take_random(self.now, here)) == seen_in(
                self.model.take_random(self.now, there)
            )

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        for link in self.some(data):
            assert seen_in(self.frontier.withdraw(link)) == seen_in(self.model.withdraw(link))

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def withdraw_and_put_back(self, data: st.DataObject) -> None:
        for link in self.some(data):
            taken = self.model.withdraw(link)
            assert seen_in(self.frontier.withdraw(link)) == seen_in(taken)
            again = Arrivals([link], [taken.host], np.array([taken.score]), taken.row[None, :])
            self.model.push(again)
            self.frontier.push(again)

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def rescore(self, data: st.DataObject) -> None:
        links = self.some(data)
        scores = np.array(data.draw(st.lists(scores_by_hand, min_size=len(links), max_size=len(links))))
        self.model.rescore(links, scores)
        self.frontier.rescore(links, scores)

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        links = self.some(data)
        rows = self.rows(data, len(links))
        scores = self.scores(data, rows)
        self.model.replace(links, scores, rows)
        self.frontier.replace(links, scores, rows)

    @rule(weights=st.lists(weight_numbers, min_size=WIDTH, max_size=WIDTH))
    def reprice_at_new_weights(self, weights: list[float]) -> None:
        self.reprice(np.array(weights))

    @precondition(lambda self: self.weights is not None)
    @rule(step=st.lists(st.floats(-0.01, 0.01), min_size=WIDTH, max_size=WIDTH), times=st.integers(1, 7))
    def drift(self, step: list[float], times: int) -> None:
        for _ in range(times):
            assert self.weights is not None
            self.reprice(self.weights + np.array(step))

    def reprice(self, weights: NDArray[np.float64]) -> None:
        self.weights = weights
        self.model.reprice(Linear(weights))
        self.frontier.reprice(Linear(weights))

    @rule(factor=st.sampled_from([-1.0, 0.0, 0.1, 3.0]))
    def reprice_without_weights(self, factor: float) -> None:
        self.weights = None
        self.model.reprice(LargestNumber(factor))
        self.frontier.reprice(LargestNumber(factor))

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
        self.frontier = BestFirstFrontier(self.clocks, WIDTH)
        self.frontier.push(self.model.everything())
        if self.weights is not None:  # as a resumed crawl does; the model's scores may have been set by hand since
            self.reprice(self.weights)

    @invariant()
    def both_hold_the_same_links(self) -> None:
        assert len(self.frontier) == len(self.model)
        links = self.model.links
        assert all(link in self.frontier for link in links)
        if links:
            scores, rows = self.frontier.peek(links)
            model_scores, model_rows = self.model.peek(links)
            np.testing.assert_array_equal(scores, model_scores)
            np.testing.assert_array_equal(rows, model_rows)


TestBothFrontiersAgree = BothFrontiers.TestCase
TestBothFrontiersAgree.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)


def learner_rows(chance: np.random.Generator, count: int, width: int) -> Rows:
    """Rows like those of link features: a constant, some fractions, the rest around zero. One in four repeats."""
    rows = chance.normal(scale=0.2, size=(count, width))
    rows[:, 0] = 1.0
    rows[:, 1:5] = chance.random((count, 4))
    rows[chance.random(count) < 0.25] = rows[0]
    return rows.astype(np.float16)


@pytest.mark.parametrize("seed", range(3))
def test_a_learning_crawl_takes_the_links_that_a_full_pass_would_take(seed: int) -> None:
    """Real measures, so that the ring of 512 past weights is gone through twice, over chunks of all sizes."""
    width, chance = 44, np.random.default_rng(seed)
    clocks = HostClocks()
    frontier = BestFirstFrontier(clocks, width)
    rows, hosts, waiting = np.empty((0, width), dtype=np.float16), np.empty(0, dtype=np.int64), np.empty(0, dtype=bool)
    weights = chance.normal(size=width)
    times_passed_over = 0
    for step in range(1, 1200):
        weights = weights + chance.normal(size=width) / (10 * step)
        frontier.reprice(Linear(weights))
        count = int(chance.integers(1, 12))
        new_rows = learner_rows(chance, count, width)
        new_hosts = np.minimum(chance.geometric(0.4, size=count) - 1, 8)
        links = [LinkId(len(rows) + number) for number in range(count)]
        frontier.push(Arrivals(links, new_hosts.tolist(), weighted_sums(new_rows, weights), new_rows))
        rows, hosts = np.concatenate((rows, new_rows)), np.concatenate((hosts, new_hosts))
        waiting = np.concatenate((waiting, np.ones(count, dtype=bool)))
        busy = HostId(int(chance.integers(9)))
        clocks.hold(busy)
        scores = np.where(waiting & (hosts != busy), weighted_sums(rows, weights), -np.inf)
        taken = frontier.take(0.0)
        clocks.release(busy, 0.0)
        if scores.max() > -np.inf:
            best = int(np.argmax(scores))
            assert isinstance(taken, Taken)
            assert (taken.link, taken.host, taken.score) == (best, hosts[best], scores[best])
            best_of_all = np.where(waiting, weighted_sums(rows, weights), -np.inf).max()
            assert taken.passed_over == best_of_all - taken.score
            times_passed_over += taken.passed_over > 0
            waiting[best] = False
    assert len(frontier) == waiting.sum()
    assert times_passed_over > 50


def test_a_refilled_frontier_has_the_same_future() -> None:
    """Resuming a crawl depends on it: the new frontier has other chunks, and must not be told apart by them."""
    chance = np.random.default_rng(11)
    lived, model = BestFirstFrontier(HostClocks(), 4), NaiveFrontier(HostClocks())
    weights = chance.normal(size=4)
    for batch in range(40):
        rows = learner_rows(chance, 50, 5)[:, :4]
        links = [LinkId(50 * batch + number) for number in range(50)]
        arriving = Arrivals(links, chance.integers(6, size=50).tolist(), weighted_sums(rows, weights), rows)
        for frontier in (lived, model):
            frontier.push(arriving)
        for _ in range(30):
            taken = lived.take(0.0)
            assert isinstance(taken, Taken)
            model.withdraw(taken.link)
        weights = weights + chance.normal(scale=0.01, size=4)
        for frontier in (lived, model):
            frontier.reprice(Linear(weights))
    resumed = BestFirstFrontier(HostClocks(), 4)
    resumed.push(model.everything())
    resumed.reprice(Linear(weights))
    here, there = np.random.default_rng(12), np.random.default_rng(12)
    for _ in range(200):
        assert seen_in(lived.take(0.0)) == seen_in(resumed.take(0.0))
        assert seen_in(lived.take_random(0.0, here)) == seen_in(resumed.take_random(0.0, there))
