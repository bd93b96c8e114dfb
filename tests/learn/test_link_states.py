"""From a link and the history of hosts to a state; the fourth feature on addresses worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.learn.parse_or_skip import COLUMNS, LinkStates, UrlMeasure, UrlRule
from honeyguide.learn.parse_or_skip_model import Thresholds
from honeyguide.model import Decision, Topic, Transition, Url
from honeyguide.text import WordVectors
from pages import candidates_of, sighting_of
from vectors_by_hand import CompassVectors, compass_vectors

LIM = UrlRule()


def states_with(rule: UrlRule = LIM, topic: str = "north") -> LinkStates:
    return LinkStates(Topic(topic), compass_vectors(), Thresholds(), rule)


def is_relevant(url: str, rule: UrlRule = LIM) -> bool:
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
