"""The sixteen states, on cases worked out by hand from Lim (2016), section 5.2.1."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from honeyguide.learn.parse_or_skip import NEVER_MET, HostHistory, HostTally
from honeyguide.learn.parse_or_skip_model import STATES, State, Thresholds, is_mostly_skipped, state_of
from honeyguide.model import Decision, Transition, Url

LIM = Thresholds()
NO_ROW = np.zeros(2, dtype=np.float16)


def tally(parsed: int = 0, skipped: int = 0, relevance: float = 0.0, judged: int | None = None) -> HostTally:
    return HostTally(parsed, skipped, parsed if judged is None else judged, relevance)


def decision(url: str, *, is_skipped: bool) -> Decision:
    return Decision(Url.parse(url), NO_ROW, is_skipped=is_skipped)


def arrival(url: str, relevance: float) -> Transition:
    return Transition(1, Url.parse(url), NO_ROW, relevance, relevance, False, np.empty((0, 2), dtype=np.float16))


def test_every_combination_is_one_state_and_knows_its_place() -> None:
    assert [tuple(state) for state in STATES] == list(product((False, True), repeat=4))
    assert [state.number for state in STATES] == list(range(16))
    assert str(State(True, False, False, True)) == "(True, False, False, True)"


@pytest.mark.parametrize(
    ("parsed", "skipped", "expected"),
    [
        (0, 0, True),  # nothing of the host was ever parsed
        (0, 9, True),
        (1, 0, False),  # N_ss = 0, so the ratio is not asked for
        (1, 1, False),  # 1/1 is not less than 1
        (1, 2, True),
        (3, 2, False),
        (2, 3, True),
    ],
)
def test_a_host_is_mostly_skipped_when_never_parsed_or_less_often_than_skipped(
    parsed: int, skipped: int, expected: bool
) -> None:
    state = state_of(NEVER_MET, tally(parsed, skipped, 1.0), LIM, url_relevant=False)
    assert state.host_mostly_skipped is expected


def test_with_a_greater_ratio_a_host_counts_as_mostly_skipped_for_longer() -> None:
    assert not is_mostly_skipped(tally(3, 2), 1.0)
    assert is_mostly_skipped(tally(3, 2), 2.0)
    assert not is_mostly_skipped(tally(4, 2), 2.0)


@pytest.mark.parametrize(
    ("previous", "expected"),
    [
        (NEVER_MET, False),
        (tally(skipped=4), False),  # N_pp = 0
        (tally(parsed=3, relevance=2.0), True),  # exactly 2/3
        (tally(parsed=3, relevance=1.99), False),
        (tally(parsed=1, skipped=8, relevance=0.9), True),
        (tally(parsed=5, relevance=0.0), False),
    ],
)
def test_the_previous_host_is_relevant_only_by_pages_that_were_parsed(previous: HostTally, expected: bool) -> None:
    assert state_of(previous, NEVER_MET, LIM, url_relevant=False).previous_host_relevant is expected


@pytest.mark.parametrize(
    ("current", "expected"),
    [
        (NEVER_MET, True),  # R_same = 0: nothing is known against it
        (tally(skipped=4), True),
        (tally(parsed=3, relevance=2.0), True),
        (tally(parsed=3, relevance=1.99), False),
        (tally(parsed=5, relevance=0.0), True),  # by the formula, though not by the words beside it
        (tally(parsed=5, relevance=0.01), False),
    ],
)
def test_the_current_host_is_relevant_until_it_is_known_not_to_be(current: HostTally, expected: bool) -> None:
    assert state_of(NEVER_MET, current, LIM, url_relevant=False).current_host_relevant is expected


def test_a_page_under_way_counts_as_parsed_but_not_in_the_mean() -> None:
    under_way = tally(parsed=2, relevance=0.7, judged=1)
    state = state_of(under_way, under_way, LIM, url_relevant=True)
    assert state == (False, True, True, True)


def test_thresholds_may_differ_for_the_two_hosts() -> None:
    host = tally(parsed=2, relevance=0.6)
    state = state_of(host, host, Thresholds(previous_relevance=0.2, current_relevance=0.4), url_relevant=False)
    assert state == (False, True, False, False)


def test_the_history_of_a_small_crawl_by_hand() -> None:
    history = HostHistory()
    assert history.previous == NEVER_MET
    history.note_decision(decision("http://a.test/1", is_skipped=False))
    history.note_decision(decision("http://b.test/1", is_skipped=True))
    history.note_decision(decision("http://a.test/2", is_skipped=False))
    history.note_relevance(arrival("http://a.test/1", 0.5))
    assert history.of(Url.parse("http://a.test/x").host) == HostTally(parsed=2, skipped=0, judged=1, relevance=0.5)
    assert history.of(Url.parse("http://b.test/x").host) == HostTally(parsed=0, skipped=1, judged=0, relevance=0.0)
    assert history.of(Url.parse("http://c.test/x").host) == NEVER_MET
    assert history.previous.parsed == 2, "the host of the last decision, as it is now"
    history.note_relevance(arrival("http://a.test/2", 0.25))
    assert history.previous == HostTally(parsed=2, skipped=0, judged=2, relevance=0.75)
    history.note_decision(decision("http://b.test/2", is_skipped=True))
    assert history.previous == HostTally(parsed=0, skipped=2, judged=0, relevance=0.0)


def test_ports_make_different_hosts() -> None:
    history = HostHistory()
    history.note_decision(decision("http://a.test:8080/", is_skipped=False))
    assert history.of(Url.parse("http://a.test/").host) == NEVER_MET


def test_a_history_survives_saving() -> None:
    history = HostHistory()
    history.note_decision(decision("http://a.test/1", is_skipped=False))
    history.note_relevance(arrival("http://a.test/1", 0.1 + 0.2))
    history.note_decision(decision("http://b.test/1", is_skipped=True))
    back = HostHistory.loaded(history.saved())
    for host in ("http://a.test/", "http://b.test/", "http://c.test/"):
        assert back.of(Url.parse(host).host) == history.of(Url.parse(host).host)
    assert back.previous == history.previous
