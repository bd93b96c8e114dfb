"""Parse or skip by the solved policy: the states of links, what became of hosts, and what is skipped."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.errors import StrategyError
from honeyguide.learn import ParseOrSkip, ParseOrSkipSettings, RandomSkip, RandomSkipSettings
from honeyguide.learn.parse_or_skip import COLUMNS, NEVER_MET, HostHistory, HostTally, LinkStates, UrlMeasure, UrlRule
from honeyguide.learn.parse_or_skip_model import STATES, State, Thresholds, is_mostly_skipped, state_of
from honeyguide.model import Decision, Topic, Transition, Url
from honeyguide.text import WordVectors
from pages import candidates_of, sighting_of
from vectors_by_hand import CompassVectors, compass_vectors
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from honeyguide.model import Row, Rows


TOPIC = Topic("rock", ("mineral",))
NO_CHANCE = np.random.default_rng(0)
PARSES_NEW_HOSTS = ParseOrSkipSettings(relevant=0.95)
"""A model in which what looks like a new host is parsed, and nothing else."""


def strategy_with(settings: ParseOrSkipSettings | None = None) -> ParseOrSkip:
    return ParseOrSkip(TOPIC, hashed_vectors(), settings or ParseOrSkipSettings())


def link_row(strategy: ParseOrSkip | RandomSkip, url: str) -> Row:
    row: Row = strategy.describe(candidates_of(sighting_of(url, relevance=0.5)))[0]
    return row


def decide(strategy: ParseOrSkip, url: str) -> bool:
    """Ask about a link and tell the strategy of it; True when it was parsed."""
    row, target = link_row(strategy, url), Url.parse(url)
    is_skipped = strategy.skip(target, row, NO_CHANCE) is not None
    strategy.notice(Decision(target, row, is_skipped=is_skipped))
    return not is_skipped


def arrive(strategy: ParseOrSkip, url: str, relevance: float) -> None:
    none: Rows = np.empty((0, strategy.row_width), dtype=np.float16)
    row = link_row(strategy, url)
    strategy.learn(Transition(1, Url.parse(url), row, relevance, relevance, relevance > 0.5, none))


def test_by_default_it_skips_every_link_as_published() -> None:
    strategy = strategy_with()
    assert not any(strategy.policy.values())
    assert not any(decide(strategy, f"http://h{number % 3}.test/rock/{number}") for number in range(20))


def test_a_seed_is_fetched_whatever_the_policy_says() -> None:
    strategy = strategy_with()
    (row,) = strategy.describe(candidates_of(sighting_of("http://seed.test/")))
    assert strategy.skip(Url.parse("http://seed.test/"), row, NO_CHANCE) is None


def test_the_reason_names_the_state() -> None:
    skipped = strategy_with().skip(Url.parse("http://a.test/"), link_row(strategy_with(), "http://a.test/"), NO_CHANCE)
    assert skipped is not None
    assert skipped.reason == "the policy skips (True, False, True, False)"


def test_a_policy_that_parses_new_hosts_parses_each_host_until_it_is_known() -> None:
    strategy = strategy_with(PARSES_NEW_HOSTS)
    assert decide(strategy, "http://a.test/1")
    arrive(strategy, "http://a.test/1", 0.1)
    assert not decide(strategy, "http://a.test/2"), "parsed once, never skipped, and not relevant"
    assert not decide(strategy, "http://a.test/3")
    assert not decide(strategy, "http://a.test/4"), "mostly skipped by now, but known not to be relevant"
    assert decide(strategy, "http://b.test/1")


def test_a_good_host_is_parsed_again_when_it_has_been_skipped_more_often() -> None:
    strategy = strategy_with(PARSES_NEW_HOSTS)
    decide(strategy, "http://a.test/1")
    arrive(strategy, "http://a.test/1", 0.9)
    # 1 parsed; skipped 1 and 2 times; then 1/2 < 1.
    assert [decide(strategy, f"http://a.test/{number}") for number in (2, 3, 4)] == [False, False, True]


def test_asking_changes_nothing() -> None:
    strategy = strategy_with(PARSES_NEW_HOSTS)
    decide(strategy, "http://a.test/1")
    before = strategy.save()
    for _ in range(3):
        strategy.skip(Url.parse("http://a.test/2"), link_row(strategy, "http://a.test/2"), NO_CHANCE)
    assert strategy.save() == before


def test_saved_loaded_and_told_the_rest_it_decides_the_same() -> None:
    one, two = strategy_with(PARSES_NEW_HOSTS), strategy_with(PARSES_NEW_HOSTS)
    decide(one, "http://a.test/1")
    decide(one, "http://b.test/1")
    arrive(one, "http://a.test/1", 0.8)
    two.load(one.save())
    for strategy in (one, two):
        arrive(strategy, "http://b.test/1", 0.1)
    urls = [f"http://{host}.test/{number}" for number in range(2, 8) for host in "abc"]
    assert [decide(one, url) for url in urls] == [decide(two, url) for url in urls]
    assert one.save() == two.save()


@pytest.mark.parametrize("state", [b"", b"{}", b"[]", b"null", b'{"hosts": {"a": 1}, "previous": null}', b"\xff"])
def test_a_state_that_is_none_is_refused_and_changes_nothing(state: bytes) -> None:
    strategy = strategy_with()
    decide(strategy, "http://a.test/1")
    before = strategy.save()
    with pytest.raises(StrategyError, match="parse-or-skip"):
        strategy.load(state)
    assert strategy.save() == before


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_random_skip_skips_its_share_and_no_seed(share: float) -> None:
    strategy, chance = RandomSkip(RandomSkipSettings(share)), np.random.default_rng(4)
    url = Url.parse("http://a.test/1")
    row = link_row(strategy, url.text)
    skips = [strategy.skip(url, row, chance) is not None for _ in range(2000)]
    assert np.mean(skips) == pytest.approx(share, abs=0.03)
    (seed_row,) = strategy.describe(candidates_of(sighting_of("http://seed.test/")))
    assert all(strategy.skip(url, seed_row, chance) is None for _ in range(100))


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


LIMS_RULE = UrlRule()


def states_with(rule: UrlRule = LIMS_RULE, topic: str = "north") -> LinkStates:
    return LinkStates(Topic(topic), compass_vectors(), Thresholds(), rule)


def is_relevant(url: str, rule: UrlRule = LIMS_RULE) -> bool:
    ((_, relevant),) = states_with(rule).columns(candidates_of(sighting_of(url, relevance=0.0)))
    return bool(relevant)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://north/", True),  # 1
        ("http://north.test/north", True),  # 2/3 exactly, which half-precision numbers cannot hold
        ("http://north.test/upper", False),  # (1 + 0 + 0.8) / 3
        ("http://north.test/", False),  # 1/2
        ("http://upper.north/x", False),  # 0.6
        ("http://north.upper/", True),  # 0.9
        ("http://123.test/456", False),
    ],
)
def test_lims_url_feature_by_hand(url: str, expected: bool) -> None:
    assert is_relevant(url) is expected


def test_the_other_measure_takes_all_words_at_once() -> None:
    # test is unknown, so that the sum of the words is north + upper = (0.75, 2): a cosine of 0.94 with north.
    url = "http://north.test/upper"
    assert is_relevant(url, UrlRule(UrlMeasure.COSINE, relevance=0.93))
    assert not is_relevant(url, UrlRule(UrlMeasure.COSINE, relevance=0.95))


def test_what_counts_as_similar_may_be_set() -> None:
    # (0.6 + 0) / 2 for upper against east, where 0.6 counts at all.
    url, topic = "http://upper.test/", "east"
    for word_similarity, expected in ((0.5, True), (0.7, False)):
        states = states_with(UrlRule(relevance=0.3, word_similarity=word_similarity), topic)
        assert bool(states.columns(candidates_of(sighting_of(url, relevance=0.0)))[0, 1]) is expected


def test_a_row_tells_seeds_from_links() -> None:
    rows = states_with().columns(
        candidates_of(sighting_of("http://north/"), sighting_of("http://south/", relevance=0.1))
    )
    assert rows.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert rows.dtype == np.float16
    assert states_with().columns(candidates_of()).shape == (0, len(COLUMNS))


def test_words_without_vectors_and_a_topic_without_them_make_no_noise() -> None:
    for measure in UrlMeasure:
        states = LinkStates(Topic("nowhere"), WordVectors(CompassVectors()), Thresholds(), UrlRule(measure))
        rows = states.columns(candidates_of(sighting_of("http://zzz.qqq/", relevance=0.0)))
        assert rows.tolist() == [[0.0, 0.0]]


def test_a_state_joins_the_link_with_the_books_of_two_hosts() -> None:
    states = states_with()
    north, south = Url.parse("http://north/"), Url.parse("http://south/")
    rows = states.columns(candidates_of(*(sighting_of(url.text, relevance=0.0) for url in (north, south))))
    assert states.of(north, rows[0]) == (True, False, True, True), "nothing is known yet"
    states.note_decision(Decision(north, rows[0], is_skipped=False))
    states.note_relevance(Transition(1, north, rows[0], 0.9, 0.9, True, rows[:0]))
    assert states.of(north, rows[0]) == (False, True, True, True), "just parsed, and relevant, as both hosts"
    assert states.of(south, rows[1]) == (True, True, True, False), "another host after it"
    states.note_decision(Decision(south, rows[1], is_skipped=True))
    assert states.of(north, rows[0]) == (False, False, True, True), "the host before was never parsed"
