"""A demoted link waits behind the others, whatever the scores say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.host_clocks import HostClocks
from frontier.naive_frontier import Linear
from honeyguide.frontier import (
    Arrivals,
    BeamFrontier,
    BestFirstFrontier,
    ByDepthFrontier,
    LevelledBeam,
    LevelledFrontier,
    LevelledRows,
    NotBefore,
    Patience,
    SharedRowsFrontier,
    Taken,
)
from honeyguide.frontier.levels import NO_PATIENCE
from honeyguide.model import HostId, LinkId

if TYPE_CHECKING:
    from typing import Any

KINDS = ("best first", "by depth", "beam", "shared rows")


def made(kind: str, clocks: HostClocks, patience: Patience = NO_PATIENCE, width: int = 1) -> LevelledFrontier[Any]:
    match kind:
        case "best first":
            return LevelledFrontier(lambda: BestFirstFrontier(clocks, width), patience)
        case "by depth":
            return LevelledFrontier(lambda: ByDepthFrontier(clocks, width), patience)
        case "beam":
            return LevelledBeam(lambda: BeamFrontier(clocks, 100, width), 100, patience)
        case _:
            return LevelledRows(lambda: SharedRowsFrontier(clocks, width), patience)


def on_levels(scores: list[float], levels: list[int], hosts: list[int] | None = None) -> Arrivals:
    links = [LinkId(number) for number in range(len(scores))]
    rows = np.arange(len(scores), dtype=np.float16)[:, None]
    at = [HostId(host) for host in hosts or [0] * len(scores)]
    return Arrivals(links, at, np.array(scores), rows, np.array(levels, dtype=np.uint8))


def drained(frontier: LevelledFrontier[Any], now: float = 0.0) -> list[int]:
    links = []
    while isinstance(taken := frontier.take(now), Taken):
        links.append(int(taken.link))
    return links


@pytest.mark.parametrize("kind", KINDS)
@given(
    waiting=st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 7)), min_size=1, max_size=30),
    weight=st.one_of(st.none(), st.floats(-5, 5)),
)
def test_no_link_comes_out_before_a_less_demoted_one_on_a_ready_host(
    kind: str, waiting: list[tuple[float, int]], weight: float | None
) -> None:
    frontier = made(kind, HostClocks())
    frontier.push(on_levels([score for score, _ in waiting], [level for _, level in waiting]))
    if weight is not None:
        frontier.reprice(Linear(np.array([weight])))
    levels = [waiting[link][1] for link in drained(frontier)]
    assert levels == sorted(levels)
    assert len(levels) == len(waiting)


@pytest.mark.parametrize("kind", ["best first", "by depth", "beam"])
def test_infinite_scores_do_not_jump_levels(kind: str) -> None:
    frontier = made(kind, HostClocks())
    frontier.push(on_levels([np.inf, -np.inf, 5.0], [1, 0, 7]))
    assert drained(frontier) == [1, 0, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_moved_link_keeps_score_and_row_and_gets_the_place_it_would_have_had(kind: str) -> None:
    clocks = HostClocks()
    moved, pushed = made(kind, clocks), made(kind, clocks)
    moved.push(on_levels([0.5, 0.5, 0.5, 0.25], [0, 3, 3, 3]))
    moved.move([LinkId(0)], [3])
    pushed.push(on_levels([0.5, 0.5, 0.5, 0.25], [3, 3, 3, 3]))
    links = [LinkId(number) for number in range(4)]
    assert moved.peek(links)[0].tolist() == pushed.peek(links)[0].tolist()
    assert moved.peek(links)[1].tolist() == pushed.peek(links)[1].tolist()
    assert drained(moved) == drained(pushed) == [0, 1, 2, 3]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("rests_s", "is_waited_for"), [(2.0, True), (2.1, False)])
def test_a_less_demoted_link_is_waited_for_with_patience(kind: str, rests_s: float, is_waited_for: bool) -> None:
    clocks = HostClocks()
    frontier = made(kind, clocks, Patience(2.0))
    frontier.push(on_levels([0.1, 0.9], [0, 1], hosts=[0, 1]))
    clocks.release(HostId(0), rests_s)
    taken = frontier.take(0.0)
    if is_waited_for:
        assert taken == NotBefore(rests_s)
        assert drained(frontier, rests_s) == [0, 1]
    else:
        assert isinstance(taken, Taken)
        assert (taken.link, taken.level) == (1, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_of_a_host_that_is_being_asked_is_waited_for(kind: str) -> None:
    clocks = HostClocks()
    frontier = made(kind, clocks, Patience(2.0))
    frontier.push(on_levels([0.1, 0.1, 0.9], [0, 0, 1], hosts=[0, 1, 2]))
    clocks.hold(HostId(0))
    clocks.release(HostId(1), 50.0)
    assert frontier.take(0.0) == NotBefore(50.0)
    assert frontier.take_random(0.0, np.random.default_rng(1)) == NotBefore(50.0)
    clocks.release(HostId(0), 3.0)
    taken = frontier.take(0.0)
    assert isinstance(taken, Taken)
    assert taken.link == 2


@pytest.mark.parametrize("kind", KINDS)
def test_only_from_its_level_on_patience_is_needed(kind: str) -> None:
    clocks = HostClocks()
    frontier = made(kind, clocks, Patience(5.0, level=3))
    frontier.push(on_levels([0.1, 0.1, 0.1, 0.9], [0, 2, 3, 2], hosts=[0, 1, 2, 1]))
    clocks.release(HostId(0), 1.0)
    clocks.release(HostId(1), 0.5)
    assert frontier.take(0.0) == NotBefore(0.5)  # the link at level 3 has a host that is ready
    taken = frontier.take(0.5)
    assert isinstance(taken, Taken)
    assert taken.level == 2


def test_a_beam_prunes_the_most_demoted_first() -> None:
    clocks = HostClocks()
    frontier = LevelledBeam(lambda: BeamFrontier(clocks, 3, 1), 3)
    assert list(frontier.push(on_levels([9.0, 8.0, 1.0, -5.0], [2, 1, 0, 0]))) == [0]
    assert frontier.would_keep(np.array([-9.0, 99.0, -9.0]), np.array([0, 7, 1], dtype=np.uint8)).tolist() == [
        True,
        False,
        False,
    ]
    assert drained(frontier) == [2, 3, 1]


def test_a_row_has_one_score_on_all_levels() -> None:
    frontier = LevelledRows(lambda: SharedRowsFrontier(HostClocks(), 1))
    row = np.ones((1, 1), dtype=np.float16)
    for link, level, score in ((0, 0, 0.5), (1, 4, 0.5), (2, 0, 0.75)):
        levels = np.array([level], dtype=np.uint8)
        frontier.push(Arrivals([LinkId(link)], [HostId(0)], np.array([score]), row, levels))
    assert frontier.peek([LinkId(0), LinkId(1), LinkId(2)])[0].tolist() == [0.75, 0.75, 0.75]


def test_a_link_gets_further_rows_where_it_waits_and_is_moved_with_all_of_them() -> None:
    frontier = LevelledRows(lambda: SharedRowsFrontier(HostClocks(), 1))
    for row, level in ((1.0, 3), (2.0, 0), (3.0, 5)):
        rows, levels = np.full((1, 1), row, dtype=np.float16), np.array([level], dtype=np.uint8)
        frontier.push(Arrivals([LinkId(0)], [HostId(0)], np.array([row]), rows, levels))
    assert len(frontier) == 1
    assert frontier.levels([LinkId(0)]).tolist() == [3]
    frontier.move([LinkId(0)], [6])
    assert frontier.rows_of(LinkId(0)).tolist() == [[1.0], [2.0], [3.0]]
    assert frontier.levels([LinkId(0)]).tolist() == [6]
    assert drained(frontier) == [0]
    assert frontier.behind().tolist() == []
