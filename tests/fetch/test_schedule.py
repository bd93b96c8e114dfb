"""When hosts may be asked again: never early, whatever was answered, failed or asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from honeyguide.fetch.schedule import HostSchedule, backoff_s, further_pause_s, longest_pause_s
from honeyguide.model import Answer, Failed, FailureReason, Fetched, HostId, HostRest, RefusalReason, Refused, Url
from honeyguide.settings import FetchSettings, PolitenessSettings

POLITENESS = PolitenessSettings(delay_s=1.0, max_delay_s=20.0, delay_factor=2.0)
FETCH = FetchSettings(backoff_s=10.0, max_retry_after_s=30.0)
PAGE = Fetched(200, "text/html", b"x")
BUSY = Failed(FailureReason.HTTP_STATUS, "503", 503)
CLOSED = Refused(RefusalReason.ROBOTS, "disallowed")
HOSTS = ["a.test", "b.test", "c.test"]
NEVER = float("-inf")
seconds = st.floats(0, 1e6)
hosts = st.integers(0, len(HOSTS) - 1)
addresses = st.sampled_from(["192.0.2.1", "192.0.2.2"])
durations = st.floats(0.0, 40.0)
asked = st.sampled_from([0.0, 5.0, 300.0])


def made(politeness: PolitenessSettings = POLITENESS, *, is_live: bool = True) -> HostSchedule:
    schedule = HostSchedule(politeness, FETCH, is_live=is_live)
    for number, name in enumerate(HOSTS):
        schedule.number(HostId(number), name)
    return schedule


@pytest.mark.parametrize(
    ("asked_s", "pause_s"),
    [(0.0, 2.0), (1.0, 2.0), (5.0, 5.0), (60.0, 30.0), (float("inf"), 30.0)],
    ids=["nothing asked", "less than ours", "more than ours", "more than we grant", "for ever"],
)
@pytest.mark.parametrize("is_live", [True, False])
def test_the_pause_is_ours_or_what_the_host_asks_for_up_to_a_limit(
    asked_s: float, pause_s: float, is_live: bool
) -> None:
    schedule = made(PolitenessSettings(delay_s=2.0, max_delay_s=30.0), is_live=is_live)
    schedule.note_answer("a.test", (), Answer(PAGE, 0.0, host_delay_s=asked_s), 100.0)
    assert schedule.ready_at(2).tolist() == [100.0 + pause_s, float("-inf")]


@given(ended_at=seconds, asked_s=seconds, response_s=seconds, delay_s=seconds, max_delay_s=seconds)
def test_the_pause_is_never_shorter_than_ours_nor_longer_than_granted(
    ended_at: float, asked_s: float, response_s: float, delay_s: float, max_delay_s: float
) -> None:
    schedule = made(PolitenessSettings(delay_s=delay_s, max_delay_s=max_delay_s))
    schedule.note_request("a.test", (), ended_at, response_s, asked_s)
    assert ended_at + delay_s <= schedule.host_ready_at("a.test") <= ended_at + max(delay_s, max_delay_s)


def test_offline_neither_slowness_nor_trouble_counts() -> None:
    schedule = made(is_live=False)
    schedule.note_answer("a.test", (), Answer(BUSY, 9.0, retry_after_s=500.0), 100.0)
    schedule.note_answer("b.test", (), Answer(CLOSED, 9.0), 100.0)
    assert schedule.ready_at(2).tolist() == [101.0, 101.0]


def test_a_longer_pause_follows_every_so_many_fetches_and_no_other() -> None:
    politeness = PolitenessSettings(pause_every=10)
    chance = np.random.default_rng(1)
    pauses = {fetches: further_pause_s(fetches, politeness, chance) for fetches in range(1, 10_001)}
    long = [pause_s for fetches, pause_s in pauses.items() if fetches % 10 == 0]
    assert all(pause_s == 0 for fetches, pause_s in pauses.items() if fetches % 10)
    assert 1.0 <= min(long) <= max(long) <= 2.2
    assert np.mean(long) == pytest.approx(1.6, abs=0.03)
    assert np.std(long) == pytest.approx(1.2 / 12**0.5, abs=0.02), "every length between the two is equally likely"
    assert (longest_pause_s(PolitenessSettings()), longest_pause_s(politeness)) == (60.0, 62.2)


def test_where_no_longer_pause_is_wanted_nothing_is_drawn() -> None:
    chance = np.random.default_rng(1)
    before = chance.bit_generator.state
    assert all(further_pause_s(fetches, PolitenessSettings(), chance) == 0 for fetches in range(100))
    assert further_pause_s(9, PolitenessSettings(pause_every=10), chance) == 0
    assert chance.bit_generator.state == before


@given(st.integers(1, 10_000), st.floats(0, 1e4), st.floats(0, 1e5), st.floats(0, 1))
def test_the_backoff_doubles_up_to_a_limit(troubles: int, first_s: float, most_s: float, fraction: float) -> None:
    fetch = FetchSettings(backoff_s=first_s, max_retry_after_s=most_s)
    longest_s = min(first_s * 2.0 ** min(troubles - 1, 60), most_s)
    assert longest_s / 2 <= backoff_s(fetch, troubles, fraction) <= longest_s


def test_hosts_that_fail_together_are_not_asked_again_together() -> None:
    schedules = [HostSchedule(POLITENESS, FETCH, seed=seed) for seed in (1, 1, 2)]
    for schedule in schedules:
        for name in HOSTS:
            schedule.note_answer(name, (), Answer(BUSY, 0.0), 0.0)
    rests = [[schedule.host_ready_at(name) for name in HOSTS] for schedule in schedules]
    assert len(set(rests[0])) == 3
    assert rests[0] == rests[1] != rests[2], "the jitter is part of the seed"


def test_a_host_never_asked_is_ready_at_any_time() -> None:
    schedule = made()
    assert schedule.is_ready(HostId(5000), -10.0)
    assert schedule.are_all_ready(-10.0)
    assert (schedule.ready_at(300) <= -10.0).all()
    assert schedule.host_ready_at("x.test") == schedule.address_ready_at("192.0.2.1") == float("-inf")


def test_a_host_is_busy_from_hold_to_release_and_never_asked_twice_at_once() -> None:
    schedule = made()
    schedule.hold(HostId(1), "b.test", 0.0)
    assert not schedule.is_ready(HostId(1), 1e12)
    assert schedule.is_ready(HostId(0), 0.0)
    assert not schedule.are_all_ready(1e12)
    with pytest.raises(AssertionError, match="asked twice"):
        schedule.hold(HostId(1), "b.test", 0.0)
    schedule.rest("b.test", 4.0)
    assert not schedule.is_ready(HostId(1), 1e12), "still held"
    schedule.release("b.test")
    assert schedule.ready_at(2)[1] == 4.0
    assert [schedule.are_all_ready(now) for now in (3.9, 4.0)] == [False, True]


def test_hosts_at_one_address_are_busy_together_and_rest_together_but_do_not_share_what_one_asks_for() -> None:
    schedule = made()
    for name in HOSTS[:2]:
        schedule.place(name, "192.0.2.1")
    schedule.hold(HostId(0), "a.test", 0.0)
    assert schedule.ready_at(3).tolist() == [float("inf"), float("inf"), float("-inf")]
    schedule.note_answer("a.test", ["192.0.2.1"], Answer(PAGE, 2.0, 9.0, address="192.0.2.1"), 100.0)
    schedule.release("a.test")
    assert schedule.ready_at(3).tolist() == [109.0, 104.0, float("-inf")]


def test_a_host_told_to_rest_while_its_address_is_busy_is_not_ready_when_the_address_is() -> None:
    schedule = made()
    for name in HOSTS[:2]:
        schedule.place(name, "192.0.2.1")
    schedule.hold(HostId(0), "a.test", 0.0)
    schedule.rest("b.test", 1000.0)
    schedule.note_request("a.test", ["192.0.2.1"], 10.0, 0.1)
    schedule.release("a.test")
    assert schedule.ready_at(2)[1] == 1000.0
    assert [schedule.are_all_ready(now) for now in (20.0, 1000.0)] == [False, True]


def test_a_host_that_moves_leaves_its_old_companions_alone() -> None:
    schedule = made()
    for name in HOSTS[:2]:
        schedule.place(name, "192.0.2.1")
    schedule.hold(HostId(0), "a.test", 0.0)
    schedule.place("a.test", "192.0.2.2")
    assert schedule.is_ready(HostId(1), 0.0)
    schedule.place("b.test", "192.0.2.2")
    assert schedule.is_ready(HostId(1), 0.0), "the one that has moved may have to rest before its page"
    schedule.release("a.test")
    schedule.hold(HostId(0), "a.test", 0.0)
    assert not schedule.is_ready(HostId(1), 0.0)


def test_what_is_saved_is_restored() -> None:
    before = made()
    before.note_answer("a.test", ["192.0.2.1"], Answer(BUSY, 3.0, address="192.0.2.1", retry_after_s=25.0), 100.0)
    saved = before.saved("a.test", 7.0)
    assert saved == HostRest("a.test", 125.0, 7.0, "192.0.2.1", 106.0, 1)
    after = made()
    after.restore(saved)
    after.place("b.test", "192.0.2.1")
    assert after.ready_at(3).tolist() == [125.0, 106.0, float("-inf")]
    assert after.saved("a.test", 7.0) == saved
    for schedule in (before, after):
        schedule.note_answer("a.test", (), Answer(BUSY, 0.0), 200.0)
    assert after.host_ready_at("a.test") == before.host_ready_at("a.test") >= 210.0, "the second in a row"


def test_a_rule_of_robots_txt_neither_ends_a_row_of_troubles_nor_makes_the_host_rest() -> None:
    schedule = made()
    in_a_row = []
    for outcome in (PAGE, BUSY, CLOSED, BUSY, Failed(FailureReason.HTTP_STATUS, "410", 410)):
        schedule.note_answer("a.test", (), Answer(outcome, 0.0), 0.0)
        in_a_row.append(schedule.saved("a.test", 0.0).troubles)
    assert in_a_row == [0, 1, 1, 2, 0]
    schedule.note_answer("b.test", (), Answer(CLOSED, 0.0), 50.0)
    assert schedule.ready_at(2)[1] <= 50.0
    schedule.note_answer("b.test", (), Answer(CLOSED, 0.0, robots_fetches=1), 60.0)
    assert schedule.ready_at(2)[1] == 61.0


def test_hosts_that_are_ready_are_forgotten_and_those_that_are_not_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.fetch.schedule.FEW", 50)
    schedule = HostSchedule(POLITENESS, FETCH)
    schedule.note_answer("busy.test", (), Answer(BUSY, 0.0), 0.0)
    for number in range(2000):
        schedule.note_request(f"h{number}.test", [f"192.0.2.{number}"], float(number), 0.0)
    assert len(schedule._hosts) + len(schedule._addresses) <= 200
    assert schedule.saved("busy.test", 0.0).troubles == 1


class EarlyRequests(RuleBasedStateMachine):
    """Requests as soon as the schedule allows them, beside a plain list of what each has made due."""

    def __init__(self) -> None:
        super().__init__()
        self.schedule = made()
        self.now = 0.0
        self.due: dict[str, float] = {}  # by host and by address
        self.ended_at: dict[str, float] = {}
        self.crawl_delay_s: dict[str, float] = {}
        self.troubles = dict.fromkeys(HOSTS, 0)

    def note(self, server: str, moment: float) -> None:
        self.due[server] = max(self.due.get(server, NEVER), moment)

    def begin(self, host: int, address: str) -> None:
        name = HOSTS[host]
        self.now = max(self.now, self.schedule.host_ready_at(name), self.schedule.address_ready_at(address))
        pause_s = max(1.0, min(self.crawl_delay_s.get(name, 0.0), 20.0))
        due = [self.due.get(name, NEVER), self.due.get(address, NEVER), self.ended_at.get(name, NEVER) + pause_s]
        assert self.now >= max(due) - 1e-6
        self.schedule.hold(HostId(host), name, 0.0)

    def end(self, name: str, address: str, response_s: float) -> None:
        self.schedule.release(name)
        self.ended_at[name] = self.now
        for server in (name, address):
            self.note(server, self.now + max(1.0, min(2.0 * response_s, 20.0)))

    @rule(host=hosts, address=addresses, response_s=durations, asked_s=asked, is_busy=st.booleans())
    def ask(self, host: int, address: str, response_s: float, asked_s: float, is_busy: bool) -> None:
        self.begin(host, address)
        self.now += response_s
        name = HOSTS[host]
        answer = Answer(BUSY if is_busy else PAGE, response_s, address=address, retry_after_s=asked_s)
        self.schedule.note_answer(name, [address], answer, self.now)
        self.troubles[name] = self.troubles[name] + 1 if is_busy else 0
        if is_busy:
            backoff_s = min(10.0 * 2 ** (self.troubles[name] - 1), 30.0) / 2
            self.note(name, self.now + max(asked_s, backoff_s))
        self.end(name, address, response_s)

    @rule(host=hosts, address=addresses, response_s=durations)
    def give_up(self, host: int, address: str, response_s: float) -> None:
        self.begin(host, address)
        self.now += response_s
        self.schedule.note_request(HOSTS[host], [address], self.now, response_s)
        self.end(HOSTS[host], address, response_s)

    @rule(host=hosts, asked_s=asked)
    def robots_txt_cannot_be_had(self, host: int, asked_s: float) -> None:
        self.schedule.note_answer(HOSTS[host], (), Answer(CLOSED, 0.0, retry_after_s=asked_s), self.now)
        self.note(HOSTS[host], self.now + asked_s)

    @rule(host=hosts, asked_s=asked)
    def robots_txt_asks_for_a_pause(self, host: int, asked_s: float) -> None:
        self.schedule.set_crawl_delay(Url.parse(f"http://{HOSTS[host]}/"), asked_s)
        self.crawl_delay_s[HOSTS[host]] = asked_s

    @rule(host=hosts, other=hosts, address=addresses, asked_s=asked)
    def another_host_of_the_address_is_told_to_rest_meanwhile(
        self, host: int, other: int, address: str, asked_s: float
    ) -> None:
        self.schedule.place(HOSTS[host], address)
        self.schedule.place(HOSTS[other], address)
        self.begin(host, address)
        self.schedule.rest(HOSTS[other], self.now + asked_s)
        self.note(HOSTS[other], self.now + asked_s)
        self.schedule.note_request(HOSTS[host], [address], self.now, 0.0)
        self.end(HOSTS[host], address, 0.0)

    @rule()
    def restart(self) -> None:
        """What was learned of an address, but of no host found there, is kept by presuming that all were asked."""
        saved, self.schedule = [self.schedule.saved(name, 0.0) for name in HOSTS], made()
        for rest in saved:
            self.schedule.restore(rest)
        for name, asked_s in self.crawl_delay_s.items():
            self.schedule.set_crawl_delay(Url.parse(f"http://{name}/"), asked_s)
        self.now += 21.0
        self.schedule.presume_all_asked(self.now)

    @invariant()
    def the_frontier_sees_no_host_ready_early(self) -> None:
        ready_at = self.schedule.ready_at(len(HOSTS)).tolist()
        assert all(moment >= self.due.get(name, NEVER) - 1e-6 for moment, name in zip(ready_at, HOSTS, strict=True))
        assert not self.schedule.are_all_ready(self.now) or max(ready_at) <= self.now


TestNoHostAndNoAddressIsAskedEarly = EarlyRequests.TestCase
TestNoHostAndNoAddressIsAskedEarly.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)
