"""The corners of the best-first frontier that a random walk may miss."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.host_clocks import HostClocks
from frontier.naive_frontier import LargestNumber, Linear, NaiveFrontier, arrivals, seen_in
from honeyguide.frontier import Arrivals, BestFirstFrontier, Haste, Taken, best_first, worth_of, worths_of
from honeyguide.model import HostId, LinkId, Rows, weighted_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def half(*rows: list[float]) -> Rows:
    return np.array(rows, dtype=np.float16)


def drained(frontier: BestFirstFrontier) -> list[int]:
    links: list[int] = []
    while isinstance(taken := frontier.take(0.0), Taken):
        links.append(taken.link)
    return links


@given(seed=st.integers(0, 10**6), count=st.integers(1, 70), width=st.integers(0, 67))
def test_equal_rows_get_bit_equal_scores_whatever_the_batch(seed: int, count: int, width: int) -> None:
    # `rows @ weights` fails this: with 44 columns a row alone, at the end and in the middle of a batch may differ.
    chance = np.random.default_rng(seed)
    rows, weights = chance.normal(size=(count, width)).astype(np.float16), chance.normal(size=width)
    scores = weighted_sums(rows, weights)
    alone = [float(weighted_sums(rows[place : place + 1], weights)[0]) for place in range(count)]
    assert scores.tolist() == alone
    begin = int(chance.integers(count))
    assert weighted_sums(rows[begin:], weights).tolist() == alone[begin:]


def test_first_come_is_first_out_among_equals_on_many_hosts() -> None:
    frontier = BestFirstFrontier(HostClocks())
    for start in range(0, 2000, 50):
        frontier.push(arrivals(range(start, start + 50), hosts=[(7 * link) % 13 for link in range(start, start + 50)]))
    assert drained(frontier) == list(range(2000))


def test_links_with_the_lowest_score_there_is_come_out_too_and_last() -> None:
    frontier = BestFirstFrontier(HostClocks())
    frontier.push(arrivals([0, 1, 2, 3], hosts=[0, 1, 0, 1], scores=[-np.inf, -np.inf, -1e300, np.inf]))
    assert drained(frontier) == [3, 2, 0, 1]


def test_of_links_with_the_lowest_score_only_those_on_ready_hosts_are_taken() -> None:
    clocks = HostClocks()
    frontier = BestFirstFrontier(clocks)
    frontier.push(arrivals([0, 1], hosts=[0, 1], scores=[-np.inf, -np.inf]))
    clocks.hold(HostId(0))
    taken = frontier.take(0.0)
    assert isinstance(taken, Taken)
    assert taken.link == 1


def test_scores_set_by_hand_say_nothing_of_what_weights_will_give() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    frontier.push(arrivals([0, 1], hosts=[0, 1], scores=[-1000, 1], rows=half([5.0], [1.0])))
    frontier.reprice(Linear(np.array([1.0])))
    assert drained(frontier) == [0, 1]


def test_a_score_lowered_by_hand_rises_again_with_the_next_weights() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    frontier.push(arrivals([0, 1], hosts=[0, 1], rows=half([5.0], [1.0])))
    frontier.reprice(Linear(np.array([1.0])))
    frontier.rescore([LinkId(0)], np.array([-1000.0]))
    frontier.reprice(Linear(np.array([1.001])))
    assert drained(frontier) == [0, 1]


def test_scores_of_a_scorer_without_weights_do_not_outlive_it() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    frontier.push(arrivals([0, 1], hosts=[0, 1], rows=half([5.0], [1.0])))
    frontier.reprice(Linear(np.array([1.0])))
    frontier.reprice(LargestNumber(-100.0))
    assert frontier.peek([LinkId(0), LinkId(1)])[0].tolist() == [-500, -100]
    frontier.reprice(Linear(np.array([1.001])))
    assert drained(frontier) == [0, 1]


def test_a_score_pushed_beside_the_weights_holds_until_the_next_weights() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    frontier.reprice(Linear(np.array([1.0])))
    frontier.push(arrivals([0, 1], hosts=[0, 1], scores=[-3.0, 1.0], rows=half([5.0], [1.0])))
    assert frontier.peek([LinkId(0)])[0].tolist() == [-3.0]
    assert frontier.withdraw(LinkId(0)).score == -3.0


@pytest.mark.parametrize("scale", [1e-30, 1e6, 1e30, 1e90])
def test_the_bound_holds_whatever_the_size_of_the_weights(scale: float) -> None:
    chance = np.random.default_rng(1)
    rows = (chance.normal(size=(400, 20)) * 100).astype(np.float16)
    rows[200:] = rows[:200]
    frontier = BestFirstFrontier(HostClocks(), 20)
    weights = chance.normal(size=20) * scale
    frontier.push(arrivals(range(400), hosts=(np.arange(400) % 50).tolist(), rows=rows))
    waiting = np.ones(400, dtype=bool)
    for _ in range(400):
        # Steps of the size of a rounding error: the order of near equals changes although hardly anything moves.
        weights = weights * (1 + chance.normal(size=20) * 1e-15)
        frontier.reprice(Linear(weights))
        best = int(np.argmax(np.where(waiting, weighted_sums(rows, weights), -np.inf)))
        taken = frontier.take(0.0)
        assert isinstance(taken, Taken)
        assert taken.link == best
        waiting[best] = False


def test_a_link_untouched_while_the_ring_of_past_weights_turns_has_the_current_score() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    frontier.push(arrivals([0, 1], hosts=[0, 1], rows=half([1.0], [-1.0])))
    for step in range(3 * best_first.RING):
        frontier.reprice(Linear(np.array([1.0 + step])))
    frontier.reprice(Linear(np.array([-1.0])))
    assert frontier.peek([LinkId(0), LinkId(1)])[0].tolist() == [-1.0, 1.0]
    assert drained(frontier) == [1, 0]


def test_repricing_an_empty_frontier_is_remembered_by_those_who_come_later() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    for step in range(2 * best_first.RING):
        frontier.reprice(Linear(np.array([float(step)])))
    frontier.push(arrivals([0, 1], scores=[1023.0, 2046.0], rows=half([1.0], [2.0])))
    assert drained(frontier) == [1, 0]


def test_an_emptied_chunk_serves_another_host_without_its_past() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    link = 0
    for turn in range(300):
        frontier.reprice(Linear(np.array([1.0 + turn % 7])))
        count = 1 + turn % 20
        rows = np.linspace(-1, 1, count)[:, None].astype(np.float16)
        links = list(range(link, link + count))
        frontier.push(arrivals(links, hosts=[turn] * count, scores=weighted_sums(rows, np.array([9.0])), rows=rows))
        assert drained(frontier) == links[::-1]
        link += count
    assert len(frontier) == 0


def test_a_link_named_twice_gets_what_was_said_last() -> None:
    frontier = BestFirstFrontier(HostClocks())
    frontier.push(arrivals([0, 1], hosts=[0, 1], scores=[1.0, 2.0]))
    frontier.rescore([LinkId(0), LinkId(0)], np.array([9.0, 0.0]))
    assert drained(frontier) == [1, 0]


def test_the_weights_are_those_of_the_moment_of_repricing() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    frontier.push(arrivals([0, 1], hosts=[0, 1], rows=half([1.0], [-1.0])))
    weights = np.array([1.0])
    frontier.reprice(Linear(weights))
    weights[0] = -1.0
    assert drained(frontier) == [0, 1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_row_that_is_not_finite_is_refused(bad: float) -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    with pytest.raises(ValueError, match="row of link 1 is not finite"):
        frontier.push(arrivals([0, 1], rows=half([1.0], [bad])))
    assert len(frontier) == 0


def test_a_score_that_is_not_a_number_is_refused() -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    with pytest.raises(ValueError, match="score of link 1 is not a number"):
        frontier.push(arrivals([0, 1], scores=[0.0, np.nan], rows=half([1.0], [1.0])))
    frontier.push(arrivals([0], rows=half([1.0])))
    with pytest.raises(ValueError, match="score of link 0 is not a number"):
        frontier.rescore([LinkId(0)], np.array([np.nan]))
    with pytest.raises(ValueError, match="score of link 0 is not a number"):
        frontier.reprice(LargestNumber(np.nan))
    assert frontier.peek([LinkId(0)])[0].tolist() == [0.0]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_weights_that_have_diverged_are_refused(bad: float) -> None:
    frontier = BestFirstFrontier(HostClocks(), 1)
    with pytest.raises(ValueError, match="weights have diverged"):
        frontier.reprice(Linear(np.array([bad])))


def test_a_link_that_waits_cannot_be_pushed_again() -> None:
    frontier = BestFirstFrontier(HostClocks())
    frontier.push(arrivals([0]))
    with pytest.raises(AssertionError, match="waits already"):
        frontier.push(arrivals([0]))


def test_columns_may_be_arrays_as_well_as_lists() -> None:
    frontier = BestFirstFrontier(HostClocks())
    numbers = np.arange(3)
    frontier.push(Arrivals(numbers, numbers, np.zeros(3), np.empty((3, 0), dtype=np.float16)))  # type: ignore[arg-type]
    assert drained(frontier) == [0, 1, 2]


@pytest.mark.parametrize("hosts", [1, 7, 400])
def test_with_few_different_scores_ties_are_told_apart_by_arrival(hosts: int) -> None:
    """Several chunks on every host, some of them emptied and used again, some hosts busy."""
    chance = np.random.default_rng(hosts)
    count = 2000
    clocks = HostClocks()
    frontier = BestFirstFrontier(clocks)
    scores = chance.choice([-np.inf, 0.0, 0.0, 0.0, 0.5, 1.0], size=count)
    host = chance.integers(hosts, size=count)
    waiting = np.zeros(count, dtype=bool)
    for begin in range(0, count, 100):
        part = np.arange(begin, begin + 100)
        frontier.push(arrivals(part.tolist(), hosts=host[part].tolist(), scores=scores[part]))
        waiting[part] = True
        busy = HostId(int(chance.integers(hosts)))
        if hosts > 1:
            clocks.hold(busy)
        for _ in range(70):
            ready = np.flatnonzero(waiting & ((host != busy) | (hosts == 1)))
            first = ready[np.lexsort((ready, -scores[ready]))[0]]
            taken = frontier.take(0.0)
            assert isinstance(taken, Taken)
            assert taken.link == first
            waiting[first] = False
        if hosts > 1:
            clocks.release(busy, 0.0)
    assert drained(frontier) == sorted(np.flatnonzero(waiting).tolist(), key=lambda link: (-scores[link], link))


def learner_rows(chance: np.random.Generator, count: int, width: int) -> Rows:
    """Rows like those of link features: a constant, some fractions, the rest around zero. One in four repeats."""
    rows = chance.normal(scale=0.2, size=(count, width))
    rows[:, 0] = 1.0
    rows[:, 1:5] = chance.random((count, 4))
    rows[chance.random(count) < 0.25] = rows[0]
    return rows.astype(np.float16)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_a_learning_crawl_takes_the_links_that_a_full_pass_would_take(seed: int) -> None:
    """Real measures, so that the ring of 512 past weights is gone through twice, over chunks of all sizes."""
    width, chance = 44, np.random.default_rng(seed)
    clocks = HostClocks()
    frontier = BestFirstFrontier(clocks, width)
    rows, hosts, waiting = np.empty((0, width), dtype=np.float16), np.empty(0, dtype=np.int64), np.empty(0, dtype=bool)
    weights = chance.normal(size=width)
    times_waited = 0
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
            assert taken.score_lost_waiting == best_of_all - taken.score
            times_waited += taken.score_lost_waiting > 0
            waiting[best] = False
    assert len(frontier) == waiting.sum()
    assert times_waited > 50


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


class EveryOther:
    """Links with an odd number are answered as often as `odd` says, the others always; even ones have a bonus."""

    sign_count = 1
    signs_of_chances = 1

    def __init__(self) -> None:
        self.changed: NDArray[np.int32] | None = None
        self.odd = 1.0
        self.even_bonus = 0.0

    def signs(self, links: Sequence[LinkId]) -> NDArray[np.uint16]:
        return (np.array(links)[:, None] % 2).astype(np.uint16)

    def chances(self, signs: NDArray[np.uint16], rows: Rows) -> NDArray[np.float64]:
        assert len(signs) == len(rows)
        return np.where(signs[:, 0] == 1, self.odd, 1.0)

    def bonuses(self, signs: NDArray[np.uint16]) -> NDArray[np.float64]:
        return np.where(signs[:, 0] == 1, 0.0, self.even_bonus)


def test_a_link_that_is_seldom_answered_waits_behind_better_bets() -> None:
    chances = EveryOther()
    chances.odd = 0.25
    frontier = BestFirstFrontier(HostClocks(), chances=chances)
    frontier.push(arrivals([0, 1, 2, 3, 4, 5], scores=[0.2, 0.9, 0.3, 1.0, -1.5, -1.0]))
    first = frontier.take(0.0)
    assert isinstance(first, Taken)
    assert (first.link, first.score, first.chance, first.worth) == (2, 0.3, 1.0, 0.3)
    assert drained(frontier) == [3, 1, 0, 4, 5], "worth 0.25, 0.225, 0.2, -1.5 and -1.75"


class TwoSigns:
    """The first sign of a link, its number by 2, decides its chance, the second, its number by 3, its bonus."""

    sign_count = 2
    signs_of_chances = 1

    def __init__(self) -> None:
        self.changed: NDArray[np.int32] | None = None
        self.chance_of = np.ones(2)
        self.bonus_of = np.zeros(3)

    def signs(self, links: Sequence[LinkId]) -> NDArray[np.uint16]:
        return np.array([(link % 2, link % 3) for link in links], dtype=np.uint16)

    def chances(self, signs: NDArray[np.uint16], rows: Rows) -> NDArray[np.float64]:
        assert len(signs) == len(rows)
        return self.chance_of[signs[:, 0]]

    def bonuses(self, signs: NDArray[np.uint16]) -> NDArray[np.float64]:
        return self.bonus_of[signs[:, 1]]


def test_links_are_told_of_the_signs_that_have_changed_and_of_no_others() -> None:
    chances = TwoSigns()
    frontier = BestFirstFrontier(HostClocks(), row_width=1, chances=chances)
    scores = np.ones(6)
    frontier.push(arrivals(range(6), scores=scores, rows=np.ones((6, 1), dtype=np.float16)))
    one = Linear(np.array([1.0]))
    chances.chance_of, chances.bonus_of = np.array([0.5, 0.25]), np.array([1.0, 2.0, 3.0])
    chances.changed = np.array([-1, 2], dtype=np.int32)
    frontier.reprice(one)
    assert worths_of(frontier, range(6)).tolist() == [1, 1, 4, 1, 1, 4]  # type: ignore[arg-type]
    chances.changed = np.array([1, -1], dtype=np.int32)
    frontier.reprice(one)
    assert worths_of(frontier, range(6)).tolist() == [1, 0.25, 4, 0.25, 1, 1]  # type: ignore[arg-type]
    assert frontier.take(0.0).link == 2  # type: ignore[union-attr]
    chances.changed = None
    frontier.reprice(one)
    assert worths_of(frontier, [0, 1, 3, 4, 5]).tolist() == [1, 0.75, 0.5, 1.5, 1]  # type: ignore[list-item]


def test_a_bonus_adds_to_the_score_before_the_chance_counts() -> None:
    chances = EveryOther()
    chances.odd, chances.even_bonus = 0.5, -0.5
    frontier = BestFirstFrontier(HostClocks(), chances=chances)
    frontier.push(arrivals([0, 1, 2, 3], scores=[0.6, 0.3, 0.2, -0.1]))
    first = frontier.take(0.0)
    assert isinstance(first, Taken)
    assert (first.link, first.score, first.bonus, first.worth) == (1, 0.3, 0.0, 0.15)
    second = frontier.take(0.0)
    assert isinstance(second, Taken)
    assert (second.link, second.score, second.bonus) == (0, 0.6, -0.5)
    assert second.worth == pytest.approx(0.1)
    assert drained(frontier) == [3, 2], "worth -0.15 and -0.3"


def test_only_links_with_a_sign_that_has_changed_are_told_of_other_chances() -> None:
    chances = EveryOther()
    frontier = BestFirstFrontier(HostClocks(), row_width=1, chances=chances)
    frontier.push(arrivals([0, 1, 2, 3], scores=[0.4, 0.3, 0.2, 0.1], rows=half([0.4], [0.3], [0.2], [0.1])))
    frontier.withdraw(LinkId(3))  # a place without a link keeps its signs
    chances.odd, chances.even_bonus = 0.5, -9.0
    chances.changed = np.array([1], dtype=np.int32)
    frontier.reprice(Linear(np.array([1.0])))
    taken = [frontier.withdraw(LinkId(link)) for link in (0, 1)]
    assert [(one.chance, one.bonus) for one in taken] == [(1.0, 0.0), (0.5, 0.0)]
    chances.changed = np.array([-1], dtype=np.int32)
    frontier.reprice(Linear(np.array([1.0])))
    assert frontier.withdraw(LinkId(2)).bonus == 0.0


def test_a_frontier_without_links_has_none_in_front() -> None:
    frontier = BestFirstFrontier(HostClocks())
    assert frontier.foremost(3).tolist() == []


def test_what_is_taken_tells_how_many_waiting_links_were_worth_more() -> None:
    hosts = HostClocks()
    hosts.release(HostId(0), ready_at=9.0)
    frontier = BestFirstFrontier(hosts, row_width=1)
    scores = np.array([0.9, 0.8, 0.3, 0.2, 0.95])
    frontier.push(arrivals(range(5), hosts=[0, 0, 1, 1, 0], scores=scores, rows=scores[:, None].astype(np.float16)))
    frontier.reprice(Linear(np.array([1.0])))
    taken = frontier.take(0.0)
    assert isinstance(taken, Taken)
    assert (taken.link, taken.better) == (2, 3), "three on the host that is not ready"
    best = frontier.take(10.0)
    assert isinstance(best, Taken)
    assert (best.link, best.better) == (4, 0)
    drawn = frontier.take_random(10.0, np.random.default_rng(0))
    assert isinstance(drawn, Taken)
    assert drawn.better == {0: 0, 1: 1, 3: 2}[drawn.link]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-3, 3), st.floats(-3, 3)), min_size=1, max_size=12))
def test_chances_bonuses_and_weights_that_change_give_the_order_of_a_full_pass(
    changes: list[tuple[float, float, float]],
) -> None:
    chance = np.random.default_rng(len(changes))
    rows = chance.normal(size=(300, 2)).astype(np.float16)
    chances = EveryOther()
    frontier = BestFirstFrontier(HostClocks(), row_width=2, chances=chances)
    scores = weighted_sums(rows, np.ones(2))
    frontier.push(arrivals(range(300), hosts=[link % 7 for link in range(300)], scores=scores, rows=rows))
    left = set(range(300))
    for odd, *weights in changes:
        chances.odd, chances.even_bonus = max(odd, 0.01), odd - weights[0]
        frontier.reprice(Linear(np.array(weights)))
        scores = weighted_sums(rows, np.array(weights)) + np.where(np.arange(300) % 2 == 1, 0.0, chances.even_bonus)
        worth = worth_of(scores, np.where(np.arange(300) % 2 == 1, chances.odd, 1.0))
        by_worth = sorted(left, key=lambda link: (-worth[link], link))
        assert frontier.foremost(5).tolist() == by_worth[:5]
        assert frontier.foremost(400).tolist() == by_worth
        assert worths_of(frontier, sorted(left)).tolist() == worth[sorted(left)].tolist()  # type: ignore[arg-type]
        for _ in range(3):
            best = min(left, key=lambda link: (-worth[link], link))
            taken = frontier.take(0.0)
            assert isinstance(taken, Taken)
            assert (taken.link, taken.score + taken.bonus, taken.worth) == (best, scores[best], worth[best])
            left.remove(best)


def test_links_scored_in_parts_come_out_as_if_scored_together(monkeypatch: pytest.MonkeyPatch) -> None:
    orders = []
    for at_once in (1 << 16, 64):
        monkeypatch.setattr(best_first, "LINKS_AT_ONCE", at_once)
        chance, chances, order = np.random.default_rng(5), EveryOther(), []
        frontier = BestFirstFrontier(HostClocks(), row_width=4, chances=chances)
        rows = chance.normal(size=(1000, 4)).astype(np.float16)
        hosts = [link % 7 for link in range(1000)]
        frontier.push(arrivals(range(1000), hosts=hosts, scores=rows.sum(axis=1).astype(np.float64), rows=rows))
        for turn in range(20):
            chances.odd = 0.5 + 0.02 * turn
            weights = chance.normal(size=4)
            frontier.reprice(Linear(weights) if turn % 2 else LargestNumber(1.0))
            order += [seen_in(frontier.take(0.0)) for _ in range(10)]
        orders.append([*order, *drained(frontier)])
    assert orders[1] == orders[0]


def test_what_is_made_to_score_many_links_does_not_grow_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(best_first, "LINKS_AT_ONCE", 1024)
    peaks = []
    for count in (20_000, 80_000):
        frontier = BestFirstFrontier(HostClocks(), row_width=40, chances=EveryOther())
        rows = np.ones((count, 40), dtype=np.float16)
        frontier.push(arrivals(range(count), hosts=[link % 50 for link in range(count)], rows=rows))
        tracemalloc.start()
        frontier.reprice(LargestNumber(1.0))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 60_000 * 40, "a few numbers a link that say which, but neither rows nor sums of them"


some_links = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from([-1.0, 0.0, 0.4, 0.5, 1.0, 2.0])), min_size=1, max_size=40
)
rests = st.lists(st.sampled_from([0.0, 0.0, 3.0, 30.0, 90.0, np.inf]), min_size=5, max_size=5)
hurries = st.sampled_from([0.0, 0.02, 0.2, 0.5])


@given(some_links, rests, hurries)
def test_waiting_pays_exactly_where_a_look_at_every_link_says_so(
    links: list[tuple[int, float]], ready_at: list[float], hurry: float
) -> None:
    clocks = HostClocks()
    for host, moment in enumerate(ready_at):
        clocks.hold(HostId(host), now=host - 4.0)
        clocks.release(HostId(host), moment)
    frontier, model = BestFirstFrontier(clocks), NaiveFrontier(clocks)
    arriving = arrivals(range(len(links)), hosts=[host for host, _ in links], scores=[score for _, score in links])
    frontier.push(arriving)
    model.push(arriving)
    assert frontier.better_soon(1.0, Haste(hurry, 1.2)) == model.better_soon(1.0, Haste(hurry, 1.2))


@given(st.integers(0, 10**6), rests, hurries)
def test_waiting_does_not_depend_on_which_links_were_priced_last(
    seed: int, ready_at: list[float], hurry: float
) -> None:
    chance = np.random.default_rng(seed)
    clocks = HostClocks()
    for host, moment in enumerate(ready_at):
        clocks.release(HostId(host), moment)
    rows, hosts = chance.normal(size=(200, 3)).astype(np.float16), chance.integers(5, size=200).tolist()
    lazy, fresh = BestFirstFrontier(clocks, row_width=3), BestFirstFrontier(clocks, row_width=3)
    weights = chance.normal(size=(20, 3))
    lazy.push(arrivals(range(200), hosts=hosts, rows=rows))
    for each in weights:
        lazy.reprice(Linear(each))
    fresh.push(arrivals(range(200), hosts=hosts, rows=rows))
    fresh.reprice(Linear(weights[-1]))
    assert lazy.better_soon(1.0, Haste(hurry, 1.2)) == fresh.better_soon(1.0, Haste(hurry, 1.2))
