"""What every frontier guarantees, whatever its order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest

from frontier.host_clocks import HostClocks
from frontier.naive_frontier import LargestNumber, NaiveFrontier, arrivals
from honeyguide.frontier import (
    BeamFrontier,
    BestFirstFrontier,
    ByDepthFrontier,
    Frontier,
    LevelledBeam,
    LevelledFrontier,
    LevelledRows,
    NotBefore,
    SharedRowsFrontier,
    Taken,
)
from honeyguide.model import HostId, LinkId

MakeFrontier = Callable[[HostClocks], Frontier]

MAKERS: dict[str, MakeFrontier] = {
    "best first": BestFirstFrontier,
    "a beam wider than what waits": lambda clocks: BeamFrontier(clocks, capacity=10_000),
    "by depth": ByDepthFrontier,
    "shared rows": SharedRowsFrontier,
    "shared rows, drawn by row": lambda clocks: SharedRowsFrontier(clocks, draws_rows=True),
    "best first on levels": lambda clocks: LevelledFrontier(lambda: BestFirstFrontier(clocks)),
    "by depth on levels": lambda clocks: LevelledFrontier(lambda: ByDepthFrontier(clocks)),
    "a wide beam on levels": lambda clocks: LevelledBeam(lambda: BeamFrontier(clocks, 10_000), 10_000),
    "shared rows on levels": lambda clocks: LevelledRows(lambda: SharedRowsFrontier(clocks)),
    "rows drawn, on levels": lambda clocks: LevelledRows(lambda: SharedRowsFrontier(clocks, draws_rows=True)),
    "the model the others are compared with": NaiveFrontier,
}
DRAWS = 800
ODDS = {19: 43.8}  # chi-square that is exceeded once in a thousand times, by degrees of freedom


@pytest.fixture
def clocks() -> HostClocks:
    return HostClocks()


@pytest.fixture(params=list(MAKERS.values()), ids=list(MAKERS))
def make(request: pytest.FixtureRequest) -> MakeFrontier:
    made: MakeFrontier = request.param
    return made


@pytest.fixture
def frontier(make: MakeFrontier, clocks: HostClocks) -> Frontier:
    return make(clocks)


def drained(frontier: Frontier, now: float = 0.0) -> list[int]:
    links: list[int] = []
    while isinstance(taken := frontier.take(now), Taken):
        links.append(taken.link)
    return links


def test_an_empty_frontier_has_nothing_to_give(frontier: Frontier) -> None:
    assert frontier.take(0.0) is None
    assert frontier.take_random(0.0, np.random.default_rng(1)) is None
    assert len(frontier) == 0
    assert LinkId(0) not in frontier


def test_pushing_no_links_changes_nothing(frontier: Frontier) -> None:
    frontier.push(arrivals([]))
    frontier.rescore([], np.empty(0))
    frontier.replace([], np.empty(0), np.empty((0, 0), dtype=np.float16))
    frontier.reprice(LargestNumber(1.0))
    assert frontier.take(0.0) is None


def test_every_link_comes_out_once(frontier: Frontier) -> None:
    chance = np.random.default_rng(2)
    for start in range(0, 1200, 60):
        hosts, scores = chance.integers(7, size=60).tolist(), chance.integers(20, size=60)
        frontier.push(arrivals(range(start, start + 60), hosts=hosts, scores=scores.astype(float)))
    taken = drained(frontier)
    assert sorted(taken) == list(range(1200))
    assert frontier.take(0.0) is None


def test_a_link_pushed_again_after_it_left_comes_out_again(frontier: Frontier) -> None:
    frontier.push(arrivals([0, 1]))
    drained(frontier)
    frontier.push(arrivals([1]))
    assert drained(frontier) == [1]


@pytest.mark.parametrize("name", [name for name, maker in MAKERS.items() if maker is not NaiveFrontier])
def test_a_score_that_is_not_a_number_is_refused(name: str, clocks: HostClocks) -> None:
    frontier = MAKERS[name](clocks)
    frontier.push(arrivals([4]))
    with pytest.raises(ValueError, match="score of link 6 is not a number"):
        frontier.push(arrivals([5, 6], scores=[1.0, np.nan]))


def test_without_a_limit_there_is_room_for_everything(frontier: Frontier) -> None:
    frontier.push(arrivals(range(9)))
    assert frontier.would_keep(np.array([-1e9, 0.0, 1e9])).tolist() == [True, True, True]
    assert frontier.would_keep(np.empty(0)).shape == (0,)


def test_length_and_membership_follow_pushes_and_takes(frontier: Frontier) -> None:
    frontier.push(arrivals(range(20), hosts=[number % 3 for number in range(20)]))
    first = frontier.take(0.0)
    assert isinstance(first, Taken)
    second = frontier.take_random(0.0, np.random.default_rng(3))
    assert isinstance(second, Taken)
    frontier.withdraw(next(LinkId(link) for link in range(20) if link not in (first.link, second.link)))
    assert len(frontier) == 17
    assert first.link not in frontier
    assert second.link not in frontier
    assert sum(LinkId(link) in frontier for link in range(20)) == 17


@pytest.mark.parametrize("stranger", [-1, 5, 10**9])
def test_a_link_that_never_waited_is_not_in_the_frontier(frontier: Frontier, stranger: int) -> None:
    frontier.push(arrivals(range(5)))
    assert LinkId(stranger) not in frontier
    with pytest.raises(KeyError, match=str(stranger)):
        frontier.withdraw(LinkId(stranger))
    with pytest.raises(KeyError, match=str(stranger)):
        frontier.peek([LinkId(0), LinkId(stranger)])


def test_a_link_that_left_cannot_be_withdrawn(frontier: Frontier) -> None:
    frontier.push(arrivals([0]))
    frontier.withdraw(LinkId(0))
    with pytest.raises(KeyError):
        frontier.withdraw(LinkId(0))


def test_withdrawing_gives_this_very_link_and_its_host(frontier: Frontier) -> None:
    frontier.push(arrivals([0, 1, 2], hosts=[0, 4, 0]))
    taken = frontier.withdraw(LinkId(1))
    assert (taken.link, taken.host) == (1, 4)
    assert sorted(drained(frontier)) == [0, 2]


def test_withdrawing_does_not_ask_whether_the_host_is_ready(frontier: Frontier, clocks: HostClocks) -> None:
    frontier.push(arrivals([0]))
    clocks.hold(HostId(0))
    assert frontier.withdraw(LinkId(0)).link == 0


def test_only_ready_hosts_are_asked(frontier: Frontier, clocks: HostClocks) -> None:
    frontier.push(arrivals(range(30), hosts=[number % 3 for number in range(30)]))
    clocks.hold(HostId(0))
    clocks.release(HostId(2), 5.0)
    chance = np.random.default_rng(4)
    for draw in range(10):
        taken = frontier.take(4.9) if draw % 2 else frontier.take_random(4.9, chance)
        assert isinstance(taken, Taken)
        assert taken.host == 1
    assert isinstance(frontier.take(4.9), NotBefore)
    assert sorted(drained(frontier, now=5.0)) == list(range(2, 30, 3))


def test_when_no_host_is_ready_the_answer_is_the_earliest_moment_one_is(frontier: Frontier, clocks: HostClocks) -> None:
    frontier.push(arrivals([0, 1, 2], hosts=[0, 1, 2]))
    clocks.hold(HostId(0))
    clocks.release(HostId(1), 9.0)
    clocks.release(HostId(2), 7.0)
    clocks.release(HostId(3), 1.0)  # nothing waits there
    assert frontier.take(2.0) == NotBefore(7.0)
    assert frontier.take_random(2.0, np.random.default_rng(5)) == NotBefore(7.0)


def test_while_all_hosts_are_busy_the_moment_is_never(frontier: Frontier, clocks: HostClocks) -> None:
    frontier.push(arrivals([0, 1], hosts=[0, 1]))
    clocks.hold(HostId(0))
    clocks.hold(HostId(1))
    assert frontier.take(1e9) == NotBefore(float("inf"))
    assert frontier.take_random(1e9, np.random.default_rng(6)) == NotBefore(float("inf"))


def test_a_released_host_is_asked_again(frontier: Frontier, clocks: HostClocks) -> None:
    frontier.push(arrivals([0]))
    clocks.hold(HostId(0))
    clocks.release(HostId(0), 3.0)
    assert frontier.take(2.999) == NotBefore(3.0)
    assert isinstance(frontier.take(3.0), Taken)


def test_a_random_draw_is_uniform_over_the_links_on_ready_hosts(make: MakeFrontier) -> None:
    chance = np.random.default_rng(7)
    drawn: Counter[int] = Counter()
    # Hosts of 3, 17 and 30 links, ten of the latter gone, and a busy one: 20 links to draw from on very unequal hosts.
    hosts = [0] * 3 + [1] * 17 + [2] * 10 + [3] * 30
    # Of frontiers that hold links back, these are of one level.
    scores = np.linspace(0.1, 1, 60)
    for _ in range(DRAWS):
        clocks = HostClocks()
        frontier = make(clocks)
        frontier.push(arrivals(range(60), hosts=hosts, scores=scores))
        for gone in range(20, 30):
            frontier.withdraw(LinkId(gone))
        clocks.hold(HostId(3))
        taken = frontier.take_random(0.0, chance)
        assert isinstance(taken, Taken)
        drawn[taken.link] += 1
    assert set(drawn) == set(range(20))
    expected = DRAWS / 20
    assert sum((count - expected) ** 2 / expected for count in drawn.values()) < ODDS[19]


def test_what_waits_can_be_peeked_at_without_taking_it(frontier: Frontier) -> None:
    frontier.push(arrivals(range(5)))
    scores, rows = frontier.peek([LinkId(3), LinkId(1)])
    assert len(scores) == len(rows) == 2
    assert len(frontier) == 5


def test_among_equals_the_lowest_number_comes_first_even_if_it_came_back_later(frontier: Frontier) -> None:
    frontier.push(arrivals([3, 5, 8]))
    frontier.withdraw(LinkId(3))
    frontier.push(arrivals([9]))
    frontier.push(arrivals([3]))
    assert drained(frontier) == [3, 5, 8, 9]
