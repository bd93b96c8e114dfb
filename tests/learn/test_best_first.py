"""Best-first by the words of links or by their addresses alone, and beam search over either."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.crawler import Builder
from honeyguide.errors import StrategyError
from honeyguide.learn import BestFirst, BestUrlFirst, Ingredients
from honeyguide.learn import url_heuristic as url_features
from honeyguide.learn.url_heuristic import UrlHeuristic, UrlReader
from honeyguide.model import Topic, Url
from honeyguide.settings import Settings, settings_from, with_overrides
from honeyguide.text import UrlRules, WordRows, WordVectors
from pages import candidates_of, rows_of, sighting_of
from vectors_by_hand import CompassVectors, compass_vectors
from vectors_by_hash import hashed_vectors

NORTH = Topic("north")
LINK = sighting_of("http://x.test/east", anchor="north", before="north north nowhere", after="east")


def scored(*, as_one_text: bool) -> float:
    strategy = BestFirst(NORTH, compass_vectors(), as_one_text=as_one_text)
    return float(strategy.score(rows_of(strategy, candidates_of(LINK)))[0])


def test_as_one_text_a_link_is_the_cosine_of_all_its_words() -> None:
    """Pertejo 2021, A.6: three words north and two east are (2, 3)."""
    assert scored(as_one_text=True) == pytest.approx(3 / np.sqrt(13), abs=0.02)


def test_without_a_link_is_the_mean_of_three_cosines() -> None:
    """Anchor 1, address 0; around the anchor two words north and one east: 2/√5."""
    assert scored(as_one_text=False) == pytest.approx((1 + 0 + 2 / np.sqrt(5)) / 3, abs=0.02)


@pytest.mark.parametrize("as_one_text", [True, False])
def test_the_setting_chooses(as_one_text: bool) -> None:
    changed = {"best_first.as_one_text": as_one_text}
    made = BestFirst.build(Ingredients(with_overrides(Settings(), changed), NORTH, compass_vectors))
    assert float(made.score(rows_of(made, candidates_of(LINK)))[0]) == scored(as_one_text=as_one_text)


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
    strategy = BestUrlFirst(TOPIC, hashed_vectors(), UrlHeuristic(**changes))  # type: ignore[arg-type]
    return strategy.score(rows_of(strategy, SEEN)).tolist()


def test_a_link_is_worth_what_its_address_says_whatever_its_words() -> None:
    expected = UrlReader(TOPIC, hashed_vectors()).scores(SEEN.targets)
    assert scores() == pytest.approx(expected.tolist(), abs=0.001)
    other_words = candidates_of(*(sighting_of(url, "rock", "mineral") for url in ADDRESSES))
    strategy = BestUrlFirst(TOPIC, hashed_vectors())
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


def reader(topic: str = "north", *keywords: str, heuristic: UrlHeuristic | None = None) -> UrlReader:
    return UrlReader(Topic(topic, keywords), compass_vectors(), heuristic)


def url(text: str) -> Url:
    return Url.parse(text)


def test_relevance_is_the_mean_over_words_of_the_nearest_search_word() -> None:
    """Lim 5.2.2: host and path have the words x, test, north, upper: (0 + 0 + 1 + 0.8) / 4."""
    assert reader().read(url("http://x.test/north/upper")).word_relevance == pytest.approx(0.45)


def test_similarities_below_two_thirds_count_as_nothing() -> None:
    """Lim 5.2.2 with z = 2/3: upper is 0.6 from east and 0.8 from north."""
    assert reader("east").read(url("http://x.test/upper")).word_relevance == 0.0
    assert reader("north").read(url("http://x.test/upper")).word_relevance == pytest.approx(0.8 / 3)
    lower = UrlHeuristic(lower_bound=0.5)
    assert reader("east", heuristic=lower).read(url("http://x.test/upper")).word_relevance == pytest.approx(0.6 / 3)


def test_any_search_word_will_do() -> None:
    """Lim 5.2.1 (4): similar 'to any of the predefined search words'."""
    assert reader("east", "north").read(url("http://north/")).word_relevance == 1.0
    assert reader("east", "south").read(url("http://north/")).word_relevance == 0.0


@pytest.mark.parametrize(
    ("text", "is_relevant"),
    [("http://north/north/south", True), ("http://north/south", False), ("http://upper/", True), ("http://x/", False)],
)
def test_an_address_is_predicted_relevant_from_two_thirds_on(text: str, is_relevant: bool) -> None:
    """Lim 5.2.1 (4) with x = 2/3; two words of three reach it just so."""
    assert reader().read(url(text)).is_predicted_relevant == is_relevant


def test_similarity_is_the_cosine_of_all_words_together() -> None:
    assert reader().read(url("http://x.test/north/east")).similarity == pytest.approx(np.sqrt(0.5))
    assert reader().read(url("http://x.test/south")).similarity == -1.0
    assert reader().read(url("http://x.test/")).similarity == 0.0


def test_nothing_to_go_by_is_no_relevance() -> None:
    for features in (reader("").read(url("http://north/")), reader().read(url("http://127.0.0.1/1/2"))):
        assert (features.word_relevance, features.similarity, features.score) == (0.0, 0.0, 0.2)


def test_a_score_by_hand() -> None:
    """A base of 0.2, the rest by relevance 0.8 (both ways agree on one word), a query: (0.2 + 0.8 · 0.8) · 0.8."""
    assert reader().read(url("http://upper/?page=1")).score == pytest.approx(0.84 * 0.8)


@pytest.mark.parametrize(
    ("text", "factor"),
    [
        ("http://north/", 1.0),
        ("http://north/?q=1", 0.8),
        ("http://north/north.gif", 0.0),
        ("http://north/" + "north/" * 9, 0.7),
        ("http://north/" + "north-" * 24, 0.7),
        ("http://north.xqzvkjwp.north/", 0.3),
        ("http://north/xqzvkjwp", 0.6),
        ("http://north/xqzvkjwp?q=1", 0.6 * 0.8),
    ],
)
def test_every_sign_has_its_factor(text: str, factor: float) -> None:
    features = reader().read(url(text))
    relevance = max(features.word_relevance, features.similarity)
    assert features.score == pytest.approx((0.2 + 0.8 * relevance) * factor)


def test_words_far_from_the_topic_are_as_good_as_none() -> None:
    assert reader().read(url("http://x.test/south")).score == 0.2


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("http://x/" + "a-" * 80, 0.1),
        ("http://x/" + "a/" * 9, 0.2),
        ("http://x/a.gif", 0.3),
        ("http://x/?q=1", 0.4),
        ("http://xqzvkjwp.com/", 0.5),
        ("http://x/xqzvkjwp", 0.6),
    ],
)
def test_no_factor_is_taken_for_another(text: str, score: float) -> None:
    heuristic = UrlHeuristic(
        base=1.0,
        too_long=0.1,
        too_deep=0.2,
        non_text_type=0.3,
        query=0.4,
        gibberish_host=0.5,
        gibberish_path=0.6,
    )
    assert reader(heuristic=heuristic).read(url(text)).score == pytest.approx(score)


def test_the_heuristic_can_be_another() -> None:
    heuristic = UrlHeuristic(base=1.0, query=0.5, rules=UrlRules(longest=10))
    features = reader(heuristic=heuristic).read(url("http://north/?q=1"))
    assert features.shape.is_too_long
    assert features.score == pytest.approx(0.5 * 0.7)


@pytest.mark.parametrize("wrong", [{"base": -0.1}, {"query": 1.1}, {"lower_bound": float("nan")}])
def test_a_heuristic_that_could_leave_0_to_1_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(StrategyError, match=next(iter(wrong))):
        UrlHeuristic(**wrong)  # type: ignore[arg-type]


urls = st.builds(
    lambda host, path, query: Url.parse(f"http://{host}.test/{path}{query}"),
    st.sampled_from(["rock", "lava", "xqzvkjwp"]),
    st.lists(st.sampled_from(["rock", "mineral", "soup", "a.gif", "7dd97c937216"]), max_size=10).map("/".join),
    st.sampled_from(["", "?q=1"]),
)


@settings(deadline=None)
@given(st.lists(urls, max_size=8), st.data())
def test_an_address_reads_the_same_alone_and_in_any_batch(batch: list[Url], data: st.DataObject) -> None:
    topic = Topic("geology", ("rock", "mineral"))
    together = UrlReader(topic, hashed_vectors()).read_all(batch)
    order = data.draw(st.permutations(range(len(batch))))
    shuffled = UrlReader(topic, hashed_vectors()).read_all([batch[place] for place in order])
    assert shuffled == tuple(together[place] for place in order)
    one_by_one = UrlReader(topic, hashed_vectors())
    assert tuple(one_by_one.read(one) for one in batch) == together
    assert one_by_one.scores(batch).tolist() == [features.score for features in together]


@settings(deadline=None)
@given(st.lists(urls, max_size=8))
def test_a_score_is_between_0_and_1(batch: list[Url]) -> None:
    scores = UrlReader(Topic("rock"), hashed_vectors()).scores(batch)
    assert scores.shape == (len(batch),)
    assert ((scores >= 0) & (scores <= 1)).all()


class RecordingVectors(WordVectors):
    """Remembers which words it was asked for."""

    def __init__(self) -> None:
        super().__init__(CompassVectors())
        self.asked: list[tuple[str, ...]] = []

    def look_up(self, words: tuple[str, ...]) -> WordRows:
        self.asked.append(words)
        return super().look_up(words)


def test_words_are_forgotten_when_there_are_too_many_and_read_the_same_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_features, "KEPT_WORDS", 3)
    vectors, north = RecordingVectors(), url("http://north/")
    few = UrlReader(Topic("north"), vectors)
    before = few.word_relevances([north])
    few.word_relevances([url(f"http://north/{word}/upper") for word in ("one", "two", "three", "four", "five")])
    vectors.asked.clear()
    assert few.word_relevances([north]) == before
    few.word_relevances([north])
    assert vectors.asked == [("north",)]
