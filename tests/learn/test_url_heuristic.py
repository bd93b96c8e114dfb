"""Best-first by the address alone, and beam search over either heuristic."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.crawler import Builder
from honeyguide.learn import BestAddressFirst
from honeyguide.learn.url_heuristic import UrlHeuristic, UrlReader
from honeyguide.model import Topic
from honeyguide.settings import settings_from
from pages import candidates_of, rows_of, sighting_of
from vectors_by_hash import hashed_vectors

TOPIC = Topic("geology", ("rock", "mineral"))
ADDRESSES = (
    "http://rocks.test/rock/mineral",
    "http://rocks.test/rock/mineral?page=2",
    "http://rocks.test/rock/mineral.jpg",
    "http://soup.test/onion",
    "http://xqzvkwpj.test/rock/mineral",
    "http://127.0.0.1/",
    "http://rocks.test/" + "rock/" * 60,
)
SEEN = candidates_of(*(sighting_of(url, "soup", "hot", "onion", relevance=0.3) for url in ADDRESSES))


def scores(**changes: float) -> list[float]:
    strategy = BestAddressFirst(TOPIC, hashed_vectors(), UrlHeuristic(**changes))  # type: ignore[arg-type]
    return strategy.score(rows_of(strategy, SEEN)).tolist()


def test_a_link_is_worth_what_its_address_says_whatever_its_words() -> None:
    expected = UrlReader(TOPIC, hashed_vectors()).scores(SEEN.targets)
    assert scores() == pytest.approx(expected.tolist(), abs=0.001)
    other_words = candidates_of(*(sighting_of(url, "rock", "mineral") for url in ADDRESSES))
    strategy = BestAddressFirst(TOPIC, hashed_vectors())
    assert np.array_equal(rows_of(strategy, SEEN), rows_of(strategy, other_words))


def test_words_of_the_topic_count_and_signs_of_waste_cost() -> None:
    topical, query, picture, soup, gibberish, _, long = scores()
    assert topical > soup
    assert topical > query > 0
    assert topical > gibberish
    assert topical > long
    assert picture == 0.0


def test_a_sign_whose_factor_is_one_is_ignored() -> None:
    plain, query, *_ = scores(query=1.0)
    assert query == pytest.approx(scores()[1] / 0.8, abs=0.002)
    assert plain == scores()[0]


@pytest.mark.parametrize(("name", "like"), [("similarity", "best-first"), ("url", "url-heuristic")])
def test_a_beam_ranks_as_its_heuristic_does(name: str, like: str) -> None:
    document = {"topic": {"name": "geology"}, "beam": {"heuristic": name, "width": 7}}
    beam = Builder(settings_from(document | {"crawl": {"strategy": "beam"}}), hashed_vectors()).strategy()
    ranked = Builder(settings_from(document | {"crawl": {"strategy": like}}), hashed_vectors()).strategy()
    assert (beam.capacity, ranked.capacity) == (7, 0)
    assert np.array_equal(rows_of(beam, SEEN), rows_of(ranked, SEEN))
    assert np.array_equal(beam.score(rows_of(beam, SEEN)), ranked.score(rows_of(ranked, SEEN)))
