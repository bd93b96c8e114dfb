"""The weight of a link by the topic's own words, with distances counted by hand and against a literal reading."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honeyguide.learn import WeightedBreadthFirst, WeightedBreadthFirstSettings
from honeyguide.learn.weighted_breadth_first import TopicWords, address_words, words_away
from honeyguide.model import Candidates, Fetched, Origin, Topic, Url
from honeyguide.parse import parse
from honeyguide.settings import SETTINGS_BY_KEY
from pages import HERE, candidates_of, cut_from, link_at, page_of, sighting_of

TENNIS = Topic("", ("tennis", "grand slam", "US Open"))
LONGEST_REACH = int(SETTINGS_BY_KEY["weighted_breadth_first.reach"].at_most or 0)


def weights_of(candidates: Candidates, topic: Topic = TENNIS, **settings: object) -> list[float]:
    strategy = WeightedBreadthFirst(topic, WeightedBreadthFirstSettings(**settings))  # type: ignore[arg-type]
    return strategy.score(strategy.describe(candidates)).tolist()


def weight_on_page(text: str, topic: Topic = TENNIS, target: str = "/wiki/X", **settings: object) -> float:
    """The weight of a link whose anchor stands in square brackets in `text`."""
    before, anchor, after = text.replace("[", "|").replace("]", "|").split("|")
    start = len(before.split())
    page = page_of(f"{before} {anchor} {after}")
    link = link_at(f"http://here.test{target}", start, start + len(anchor.split()))
    (weight,) = weights_of(Candidates.on_page(page, [link], Origin(HERE.host, 0.5, 0, 1)), topic, **settings)
    return weight


def filler(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("the rules of [tennis] are", 1),
        ("the [grand slam] is", 1),
        ("the [Grand Slam tournaments] are", 1),
        ("tennis [racket] strings", Fraction(1, 2)),
        ("a [racket] tennis", Fraction(1, 2)),
        ("tennis one two [racket] strings", Fraction(1, 4)),
        ("a [racket] one tennis", Fraction(1, 3)),
        ("tennis one two three [racket] one two tennis", Fraction(1, 4)),
        ("tennis one two [racket] one two three tennis", Fraction(1, 4)),
        ("tennis x [a very long anchor of seven words] x", Fraction(1, 3)),
        ("x [a very long anchor of seven words] x tennis", Fraction(1, 3)),
        ("won the grand slam in [Paris] then", Fraction(1, 3)),
        ("in [Paris] he won a grand slam", Fraction(1, 5)),
        ("a grand [Paris] slam", 0),
        ("a grand [slam] slam", 0),
        ("a [grand] slam grand slam", Fraction(1, 3)),
        ("the us [open] open", 0),
        ("nothing [here] at all", 0),
        ("[alone]", 0),
        ("tennis []", Fraction(1, 2)),
        ("grand [] slam", 0),
    ],
)
def test_weights_worked_out_by_hand(text: str, weight: Fraction | int) -> None:
    assert weight_on_page(text) == float(weight)


@pytest.mark.parametrize("side", ["before", "after"])
@pytest.mark.parametrize(("between", "weight"), [(0, 1 / 2), (1, 1 / 3), (19, 1 / 21), (20, 1 / 22), (21, 0), (90, 0)])
@pytest.mark.parametrize("word", ["tennis", "grand slam"])
def test_twenty_words_between_still_count_and_twenty_one_do_not(
    word: str, side: str, between: int, weight: float
) -> None:
    gap = filler(between)
    text = f"{word} {gap} [link] end" if side == "before" else f"start [link] {gap} {word}"
    assert weight_on_page(text) == weight


def test_a_long_phrase_counts_at_the_edge_of_reach_though_a_sighting_keeps_only_its_end() -> None:
    phrase = "the all england lawn tennis and croquet club championships"
    topic = Topic("", (phrase,))
    assert weight_on_page(f"{phrase} {filler(20)} [link] end", topic) == 1 / 22
    assert weight_on_page(f"start [link] {filler(20)} {phrase}", topic) == 1 / 22


def test_reach_may_be_set_beyond_the_words_that_a_sighting_keeps() -> None:
    text = f"tennis {filler(60)} [link] end"
    assert weight_on_page(text, reach=59) == 0
    assert weight_on_page(text, reach=60) == 1 / 62


def test_rows_keep_every_weight_exactly() -> None:
    denominators = np.arange(LONGEST_REACH + 3)
    rows = denominators[:, None].astype(np.float16)
    scores = WeightedBreadthFirst(TENNIS, WeightedBreadthFirstSettings()).score(rows)
    assert scores.tolist() == [0, *(1 / denominator for denominator in range(1, LONGEST_REACH + 3))]


@pytest.mark.parametrize(
    ("target", "weight"),
    [
        ("/wiki/Tennis", 1),
        ("/wiki/Grand_Slam_(tennis)", 1),
        ("/wiki/Grand_Slam", 1),
        ("/wiki/Grand%20Slam", 1),
        ("/wiki/2004_US_Open", 1),
        ("/wiki/Table_Tennis#History", 1),
        ("/find?about=grand+slam", 1),
        ("/wiki/Grand_Theft", 0),
        ("/wiki/Tennisball", 0),
        ("/wiki/Slam_Grand", 0),
        ("/", 0),
    ],
)
def test_a_topic_word_in_the_address_gives_full_weight(target: str, weight: float) -> None:
    assert weight_on_page("some [thing] here", target=target) == weight


def test_the_host_counts_only_where_the_link_leads_to_another_one() -> None:
    topic = Topic("", ("here",))
    elsewhere = link_at("http://tennis.test/about", 0, 1)
    page = page_of("about us")
    origin = Origin(HERE.host, 0.5, 0, 1)
    assert weight_on_page("some [thing] or other", topic) == 0
    assert weights_of(Candidates.on_page(page, [elsewhere], origin)) == [1]


def test_an_address_is_read_decoded() -> None:
    url = Url.parse("http://cs.test/wiki/Dvo%C5%99%C3%A1k_%28Anton%C3%ADn%29?x=%FF")
    assert address_words(url, with_host=False) == ["wiki", "dvořák", "antonín", "x"]
    assert address_words(url, with_host=True)[:2] == ["cs", "test"]


def test_inside_a_longer_word_a_topic_word_counts_only_where_that_is_asked_for() -> None:
    for text, target in (("a [tennisball] x", "/wiki/X"), ("a [grand slams] x", "/wiki/X"), ("a [b] c", "/Tennisball")):
        assert weight_on_page(text, target=target) == 0
        assert weight_on_page(text, target=target, substrings=True) == 1
    assert weight_on_page("tennisball [thing] x", substrings=True) == 0, "distances are counted to words"


@pytest.mark.parametrize("topic", [Topic(""), Topic("", ("!", " ")), Topic(" ? ")])
def test_without_topic_words_nothing_has_weight(topic: Topic) -> None:
    assert weight_on_page("tennis [tennis] tennis", topic) == 0


def test_the_name_of_the_topic_counts_where_there_are_no_keywords() -> None:
    assert weight_on_page("grass [court] x", Topic("grass")) == 1 / 2
    assert weight_on_page("grass [court] x", Topic("grass", ("tennis",))) == 0


def test_case_and_unicode_do_not_matter() -> None:
    assert weight_on_page("DVOŘÁK [wrote] it", Topic("", ("Dvořák",))) == 1 / 2
    assert weight_on_page("网球 [x] y", Topic("", ("网球",))) == 1 / 2


def test_only_the_first_occurrence_counts_and_phrases_cross_tags_and_other_links() -> None:
    body = """<p>A <a href="/wiki/P">player</a> one two three of the <b>Grand</b> <a href="/wiki/S">Slam</a> in
        <a href="/wiki/C">clay</a>. """
    body += f"{filler(30)} tennis <a href='/wiki/P'>tennis player</a></p>"
    page = parse(Url.parse("http://here.test/wiki/Start"), Fetched(200, "text/html", body.encode()))
    candidates = Candidates.on_page(page, page.links, Origin(page.url.host, 0.5, 0, 1), at_first_occurrence=True)
    assert [link.target.path for link in page.links] == ["/wiki/P", "/wiki/S", "/wiki/C"]
    # Between player and grand: one two three of the. Slam is a part of the phrase. Between slam and clay: in.
    assert weights_of(candidates) == [1 / 7, 0, 1 / 3]


def test_a_stored_sighting_is_not_read_beyond_its_own_words() -> None:
    candidates = candidates_of(
        sighting_of("http://here.test/a", "one", "x", "a grand", depth=1),
        sighting_of("http://here.test/b", "two", "slam", "y", depth=1),
        sighting_of("http://here.test/c", "three", "z", "tennis", depth=1),
        sighting_of("http://here.test/d", "four", "", "", depth=1),
    )
    assert weights_of(candidates) == [0, 0, 1 / 2, 0]


def places_of(phrase: list[str], words: list[str]) -> list[int]:
    return [place for place in range(len(words)) if words[place : place + len(phrase)] == phrase]


def literal_distance(before: list[str], after: list[str], phrases: list[list[str]]) -> int | None:
    """The document's definition, word by word."""
    ends = [place + len(phrase) for phrase in phrases for place in places_of(phrase, before)]
    begins = [place for phrase in phrases for place in places_of(phrase, after)]
    return min([len(before) - end for end in ends] + begins, default=None)


some_words = st.lists(st.sampled_from(["a", "b", "c", "x"]), max_size=30)
some_phrases = st.lists(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=3), min_size=1, max_size=4)


@given(text=some_words, phrases=some_phrases, places=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4))))
@example(text=["a", "b"], phrases=[["a", "b"]], places=[(1, 0)])
def test_distances_are_those_of_the_definition(
    text: list[str], phrases: list[list[str]], places: list[tuple[int, int]]
) -> None:
    spans = [(min(start, len(text)), min(start + length, len(text))) for start, length in places]
    links = [link_at("http://here.test/", start, end) for start, end in spans]
    topic = TopicWords(Topic("", tuple(map(" ".join, phrases))))
    origin = Origin(HERE.host, 0.5, 0, 1)
    on_page = Candidates.on_page(page_of(" ".join(text)), links, origin)
    expected = [literal_distance(text[:start], text[end:], phrases) for start, end in spans]
    for candidates in (on_page, cut_from(on_page, origin)):
        away = words_away(candidates, topic).tolist()
        # A window has 25 words on each side: what it says of nearer words is the same.
        near = [distance if distance < 23 else None for distance in away]
        assert near == [None if distance is None or distance >= 23 else distance for distance in expected]


def test_a_page_of_ten_thousand_links_is_weighed_in_one_go() -> None:
    count = 10_000
    page = page_of(" ".join(f"tennis a{number} b c d e f g h i" for number in range(count)))
    links = [link_at(f"http://here.test/{number}", 10 * number + 4, 10 * number + 5) for number in range(count)]
    candidates = Candidates.on_page(page, links, Origin(HERE.host, 0.5, 0, 1))
    assert weights_of(candidates) == [1 / 5] * count
