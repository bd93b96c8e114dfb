"""States and actions of Han and Pertejo: widths, columns, numbers by hand, and a small crawl from end to end."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from honeyguide.crawler.parents import ParentTable
from honeyguide.errors import StrategyError
from honeyguide.learn.han_features import FeatureStyle, Relevances, Scale, TopicAndCategories, action_rows, state_rows
from honeyguide.model import Candidates, LinkId, Origin, ParentRules, ParentStats, Topic
from pages import link_at, page_of
from vectors_by_hash import hashed_vectors

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
