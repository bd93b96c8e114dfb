"""States and actions in numbers: buckets, cosines with topic and categories, and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from honeyguide.crawler.parents import ParentTable
from honeyguide.errors import StrategyError
from honeyguide.learn.han_features import (
    FeatureStyle,
    Relevances,
    Scale,
    TopicAndCategories,
    action_rows,
    change_classes,
    change_halves,
    five_buckets,
    six_buckets,
    state_rows,
    tenths,
)
from honeyguide.model import Candidates, LinkId, Origin, ParentRules, ParentStats, Topic
from honeyguide.text import cosine
from pages import candidates_of, cut_from, link_at, page_of, sighting_of
from vectors_by_hand import compass_vectors
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pages import Sighting


STYLES = [FeatureStyle(scale) for scale in Scale]
by_style = pytest.mark.parametrize("style", STYLES, ids=[style.scale for style in STYLES])


def parents_of(
    count: int, relevance: float = 0.0, relevant: float = 0.0, smoothed: float = 0.0, distance: int = 9
) -> ParentStats:
    return ParentStats(
        np.array([count]), np.array([relevance]), np.array([relevant]), np.array([smoothed]), np.array([distance])
    )


def relevances_of(topic: float, *categories: float) -> Relevances:
    return Relevances(np.array([topic]), np.array([categories], dtype=float).reshape(1, -1))


@st.composite
def batches(draw: st.DrawFn) -> tuple[Relevances, np.ndarray, ParentStats]:
    size, categories = draw(st.integers(1, 6)), draw(st.integers(0, 3))
    cosine = st.floats(-1, 1)

    def column(
        elements: st.SearchStrategy[float] | st.SearchStrategy[int] | st.SearchStrategy[bool], kind: type
    ) -> np.ndarray:
        return draw(arrays.arrays(kind, size, elements=elements))

    relevances = Relevances(column(cosine, float), draw(arrays.arrays(float, (size, categories), elements=cosine)))
    parents = ParentStats(
        column(st.integers(0, 3), np.int64),
        column(cosine, float),
        column(cosine, float),
        column(cosine, float),
        column(st.integers(0, 9), np.int64),
    )
    return relevances, column(st.booleans(), np.bool_), parents


@pytest.mark.parametrize("categories", [0, 1, 2, 4])
@pytest.mark.parametrize(("scale", "relevance_columns"), [(Scale.HAN, 2), (Scale.PERTEJO, 1), (Scale.CONTINUOUS, 1)])
def test_widths(scale: Scale, relevance_columns: int, categories: int) -> None:
    """Han 4: a state has 8+2c numbers, an action 6+2c; Pertejo's program: 5+c and 3+c."""
    style, names = FeatureStyle(scale), [f"name{number}" for number in range(categories)]
    action = 3 * relevance_columns + relevance_columns * categories
    relevances, parents = relevances_of(0.5, *([0.5] * categories)), parents_of(1)
    assert style.action_width(categories) == action
    assert style.state_width(categories) == action + 2
    assert action_rows(style, relevances, parents).shape == (1, action)
    assert state_rows(style, relevances, np.array([True]), parents).shape == (1, action + 2)
    assert len(style.action_columns(names)) == action
    assert len(style.state_columns(names)) == action + 2


def test_a_state_of_han_by_hand() -> None:
    """Han 3.1 and 4 with two categories: every column in its place."""
    style = FeatureStyle()
    relevances = relevances_of(0.62, 0.35, 0.9)
    parents = parents_of(3, relevance=0.45, relevant=0.71, smoothed=0.5, distance=2)
    row = state_rows(style, relevances, np.array([False]), parents)[0]
    told = dict(zip(style.state_columns(["earth", "science"]), row.tolist(), strict=True))
    assert told == {
        "topic in five": 3, "topic in six": 3,  # 0.62: [0.6, 0.8) and [0.5, 0.7)
        "category earth in five": 1, "category earth in six": 2,  # 0.35: [0.2, 0.4) and [0.3, 0.5)
        "category science in five": 4, "category science in six": 5,  # 0.9: [0.8, 1] and [0.9, 1]
        "parents in five": 2, "parents in six": 2,  # 0.45: [0.4, 0.6) and [0.3, 0.5)
        "relevant parents in five": 3, "relevant parents in six": 4,  # 0.71: [0.6, 0.8) and [0.7, 0.9)
        "class of change": 1,  # 0.62 - 0.5 = 0.12: an increase above 0.1, not above 0.3
        "distance": 3,  # the nearest parent's 2, and one click
    }  # fmt: skip


def test_a_state_of_pertejo_by_hand() -> None:
    """Pertejo 3.3.1: tenths, distance inverted, changes in halves."""
    style = FeatureStyle(Scale.PERTEJO)
    parents = parents_of(3, relevance=-0.45, relevant=0.71, smoothed=0.9, distance=2)
    row = state_rows(style, relevances_of(0.3, 1.0), np.array([False]), parents)[0]
    told = dict(zip(style.state_columns(["earth"]), row.tolist(), strict=True))
    assert told == {
        "topic in tenths": 3,
        "category earth in tenths": 9,
        "parents in tenths": 0,
        "relevant parents in tenths": 7,
        "change in halves": 2,  # 0.3 - 0.9 = -0.6: [-1, -0.5)
        "nearness": 6,  # 9 - 3
    }


def test_a_continuous_state_by_hand() -> None:
    parents = parents_of(1, relevance=0.25, relevant=0.5, smoothed=0.75, distance=9)
    row = state_rows(FeatureStyle(Scale.CONTINUOUS), relevances_of(0.5, -0.125), np.array([False]), parents)[0]
    assert row.tolist() == [0.5, -0.125, 0.25, 0.5, -0.25, 9.0]


@pytest.mark.parametrize(
    ("scale", "change", "distance"), [(Scale.HAN, 0, 9), (Scale.PERTEJO, 4, 0), (Scale.CONTINUOUS, 0, 9)]
)
def test_a_seed_has_no_change_and_is_far_from_anything_unless_relevant(
    scale: Scale, change: float, distance: float
) -> None:
    style, none = FeatureStyle(scale), ParentTable().parents([LinkId(0)])
    assert state_rows(style, relevances_of(0.9), np.array([False]), none)[0, -2:].tolist() == [change, distance]
    relevant = state_rows(style, relevances_of(0.9), np.array([True]), none)[0, -1]
    assert relevant == (9 if scale is Scale.PERTEJO else 0)


def test_the_thresholds_of_change_and_the_farthest_distance_can_be_others() -> None:
    style = FeatureStyle(small_change=0.0, large_change=0.05, parents=ParentRules(farthest=3))
    parents = parents_of(1, smoothed=0.5, distance=3)
    assert state_rows(style, relevances_of(0.56), np.array([False]), parents)[0, -2:].tolist() == [2, 3]
    with pytest.raises(StrategyError, match="in order"):
        FeatureStyle(small_change=0.3, large_change=0.1)


@by_style
@settings(deadline=None)
@given(batch=batches())
def test_a_row_does_not_depend_on_its_batch(
    style: FeatureStyle, batch: tuple[Relevances, np.ndarray, ParentStats]
) -> None:
    relevances, is_relevant, parents = batch
    states = state_rows(style, relevances, is_relevant, parents)
    actions = action_rows(style, relevances, parents)
    assert states.dtype == actions.dtype == np.float16
    for place in range(len(parents)):
        one = slice(place, place + 1)
        alone = Relevances(relevances.topic[one], relevances.categories[one])
        its_parents = ParentStats(
            parents.count[one],
            parents.relevance[one],
            parents.relevant_relevance[one],
            parents.smoothed[one],
            parents.distance[one],
        )
        assert np.array_equal(states[one], state_rows(style, alone, is_relevant[one], its_parents))
        assert np.array_equal(actions[one], action_rows(style, alone, its_parents))


@by_style
@settings(deadline=None)
@given(batch=batches())
def test_an_action_has_the_first_columns_of_a_state(
    style: FeatureStyle, batch: tuple[Relevances, np.ndarray, ParentStats]
) -> None:
    relevances, is_relevant, parents = batch
    states, actions = state_rows(style, relevances, is_relevant, parents), action_rows(style, relevances, parents)
    assert np.array_equal(states[:, :-2], actions)
    names = ["x"] * relevances.categories.shape[1]
    assert style.state_columns(names)[:-2] == style.action_columns(names)


@settings(deadline=None)
@given(batch=batches())
def test_indexes_are_whole_numbers_from_0_to_9_exact_in_half_precision(
    batch: tuple[Relevances, np.ndarray, ParentStats],
) -> None:
    for scale in (Scale.HAN, Scale.PERTEJO):
        rows = state_rows(FeatureStyle(scale), *batch)
        assert set(rows.ravel().tolist()) <= set(range(10))


@by_style
def test_no_pages_are_no_rows(style: FeatureStyle) -> None:
    none = Relevances(np.empty(0), np.empty((0, 2)))
    assert action_rows(style, none, ParentTable().parents([])).shape == (0, style.action_width(2))
    assert state_rows(style, none, np.empty(0, dtype=bool), ParentTable().parents([])).shape == (
        0,
        style.state_width(2),
    )


def test_a_small_crawl_from_pages_to_rows() -> None:
    """A relevant seed, a page below it, and the link on that page, driven as an engine would."""
    style, table = FeatureStyle(Scale.CONTINUOUS), ParentTable()
    nearness = TopicAndCategories(Topic("geology"), ["rock"], hashed_vectors())
    for number, text in enumerate(["geology rock", "soup of the day"]):
        page, link = page_of(text), LinkId(number)
        relevances = nearness.of_page(page)
        is_relevant = "geology" in page.words
        state = state_rows(style, relevances, np.array([is_relevant]), table.parents([link]))
        facts = table.facts(link, float(relevances.topic[0]), is_relevant=is_relevant)
        table.add_parent([LinkId(number + 1)], facts)
    soup, seed = relevances.topic[0], nearness.of_page(page_of("geology rock")).topic[0]
    columns = style.state_columns(["rock"])
    assert dict(zip(columns, state[0].tolist(), strict=True)) == pytest.approx(
        {
            "topic": soup,
            "category rock": relevances.categories[0, 0],
            "parents": seed,
            "relevant parents": seed,
            "change": soup - seed,
            "distance": 1,
        },
        abs=1e-3,
    )
    link_on_it = Candidates.on_page(page, [link_at("http://here.test/x", 0, 1)], Origin(page.url.host, 0.0, 1, 1))
    action = action_rows(style, nearness.of_links(link_on_it), table.parents([LinkId(2)]))
    assert action[0, 2:].tolist() == pytest.approx([soup, 0.0], abs=1e-3)


numbers = st.floats(-3, 3) | st.sampled_from([round(tenth / 10, 1) for tenth in range(-30, 31)])
some_numbers = arrays.arrays(float, st.integers(0, 12), elements=numbers)


def below(edge: float) -> float:
    return float(np.nextafter(edge, -np.inf))


def index(function: object, *numbers: float) -> list[int]:
    assert callable(function)
    return [int(entry) for entry in function(np.array(numbers))]


def test_five_buckets_of_han_3_1() -> None:
    assert index(five_buckets, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0) == [0, 1, 2, 3, 4, 4]
    assert index(five_buckets, *map(below, (0.2, 0.4, 0.6, 0.8, 1.0))) == [0, 1, 2, 3, 4]


def test_six_buckets_of_han_3_1() -> None:
    assert index(six_buckets, 0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0) == [0, 1, 2, 3, 4, 5, 5]
    assert index(six_buckets, *map(below, (0.1, 0.3, 0.5, 0.7, 0.9, 1.0))) == [0, 1, 2, 3, 4, 5]


def test_tenths_of_pertejo_3_3_1() -> None:
    assert index(tenths, 0.0, 0.1, 0.25, 0.3, 0.6, 0.7, 0.99, 1.0) == [0, 1, 2, 3, 6, 7, 9, 9]
    assert index(tenths, *map(below, (0.1, 0.3, 0.7, 1.0))) == [0, 2, 6, 9]


@pytest.mark.parametrize("function", [five_buckets, six_buckets, tenths])
def test_what_is_outside_falls_into_the_nearest_bucket(function: object) -> None:
    lowest, highest = index(function, 0.0, 1.0)
    assert index(function, -0.3, -1.0, -np.inf, np.nan) == [lowest] * 4
    assert index(function, 1.0000001, 2.0, np.inf) == [highest] * 3


@settings(deadline=None)
@given(some_numbers)
def test_hans_two_indexes_together_are_pertejos_one(values: np.ndarray) -> None:
    assert np.array_equal(five_buckets(values) + six_buckets(values), tenths(values))


def test_hans_two_indexes_have_ten_values_together() -> None:
    """Han 3.1: the state space has a factor of 10 for each relevance."""
    values = np.linspace(0, 1, 1001)
    assert len(set(zip(five_buckets(values).tolist(), six_buckets(values).tolist(), strict=True))) == 10


def test_classes_of_change_of_han_3_1() -> None:
    """δ1 = 0.1 and δ2 = 0.3 as in section 4."""

    def classes(*changes: float) -> list[int]:
        return change_classes(np.array(changes), 0.1, 0.3).tolist()

    assert classes(0.0, 0.05, -0.05, 0.1, -0.1) == [0] * 5
    assert classes(0.11, 0.3) == [1, 1]
    assert classes(0.31, 1.0) == [2, 2]
    assert classes(-0.11, -0.3) == [3, 3]
    assert classes(-0.31, -2.0) == [4, 4]
    assert classes(np.nan, np.inf, -np.inf) == [0, 2, 4]


def test_halves_of_change_of_pertejo_3_3_1() -> None:
    assert index(change_halves, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0) == [0, 1, 2, 3, 4, 5, 6, 7, 7]
    assert index(change_halves, *map(below, (-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5))) == [0, 1, 2, 3, 4, 5, 6]
    assert index(change_halves, -3.0, 3.0, np.nan) == [0, 7, 4]


@settings(deadline=None)
@given(some_numbers)
def test_a_higher_number_never_has_a_lower_index(values: np.ndarray) -> None:
    ordered = np.sort(values)
    for function in (five_buckets, six_buckets, tenths, change_halves):
        assert (np.diff(function(ordered)) >= 0).all()


@settings(deadline=None)
@given(some_numbers)
def test_many_at_once_are_as_one_by_one(values: np.ndarray) -> None:
    for function in (five_buckets, six_buckets, tenths, change_halves):
        assert function(values).tolist() == [int(function(np.array([value]))[0]) for value in values]
    assert change_classes(values, 0.1, 0.3).tolist() == [
        int(change_classes(np.array([value]), 0.1, 0.3)[0]) for value in values
    ]


TOPIC = Topic("geology")
CATEGORIES = ["earth science", "rock"]


def compass(topic: str, *categories: str) -> TopicAndCategories:
    return TopicAndCategories(Topic(topic), categories, compass_vectors())


def test_a_link_is_its_three_texts_joined() -> None:
    """Pertejo 3.3.1: one text of address, anchor and surroundings, one vector."""
    link = sighting_of("http://x.test/east", anchor="north", before="north north nowhere", after="east")
    found = compass("north", "east", "west", "nowhere").of_links(candidates_of(link))
    # Three words north, two east: the sum is (2, 3).
    assert found.topic.tolist() == pytest.approx([3 / np.sqrt(13)])
    assert found.categories.tolist() == [pytest.approx([2 / np.sqrt(13), -2 / np.sqrt(13), 0.0])]


def test_a_text_that_is_missing_does_not_pull_a_link_down() -> None:
    bare = sighting_of("http://x.test/", anchor="north")
    assert compass("north").of_links(candidates_of(bare)).topic.tolist() == [1.0]


def test_a_page_is_its_main_text() -> None:
    page = page_of("east east north", main=((2, 3),))
    found = compass("north", "south").of_page(page)
    assert (found.topic.tolist(), found.categories.tolist()) == ([1.0], [[-1.0]])


def test_a_page_has_the_cosine_that_a_judge_finds() -> None:
    vectors = hashed_vectors()
    page = page_of("rock and roll and rock")
    expected = cosine(vectors.look_up(page.words).text_vector(), vectors.topic_vector(TOPIC))
    assert TopicAndCategories(TOPIC, [], vectors).of_page(page).topic.tolist() == [expected]


def test_nothing_known_is_no_relevance() -> None:
    empty = compass("north", "east").of_page(page_of(""))
    assert (empty.topic.tolist(), empty.categories.tolist()) == ([0.0], [[0.0]])
    unknown = compass("", "xyz").of_page(page_of("north"))
    assert (unknown.topic.tolist(), unknown.categories.tolist()) == ([0.0], [[0.0]])


def test_without_categories_there_are_none() -> None:
    assert compass("north").of_links(candidates_of(sighting_of("http://x.test/"))).categories.shape == (1, 0)
    assert compass("north", "east").of_links(candidates_of()).categories.shape == (0, 1)


words = st.lists(st.sampled_from(["rock", "mineral", "the", "of", "lava", "soup"]), max_size=6).map(" ".join)
sightings = st.builds(
    lambda anchor, before, after: sighting_of(f"http://a.test/{anchor.replace(' ', '-')}", anchor, before, after),
    words, words, words,
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(sightings, min_size=1, max_size=8), st.data())
def test_a_links_cosines_do_not_depend_on_its_batch(batch: list[Sighting], data: st.DataObject) -> None:
    nearness = TopicAndCategories(TOPIC, CATEGORIES, hashed_vectors())
    together = nearness.of_links(candidates_of(*batch))
    order = data.draw(st.permutations(range(len(batch))))
    shuffled = nearness.of_links(candidates_of(*(batch[place] for place in order)))
    assert np.array_equal(together.topic[order], shuffled.topic)
    assert np.array_equal(together.categories[order], shuffled.categories)
    for place, sighting in enumerate(batch):
        alone = nearness.of_links(candidates_of(sighting))
        assert alone.topic[0] == together.topic[place]
        assert np.array_equal(alone.categories[0], together.categories[place])


def test_a_link_cut_from_a_page_is_as_its_window_alone() -> None:
    page = page_of(" ".join(f"word{number} rock" for number in range(60)))
    links = [link_at("http://here.test/a", 0, 3), link_at("http://b.test/rock-a", 40, 42)]
    origin = Origin(page.url.host, 0.6, 0, 3)
    on_page = Candidates.on_page(page, links, origin)
    stored = cut_from(on_page, origin)
    nearness = TopicAndCategories(TOPIC, CATEGORIES, hashed_vectors())
    assert np.array_equal(nearness.of_links(on_page).topic, nearness.of_links(stored).topic)
    assert np.array_equal(nearness.of_links(on_page).categories, nearness.of_links(stored).categories)
