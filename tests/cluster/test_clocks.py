"""Machines whose clocks do not agree know when the hosts of others are ready."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.cluster import Orders, ShardReport
from honeyguide.cluster.actors import HubTime
from honeyguide.frontier import Resting, Standing
from honeyguide.frontier.frontier import Ready
from honeyguide.runs import Progress

WAYS = st.tuples(st.floats(0.001, 3.0), st.floats(0.001, 3.0))


def hub_time(ahead_s: float, ways: list[tuple[float, float]], drift_s: float = 0.0) -> HubTime:
    """After reports that took so long to the hub, whose clock is ahead and drifts with each, and back."""
    known = HubTime()
    for number, (there_s, back_s) in enumerate(ways):
        sent_at = 1000.0 + 10 * number
        hub_at = sent_at + there_s + ahead_s + number * drift_s
        known.note(sent_at, hub_at, sent_at + there_s + back_s)
    return known


@given(st.floats(-1e4, 1e4), st.lists(WAYS, min_size=1, max_size=8))
def test_the_clock_of_the_hub_is_known_to_half_of_the_shortest_way(
    ahead_s: float, ways: list[tuple[float, float]]
) -> None:
    shortest_s = min(map(sum, ways)) * 1.01 ** len(ways)
    assert abs(hub_time(ahead_s, ways).ahead_s - ahead_s) <= shortest_s / 2 + 1e-6


def test_a_clock_that_drifts_is_followed() -> None:
    known = hub_time(0.0, [(0.001, 0.001), *[(0.1, 0.1)] * 1000], drift_s=0.01)
    assert abs(known.ahead_s - 10.0) < 0.2


def test_a_moment_that_one_machine_tells_the_other_hears_by_its_own_clock() -> None:
    fast, slow = hub_time(-30.0, [(0.1, 0.1)]), hub_time(50.0, [(0.2, 0.2)])
    standing = Standing(Ready(0.1, 3), (Resting(0.9, 1012.0),))
    told = fast.told(ShardReport(0, Progress(steps=1), 1, 0, (), standing=standing)).standing
    assert told is not None
    heard = slow.heard(Orders(1, 1, resting=told.resting))
    assert [round(each.moment, 6) for each in heard.resting] == [1012.0 - 30.0 - 50.0]


def test_no_moment_is_told_before_the_clock_of_the_hub_is_known() -> None:
    standing = Standing(Ready(0.1, 3), (Resting(0.9, 1012.0),))
    told = HubTime().told(ShardReport(0, Progress(steps=1), 1, 0, (), standing=standing)).standing
    assert told == Standing(Ready(0.1, 3), ())
