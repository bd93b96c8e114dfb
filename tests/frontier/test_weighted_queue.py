"""The weighted queue of WikiCrawler, against its document, its linear scan, and the frontier that crawls use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from frontier.linear_scan_queue import LinearScanQueue
from honeyguide.frontier import Arrivals, BestFirstFrontier, HostClocks, HostId, Taken, WeightedQueue
from honeyguide.model import LinkId

if TYPE_CHECKING:
    from collections.abc import Hashable

TOPIC_WEIGHTS = (0.0, 1.0, *(1 / (distance + 2) for distance in range(21)))

# Few items, so that many are added while they wait, and again after; few weights, so that ties are common.
items = st.one_of(st.integers(0, 12), st.sampled_from(["/wiki/Tennis", "", (1, "a"), None, frozenset({1})]))
weights = st.one_of(st.sampled_from(TOPIC_WEIGHTS), st.integers(-2, 2), st.floats(allow_nan=False))


def filled(*pairs: tuple[Hashable, float]) -> WeightedQueue[Hashable]:
    queue: WeightedQueue[Hashable] = WeightedQueue()
    for item, weight in pairs:
        assert queue.add(item, weight)
    return queue


def test_the_example_of_the_document() -> None:
    queue = filled((1, 5), (2, 3), (5, 7), (21, 5), (36, 4))
    assert queue.extract() == (5, 7)
    assert queue.extract() == (1, 5)
    assert not queue.add(21, 9)
    assert len(queue) == 3
    assert [queue.extract() for _ in range(3)] == [(21, 5), (36, 4), (2, 3)]


def test_an_item_that_was_extracted_may_be_added_again_and_then_has_its_new_weight_and_place() -> None:
    queue = filled(("a", 1), ("b", 1))
    assert queue.extract() == ("a", 1)
    assert queue.add("a", 1)
    assert not queue.add("a", 2)
    assert [queue.extract(), queue.extract()] == [("b", 1), ("a", 1)]


def test_the_weight_of_an_item_that_waits_does_not_change() -> None:
    queue = filled(("a", 1), ("b", 2))
    assert not queue.add("a", 99)
    assert queue.extract() == ("b", 2)
    assert queue.extract() == ("a", 1)


def test_an_empty_queue_has_nothing_to_extract_and_stays_usable() -> None:
    queue = filled()
    with pytest.raises(IndexError, match="empty"):
        queue.extract()
    queue.add("a", 0.0)
    assert queue.extract() == ("a", 0.0)


def test_a_weight_that_is_no_number_is_refused_and_nothing_is_added() -> None:
    queue = filled(("a", 1.0))
    with pytest.raises(ValueError, match="'b' is not a number"):
        queue.add("b", float("nan"))
    assert "b" not in queue
    assert queue.extract() == ("a", 1.0)
    assert len(queue) == 0


def test_infinite_and_negative_weights_have_their_places() -> None:
    queue = filled(("low", -float("inf")), ("minus", -1), ("zero", -0.0), ("also zero", 0), ("high", float("inf")))
    assert [queue.extract()[0] for _ in range(5)] == ["high", "zero", "also zero", "minus", "low"]


@given(st.lists(items, max_size=40), weights)
def test_with_all_weights_equal_it_is_first_in_first_out(added: list[Hashable], weight: float) -> None:
    queue: WeightedQueue[Hashable] = WeightedQueue()
    entered = [item for item in added if queue.add(item, weight)]
    assert entered == list(dict.fromkeys(added))
    assert [queue.extract()[0] for _ in range(len(queue))] == entered


class BothQueues(RuleBasedStateMachine):
    """The queue and the document's linear scan, told the same."""

    def __init__(self) -> None:
        super().__init__()
        self.queue: WeightedQueue[Hashable] = WeightedQueue()
        self.model = LinearScanQueue()

    @rule(item=items, weight=weights)
    def add(self, item: Hashable, weight: float) -> None:
        assert self.queue.add(item, weight) == self.model.add(item, weight)
        assert item in self.queue

    @precondition(lambda self: len(self.model) > 0)
    @rule(times=st.integers(1, 4))
    def extract(self, times: int) -> None:
        for _ in range(min(times, len(self.model))):
            extracted = self.queue.extract()
            assert extracted == self.model.extract()
            assert extracted[0] not in self.queue

    @invariant()
    def both_have_as_many_items(self) -> None:
        assert len(self.queue) == len(self.model)


TestBothQueuesAgree = BothQueues.TestCase
TestBothQueuesAgree.settings = settings(max_examples=150, stateful_step_count=60, deadline=None)


@given(
    st.lists(
        st.one_of(st.tuples(st.integers(0, 12), st.sampled_from(TOPIC_WEIGHTS)), st.none()),
        max_size=80,
    )
)
def test_the_frontier_of_a_crawl_gives_the_same_order(commands: list[tuple[int, float] | None]) -> None:
    """None extracts. The frontier is used as discovery does: a waiting link is let be, a new one gets a new number."""
    queue: WeightedQueue[int] = WeightedQueue()
    frontier = BestFirstFrontier(HostClocks())
    item_by_link: dict[LinkId, int] = {}
    link_by_waiting_item: dict[int, LinkId] = {}
    for command in commands:
        if command is not None:
            item, weight = command
            is_new = item not in link_by_waiting_item
            assert queue.add(item, weight) == is_new
            if is_new:
                link = LinkId(len(item_by_link))
                item_by_link[link] = item
                link_by_waiting_item[item] = link
                frontier.push(Arrivals([link], [HostId(0)], np.array([weight]), np.empty((1, 0), dtype=np.float16)))
        elif len(queue):
            taken = frontier.take(0.0)
            assert isinstance(taken, Taken)
            item = item_by_link[taken.link]
            assert (item, taken.score) == queue.extract()
            del link_by_waiting_item[item]
    assert len(queue) == len(frontier)
