"""Parse or skip by a solved policy, and the baseline that skips by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.errors import StrategyError
from honeyguide.learn import ParseOrSkip, ParseOrSkipSettings, RandomSkip, RandomSkipSettings
from honeyguide.model import Decision, Topic, Transition, Url
from pages import candidates_of, sighting_of
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
