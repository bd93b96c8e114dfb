"""When hosts may be asked again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.frontier import HostClocks, HostId, further_pause_s, longest_pause_s, next_request_at
from honeyguide.settings import PolitenessSettings

seconds = st.floats(0, 1e6)


@pytest.mark.parametrize(
    ("asked_s", "pause_s"),
    [(0.0, 2.0), (1.0, 2.0), (5.0, 5.0), (60.0, 30.0), (float("inf"), 30.0)],
    ids=["nothing asked", "less than ours", "more than ours", "more than we grant", "for ever"],
)
def test_the_pause_is_ours_or_what_the_host_asks_for_up_to_a_limit(asked_s: float, pause_s: float) -> None:
    politeness = PolitenessSettings(delay_s=2.0, max_delay_s=30.0)
    assert next_request_at(100.0, asked_s, politeness) == 100.0 + pause_s


def test_our_own_pause_is_kept_even_beyond_what_a_host_may_ask_for() -> None:
    assert next_request_at(0.0, 50.0, PolitenessSettings(delay_s=40.0, max_delay_s=30.0)) == 40.0


@given(finished_at=seconds, asked_s=seconds, delay_s=seconds, max_delay_s=seconds)
def test_the_pause_is_never_shorter_than_ours(
    finished_at: float, asked_s: float, delay_s: float, max_delay_s: float
) -> None:
    politeness = PolitenessSettings(delay_s=delay_s, max_delay_s=max_delay_s)
    moment = next_request_at(finished_at, asked_s, politeness)
    assert finished_at + delay_s <= moment <= finished_at + max(delay_s, max_delay_s)


def test_a_longer_pause_follows_every_so_many_fetches_and_no_other() -> None:
    politeness = PolitenessSettings(pause_every=10)
    chance = np.random.default_rng(1)
    pauses = {fetches: further_pause_s(fetches, politeness, chance) for fetches in range(1, 10_001)}
    long = [pause_s for fetches, pause_s in pauses.items() if fetches % 10 == 0]
    assert all(pause_s == 0 for fetches, pause_s in pauses.items() if fetches % 10)
    assert min(long) >= 1.0
    assert max(long) <= 2.2
    assert np.mean(long) == pytest.approx(1.6, abs=0.03)
    assert np.std(long) == pytest.approx(1.2 / 12**0.5, abs=0.02), "every length between the two is equally likely"


def test_where_no_longer_pause_is_wanted_nothing_is_drawn() -> None:
    chance = np.random.default_rng(1)
    before = chance.bit_generator.state
    assert all(further_pause_s(fetches, PolitenessSettings(), chance) == 0 for fetches in range(100))
    assert further_pause_s(9, PolitenessSettings(pause_every=10), chance) == 0
    assert chance.bit_generator.state == before


@given(finished_at=st.floats(0, 1e3), asked_s=seconds, fetches=st.integers(1, 30), pause_every=st.integers(0, 3))
def test_no_pause_is_longer_than_the_longest(
    finished_at: float, asked_s: float, fetches: int, pause_every: int
) -> None:
    politeness = PolitenessSettings(delay_s=0.5, max_delay_s=4.0, pause_every=pause_every)
    further_s = further_pause_s(fetches, politeness, np.random.default_rng(fetches))
    pause_s = next_request_at(finished_at, asked_s, politeness) + further_s - finished_at
    assert pause_s <= longest_pause_s(politeness) + 1e-9
    assert longest_pause_s(politeness) == (4.0 if pause_every == 0 else 6.2)


def test_a_host_never_asked_is_ready_at_any_time() -> None:
    clocks = HostClocks()
    assert clocks.is_ready(HostId(5), -10.0)
    assert clocks.is_ready(HostId(5000), -10.0)
    assert clocks.are_all_ready(-10.0)
    assert (clocks.ready_at(3) <= -10.0).all()
    assert clocks.is_ready(HostId(2), -10.0)


def test_a_host_is_busy_from_hold_to_release() -> None:
    clocks = HostClocks()
    clocks.hold(HostId(1))
    assert not clocks.is_ready(HostId(1), 1e12)
    assert clocks.is_ready(HostId(0), 0.0)
    assert not clocks.are_all_ready(1e12)
    assert clocks.ready_at(2)[1] == np.inf
    clocks.release(HostId(1), 4.0)
    assert not clocks.is_ready(HostId(1), 3.9)
    assert clocks.is_ready(HostId(1), 4.0)
    assert clocks.are_all_ready(4.0)


def test_a_host_is_not_asked_twice_at_once() -> None:
    clocks = HostClocks()
    clocks.hold(HostId(0))
    with pytest.raises(AssertionError, match="asked twice"):
        clocks.hold(HostId(0))


def test_a_ready_time_from_an_earlier_session_needs_no_hold() -> None:
    clocks = HostClocks()
    clocks.release(HostId(200), 7.0)
    assert not clocks.is_ready(HostId(200), 6.0)
    assert clocks.are_all_ready(7.0)


@given(st.lists(st.tuples(st.integers(0, 200), st.floats(0, 100)), max_size=40), st.floats(0, 100))
def test_all_are_called_ready_only_when_each_is(steps: list[tuple[int, float]], now: float) -> None:
    clocks = HostClocks()
    held: set[int] = set()
    ready_at: dict[int, float] = {}
    for host, moment in steps:
        if host in held:
            clocks.release(HostId(host), moment)
            held.discard(host)
            ready_at[host] = moment
        else:
            clocks.hold(HostId(host))
            held.add(host)
    is_ready = [host not in held and ready_at.get(host, 0.0) <= now for host in range(201)]
    assert [clocks.is_ready(HostId(host), now) for host in range(201)] == is_ready
    assert (clocks.ready_at(201) <= now).tolist() == is_ready
    assert not clocks.are_all_ready(now) or all(is_ready)


class TestAddresses:
    def test_hosts_at_one_address_are_busy_together_and_rest_together(self) -> None:
        clocks = HostClocks()
        clocks.place(HostId(0), "192.0.2.1")
        clocks.place(HostId(1), "192.0.2.1")
        clocks.hold(HostId(0))
        assert not clocks.is_ready(HostId(1), 1e9)
        assert clocks.is_ready(HostId(2), 0.0)
        clocks.release(HostId(0), ready_at=9.0, address_ready_at=4.0)
        assert clocks.ready_at(3).tolist() == [9.0, 4.0, float("-inf")]

    def test_what_one_host_asks_for_is_not_asked_of_the_others(self) -> None:
        clocks = HostClocks()
        for host in (0, 1):
            clocks.place(HostId(host), "192.0.2.1")
        clocks.release(HostId(0), ready_at=500.0, address_ready_at=1.0)
        assert clocks.ready_at(2).tolist() == [500.0, 1.0]

    def test_a_host_that_moves_leaves_its_old_companions_alone(self) -> None:
        clocks = HostClocks()
        for host in (0, 1):
            clocks.place(HostId(host), "192.0.2.1")
        clocks.hold(HostId(0))
        assert clocks.place(HostId(0), "192.0.2.2")
        assert clocks.is_ready(HostId(1), 0.0)
        clocks.release(HostId(0), ready_at=3.0, address_ready_at=3.0)
        assert clocks.ready_at(2).tolist() == [3.0, float("-inf")]
        assert not clocks.place(HostId(0), "192.0.2.2"), "that was known"

    @given(
        st.lists(
            st.tuples(st.sampled_from(["ask", "place"]), st.integers(0, 4), st.integers(0, 2), st.integers(0, 9)),
            max_size=60,
        )
    )
    def test_a_host_is_ready_when_it_and_its_address_are(self, steps: list[tuple[str, int, int, int]]) -> None:
        clocks = HostClocks()
        own: dict[int, float] = {}
        address_of: dict[int, int] = {}
        address_ready: dict[int, float] = {}
        held: set[int] = set()
        for what, host, address, moment in steps:
            if what == "place":
                clocks.place(HostId(host), f"192.0.2.{address}")
                address_of[host] = address
            elif host in held:
                clocks.release(HostId(host), moment + 1.0, float(moment))
                held.remove(host)
                own[host] = moment + 1.0
                if host in address_of:
                    at = address_of[host]
                    address_ready[at] = max(address_ready.get(at, -np.inf), float(moment))
            else:
                clocks.hold(HostId(host))
                held.add(host)
            for each in range(5):
                at = address_of.get(each, -1)
                is_busy = each in held or any(address_of.get(other) == at for other in held if at >= 0)
                expected = np.inf if is_busy else max(own.get(each, -np.inf), address_ready.get(at, -np.inf))
                assert clocks.ready_at(5)[each] == expected
            ready = clocks.ready_at(5)
            assert all(not clocks.are_all_ready(now) or (ready <= now).all() for now in range(11))
