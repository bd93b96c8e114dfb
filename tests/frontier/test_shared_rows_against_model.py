"""The frontier of shared rows gives the very links, scores and rows that a plain list of pairs gives."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from frontier.host_clocks import HostClocks
from frontier.naive_frontier import LargestNumber, Linear, arrivals, seen_in
from frontier.naive_pairs import NaivePairs
from honeyguide.frontier import Arrivals, NotBefore, SharedRowsFrontier, Taken, shared_rows
from honeyguide.model import HostId, LinkId, Rows, weighted_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH = 2
HOSTS = 4
CHI_SQUARE_OF_FOUR = 18.5  # exceeded once in a thousand times, with four degrees of freedom
CHI_SQUARE_OF_NINE = 27.9

row_numbers = st.sampled_from([-1.0, -0.0, 0.0, 0.3, 2.0])  # few, so that rows are shared
scores_by_hand = st.sampled_from([-1.0, 0.0, 0.5, 1.0])


class BothFrontiers(RuleBasedStateMachine):
    """The frontier and the model, told the same."""

    def __init__(self) -> None:
        super().__init__()
        self._measures = pytest.MonkeyPatch()
        self._measures.setattr(shared_rows, "SMALLEST", 2)
        self.clocks = HostClocks()
        self.met = 0
        self.now = 0.0

    def teardown(self) -> None:
        self._measures.undo()

    @initialize(draws_rows=st.booleans())
    def begin(self, draws_rows: bool) -> None:
        self.draws_rows = draws_rows
        self.model = NaivePairs(self.clocks, draws_rows=draws_rows)
        self.frontier = SharedRowsFrontier(self.clocks, WIDTH, draws_rows=draws_rows)

    def rows(self, data: st.DataObject, count: int) -> Rows:
        numbers = data.draw(st.lists(row_numbers, min_size=count * WIDTH, max_size=count * WIDTH))
        return np.array(numbers, dtype=np.float16).reshape(count, WIDTH)

    def some(self, data: st.DataObject, *, most: int = 6, is_each_once: bool = True) -> list[LinkId]:
        return data.draw(st.lists(st.sampled_from(self.model.links), min_size=1, max_size=most, unique=is_each_once))

    def scores(self, data: st.DataObject, count: int) -> NDArray[np.float64]:
        return np.array(data.draw(st.lists(scores_by_hand, min_size=count, max_size=count)))

    def push(self, data: st.DataObject, links: list[LinkId], hosts: list[HostId]) -> None:
        arriving = Arrivals(links, hosts, self.scores(data, len(links)), self.rows(data, len(links)))
        self.model.push(arriving)
        self.frontier.push(arriving)

    @rule(data=st.data(), count=st.integers(1, 9))
    def push_new_links(self, data: st.DataObject, count: int) -> None:
        links = [LinkId(self.met + number) for number in range(count)]
        self.met += count
        self.push(data, links, [HostId(data.draw(st.integers(0, HOSTS - 1))) for _ in links])

    @precondition(lambda self: self.met > 0)
    @rule(data=st.data())
    def push_a_link_that_may_have_left(self, data: st.DataObject) -> None:
        link = LinkId(data.draw(st.integers(0, self.met - 1)))
        self.push(data, [link], [self.model.host(link) if link in self.model else HostId(1)])

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def give_waiting_links_further_rows(self, data: st.DataObject) -> None:
        links = self.some(data, is_each_once=False)
        self.push(data, links, [self.model.host(link) for link in links])

    @rule(times=st.integers(1, 8))
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
        assert here.bit_generator.state == there.bit_generator.state

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def withdraw(self, data: st.DataObject) -> None:
        for link in self.some(data):
            assert seen_in(self.frontier.withdraw(link)) == seen_in(self.model.withdraw(link))

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def rescore(self, data: st.DataObject) -> None:
        links = self.some(data)
        scores = self.scores(data, len(links))
        self.model.rescore(links, scores)
        self.frontier.rescore(links, scores)

    @precondition(lambda self: len(self.model) > 0)
    @rule(data=st.data())
    def replace(self, data: st.DataObject) -> None:
        links = self.some(data)
        rows, scores = self.rows(data, len(links)), self.scores(data, len(links))
        self.model.replace(links, scores, rows)
        self.frontier.replace(links, scores, rows)

    @rule(weights=st.lists(st.floats(-1e3, 1e3), min_size=WIDTH, max_size=WIDTH))
    def reprice(self, weights: list[float]) -> None:
        for frontier in (self.model, self.frontier):
            frontier.reprice(Linear(np.array(weights)))

    @rule(factor=st.sampled_from([-1.0, 0.0, 3.0]))
    def reprice_without_weights(self, factor: float) -> None:
        for frontier in (self.model, self.frontier):
            frontier.reprice(LargestNumber(factor))

    @rule(host=st.integers(0, HOSTS), wait_s=st.floats(0, 3))
    def hold_or_release(self, host: int, wait_s: float) -> None:
        if self.clocks.ready_at(HOSTS + 1)[host] == np.inf:
            self.clocks.release(HostId(host), self.now + wait_s)
        else:
            self.clocks.hold(HostId(host))

    @rule(seconds=st.floats(0, 2))
    def wait(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def restart(self) -> None:
        self.frontier = SharedRowsFrontier(self.clocks, WIDTH, draws_rows=self.draws_rows)
        if len(self.model):
            self.frontier.push(self.model.everything())

    @invariant()
    def both_hold_the_same(self) -> None:
        links = self.model.links
        assert len(self.frontier) == len(links)
        assert self.frontier.distinct_rows == self.model.distinct_rows
        assert [link for link in range(self.met) if LinkId(link) in self.frontier] == links
        for link in links:
            np.testing.assert_array_equal(self.frontier.rows_of(link), self.model.rows_of(link))
        if links:
            for here, there in zip(self.frontier.peek(links), self.model.peek(links), strict=True):
                np.testing.assert_array_equal(here, there)


TestBothFrontiersAgree = BothFrontiers.TestCase
TestBothFrontiersAgree.settings = settings(max_examples=20, stateful_step_count=40, deadline=None)


def rows_of(*numbers: float) -> Rows:
    return np.array(numbers, dtype=np.float16)[:, None]


def test_a_link_with_several_rows_is_worth_the_best_and_leaves_once() -> None:
    frontier = SharedRowsFrontier(HostClocks(), 1)
    frontier.push(arrivals([0, 1, 0], scores=[1.0, 5.0, 9.0], rows=rows_of(1, 5, 9)))
    assert seen_in(frontier.take(0.0)) == (0, 0, 9.0, [9.0], 0.0)
    assert seen_in(frontier.take(0.0)) == (1, 0, 5.0, [5.0], 0.0)
    assert frontier.take(0.0) is None
    assert frontier.distinct_rows == 0


def test_links_that_share_a_row_follow_its_newest_score() -> None:
    frontier = SharedRowsFrontier(HostClocks(), 1)
    frontier.push(arrivals([0, 1], scores=[1.0, 2.0], rows=rows_of(1, 2)))
    frontier.push(arrivals([2], scores=[3.0], rows=rows_of(1)))
    assert frontier.peek([LinkId(0), LinkId(1)])[0].tolist() == [3.0, 2.0]
    assert [taken.link for taken in (frontier.take(0.0), frontier.take(0.0)) if isinstance(taken, Taken)] == [0, 2]


def test_of_rows_of_equal_worth_the_one_it_got_first_is_a_links_own() -> None:
    for order in ((3, 4), (4, 3)):
        frontier = SharedRowsFrontier(HostClocks(), 1)
        frontier.push(arrivals([7], rows=rows_of(3)))  # so that the numbers of the rows do not tell
        frontier.push(arrivals([0, 0], scores=[1.0, 1.0], rows=rows_of(*order)))
        assert seen_in(frontier.take(0.0)) == (0, 0, 1.0, [float(order[0])], 0.0)


def test_all_scores_together_are_those_of_single_rows() -> None:
    """To the last bit, whatever the place of a row among the others."""
    chance = np.random.default_rng(1)
    frontier = SharedRowsFrontier(HostClocks(), 22)
    rows = chance.integers(10, size=(5000, 22)).astype(np.float16)
    frontier.push(arrivals(range(5000), rows=rows))
    weights = chance.normal(size=22)
    frontier.reprice(Linear(weights))
    links = [LinkId(link) for link in range(5000)]
    alone = np.concatenate([weighted_sums(row[None], weights) for row in rows])
    np.testing.assert_array_equal(frontier.peek(links)[0], alone)


@pytest.mark.parametrize(("draws_rows", "share_of_the_common_row"), [(True, 1 / 5), (False, 6 / 10)])
def test_a_draw_is_uniform_over_rows_or_over_links(draws_rows: bool, share_of_the_common_row: float) -> None:
    """Six links share a row and four have one of their own; what is on a busy host does not count."""
    chance = np.random.default_rng(5)
    rows, links = Counter[float](), Counter[int]()
    draws = 3000
    for _ in range(draws):
        clocks = HostClocks()
        frontier = SharedRowsFrontier(clocks, 1, draws_rows=draws_rows)
        frontier.push(arrivals(range(10), hosts=[link % 3 for link in range(10)], rows=rows_of(1, 2, 3, 4, *[9] * 6)))
        frontier.push(arrivals([10, 11], hosts=[3, 3], rows=rows_of(7, 9)))  # their host is busy
        clocks.hold(HostId(3))
        taken = frontier.take_random(0.0, chance)
        assert isinstance(taken, Taken)
        rows[float(taken.row[0])] += 1
        links[taken.link] += 1
    assert set(links) == set(range(10))
    by_row = [rows[number] for number in (1.0, 2.0, 3.0, 4.0, 9.0)]
    others = (1 - share_of_the_common_row) / 4
    expected = draws * np.array([others] * 4 + [share_of_the_common_row])
    assert sum((by_row - expected) ** 2 / expected) < CHI_SQUARE_OF_FOUR
    if not draws_rows:
        by_link = np.array([links[link] for link in range(10)])
        assert sum((by_link - draws / 10) ** 2 / (draws / 10)) < CHI_SQUARE_OF_NINE


def test_a_link_with_many_rows_is_drawn_as_often_as_any_other() -> None:
    chance, drawn = np.random.default_rng(8), Counter[int]()
    for _ in range(2000):
        frontier = SharedRowsFrontier(HostClocks(), 1)
        frontier.push(arrivals([0, 0, 0, 0, 1], rows=rows_of(1, 2, 3, 4, 5)))
        taken = frontier.take_random(0.0, chance)
        assert isinstance(taken, Taken)
        drawn[taken.link] += 1
    assert abs(drawn[0] - 1000) < 75  # 3.3 standard deviations


def test_a_busy_host_with_all_the_best_rows_does_not_hold_up_the_rest() -> None:
    clocks = HostClocks()
    frontier = SharedRowsFrontier(clocks, 1)
    numbers = np.arange(2000, dtype=np.float16)
    frontier.push(arrivals(range(2000), scores=numbers.astype(float), rows=numbers[:, None]))
    clocks.hold(HostId(0))
    assert frontier.take(0.0) == NotBefore(float("inf"))
    frontier.push(arrivals([2000], hosts=[1], scores=[-1.0], rows=rows_of(-1)))
    assert seen_in(frontier.take(0.0)) == (2000, 1, -1.0, [-1.0], 2000.0)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_scores_and_rows_that_are_not_finite_are_refused(bad: float) -> None:
    frontier = SharedRowsFrontier(HostClocks(), 1)
    with pytest.raises(ValueError, match="score of link 6 is not a number"):
        frontier.push(arrivals([5, 6], scores=[1.0, bad], rows=rows_of(1, 2)))
    with pytest.raises(ValueError, match="row of link 6 is not a number"):
        frontier.push(arrivals([5, 6], rows=rows_of(1, bad)))
    assert len(frontier) == 0
    frontier.push(arrivals([5], rows=rows_of(1)))
    with pytest.raises(ValueError, match="row of link 5"):
        frontier.replace([LinkId(5)], np.zeros(1), rows_of(bad))
    with pytest.raises(ValueError, match="scores have diverged"):
        frontier.reprice(LargestNumber(bad))
    assert seen_in(frontier.take(0.0)) == (5, 0, 0.0, [1.0], 0.0)
