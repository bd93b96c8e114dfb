"""Features of pages and links as numbers, after Han et al. (2018), section 3.1, and Pertejo (2021).

A page is a state, a link an action. Both have a relevance to the topic, one to each of c categories, and the mean
relevance of all and of the relevant parents; a state has besides the change of relevance against its ancestors and the
distance from the last relevant page. The columns are in this order, so an action has the first columns of a state:

    topic · category 1 … category c · parents · relevant parents · change · distance

A relevance is a cosine. A page is the vector of its main text, a link that of the words of its address, its anchor and
its surroundings written as one text, as Pertejo does; Han lists the three and does not say how they meet.

`Scale.HAN` gives each of the relevances two columns, its five and its six buckets: 8+2c numbers for a state, 6+2c for
an action. `Scale.PERTEJO` (3.3.1) gives each one index, and inverts the distance so that higher is better everywhere:
5+c and 3+c. `Scale.CONTINUOUS` gives the same columns as they are, the distance in clicks. There is no column that is
always one: the papers have none. The papers' ranges share their edges ("[0.0,0.2] by 0, [0.2,0.4] by 1"). Here a range
has its lower edge and not its upper one, except the last, which has both. What is below the first range falls into it,
what is above the last into that, and what is not a number counts as 0. A row has the state and the action side by side,
in half precision: exact for indexes, eleven bits for other numbers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, assert_never

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.features import HEAD, link_sums
from honeyguide.model import ParentRules
from honeyguide.settings import setting
from honeyguide.text import cosines, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Candidates, Page, ParentStats, Row, Rows, Topic
    from honeyguide.text import WordVectors

_TENTHS: Final = np.arange(1, 10) / 10
_FIFTHS: Final = _TENTHS[1::2]
_ODD_TENTHS: Final = _TENTHS[0::2]
_CATEGORY: Final = re.compile(r"category .*?( in (?:five|six|tenths))?$")
_HALVES: Final = np.arange(-3, 4) / 2


def five_buckets(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Han's first index of a relevance: [0, 0.2) is 0, [0.2, 0.4) is 1, … [0.8, 1] is 4."""
    return _range_of(values, _FIFTHS)


def six_buckets(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Han's second index of a relevance: [0, 0.1) is 0, [0.1, 0.3) is 1, … [0.9, 1] is 5.

    Both indexes together tell the tenth: `five_buckets` plus `six_buckets` is `tenths`.
    """
    return _range_of(values, _ODD_TENTHS)


def tenths(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Pertejo's index of a relevance: the whole part of ten times it, negatives at 0, and 1 at 9."""
    return _range_of(values, _TENTHS)


def change_classes(changes: NDArray[np.float64], small: float, large: float) -> NDArray[np.int64]:
    """Han's index of a change of relevance, with δ1 = `small` and δ2 = `large`.

    0 within δ1, 1 for an increase up to δ2, 2 for one beyond, 3 for a decrease up to δ2, 4 for one beyond. A change of
    just δ belongs to the smaller class.
    """
    numbers = _no_gaps(changes)
    size = np.abs(numbers)
    rise = np.where(size > large, 2, 1)
    return np.where(size <= small, 0, np.where(numbers > 0, rise, rise + 2))


def change_halves(changes: NDArray[np.float64]) -> NDArray[np.int64]:
    """Pertejo's index of a change of relevance: eight ranges of 0.5, from [-2, -1.5) as 0 to [1.5, 2] as 7."""
    return _range_of(changes, _HALVES)


def _range_of(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    # Not int(10 x): the product of 10 and a number just below an edge is rounded up to the edge.
    return np.searchsorted(edges, _no_gaps(values), side="right").astype(np.int64)


def _no_gaps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put 0 for what is not a number; a fifth of the time of `nan_to_num`, which makes infinities finite as well."""
    return np.where(np.isnan(values), 0.0, values)


@dataclass(frozen=True, slots=True, eq=False)
class Relevances:
    """Cosines from -1 to 1, one entry a page or link."""

    topic: NDArray[np.float64]  # (n,)
    categories: NDArray[np.float64]  # (n, c), in the order in which the categories were given

    def __len__(self) -> int:
        return len(self.topic)


class TopicAndCategories:
    """Measures nearness. The same page or link has the same cosines in any batch.

    A category is named by a word or a few ("oncology", "earth science"); one without a known word is 0 for all.
    """

    def __init__(self, topic: Topic, categories: Sequence[str], vectors: WordVectors, head: int = HEAD) -> None:
        self.categories = len(categories)
        self._vectors = vectors
        self._head = min(head, vectors.dimension)
        self._topic = vectors.topic_vector(topic)
        self._category_vectors = [vectors.vector(words_of(category)) for category in categories]

    def of_links(self, candidates: Candidates) -> Relevances:
        """Predictions for the pages that links lead to, from the first `head` numbers of each word vector."""
        return self._measured(link_sums(candidates, self._vectors, self._head))

    def of_page(self, page: Page) -> Relevances:
        """One entry, from the main text and whole vectors."""
        text = self._vectors.look_up(page.words).within(page.main_spans).text_vector()
        return self._measured(text[None, :])

    def _measured(self, texts: NDArray[np.float64]) -> Relevances:
        size = texts.shape[1]
        categories = np.empty((len(texts), len(self._category_vectors)))
        for column, category in enumerate(self._category_vectors):
            categories[:, column] = cosines(texts, category[:size])
        return Relevances(cosines(texts, self._topic[:size]), categories)


class Scale(StrEnum):
    """In which numbers a feature is told."""

    HAN = "han"  # two indexes a relevance, five classes of change, clicks
    PERTEJO = "pertejo"  # tenths, eight ranges of change, clicks left to the farthest
    CONTINUOUS = "continuous"  # as they are


@dataclass(frozen=True, slots=True)
class FeatureSettings:
    """The settings of every method with these features; the defaults are those of both papers."""

    features: str = setting("han", "numbers that describe pages and links", choices=tuple(Scale))
    smoothing: float = setting(
        0.4,
        "β: weight of a page's own relevance against its ancestors', in the change of relevance",
        above=0,
        at_most=1,
    )
    small_change: float = setting(0.1, "δ1: a change of relevance up to this is none", at_least=0, at_most=2)
    large_change: float = setting(0.3, "δ2: a change of relevance up to this is a small one", at_least=0, at_most=2)
    farthest: int = setting(
        9, "clicks from the last relevant page beyond which distances are alike", at_least=1, at_most=255
    )

    def style(self) -> FeatureStyle:
        """The scale and parameters that these settings name."""
        parents = ParentRules(smoothing=self.smoothing, farthest=self.farthest)
        return FeatureStyle(Scale(self.features), self.small_change, self.large_change, parents)

    def mistakes_of_changes(self, table: str) -> Iterator[str]:
        """Tell whether the two changes are out of order, in the words of the method's table."""
        if self.small_change > self.large_change:
            yield (
                f"{table}.small_change is {self.small_change:g}: it must be at most {table}.large_change, "
                f"here {self.large_change:g}"
            )


@dataclass(frozen=True, slots=True)
class FeatureStyle:
    """The scale and its parameters; the defaults are those of both papers."""

    scale: Scale = Scale.HAN
    small_change: float = 0.1  # δ1: a change up to this is none
    large_change: float = 0.3  # δ2: a change up to this is a small one
    parents: ParentRules = field(default_factory=ParentRules)

    def __post_init__(self) -> None:
        if not 0 <= self.small_change <= self.large_change:
            raise StrategyError(
                f"changes of {self.small_change} and {self.large_change} are not in order; give 0 <= small <= large"
            )

    @property
    def columns_a_relevance(self) -> int:
        return 2 if self.scale is Scale.HAN else 1

    def state_width(self, categories: int) -> int:
        """Numbers in a state."""
        return self.action_width(categories) + 2

    def action_width(self, categories: int) -> int:
        """Numbers in an action."""
        return self.columns_a_relevance * (3 + categories)

    def state_columns(self, categories: Sequence[str]) -> tuple[str, ...]:
        """Name the numbers of a state, for people."""
        match self.scale:
            case Scale.HAN:
                last = ("class of change", "distance")
            case Scale.PERTEJO:
                last = ("change in halves", "nearness")
            case Scale.CONTINUOUS:
                last = ("change", "distance")
            case _:
                assert_never(self.scale)
        return (*self.action_columns(categories), *last)

    def action_columns(self, categories: Sequence[str]) -> tuple[str, ...]:
        """Name the numbers of an action, for people."""
        relevances = ("topic", *(f"category {name}" for name in categories), "parents", "relevant parents")
        match self.scale:
            case Scale.HAN:
                return tuple(f"{name} in {parts}" for name in relevances for parts in ("five", "six"))
            case Scale.PERTEJO:
                return tuple(f"{name} in tenths" for name in relevances)
            case Scale.CONTINUOUS:
                return relevances
            case _:
                assert_never(self.scale)


OF_PAGES: Final = "page: "
"""Begins the names of columns that say something of the page that a link stands on."""


def columns(style: FeatureStyle, categories: Sequence[str]) -> tuple[str, ...]:
    """Name the numbers of a row, for people; a weight belongs to each."""
    of_pages = (f"{OF_PAGES}{name}" for name in style.state_columns(categories))
    return (*of_pages, *(f"link: {name}" for name in style.action_columns(categories)))


def category_group(column: str) -> str:
    """Return the name of a column without its category: topics have other ones, but they say the same thing."""
    return _CATEGORY.sub(r"category\1", column)


def action_rows(style: FeatureStyle, relevances: Relevances, parents: ParentStats) -> Rows:
    """Rows of links. `relevances` are predictions from the words of a link; a row does not depend on its batch."""
    return _action_numbers(style, relevances, parents).astype(np.float16)


def state_rows(
    style: FeatureStyle, relevances: Relevances, is_relevant: NDArray[np.bool_], parents: ParentStats
) -> Rows:
    """Rows of fetched pages, from their parents as they are known now; a row does not depend on its batch."""
    change = parents.change_to(relevances.topic)
    distance = parents.distance_to(is_relevant, style.parents)
    match style.scale:
        case Scale.HAN:
            change = change_classes(change, style.small_change, style.large_change).astype(np.float64)
        case Scale.PERTEJO:
            change = change_halves(change).astype(np.float64)
            distance = style.parents.farthest - distance
        case Scale.CONTINUOUS:
            pass
        case _:
            assert_never(style.scale)
    numbers = np.column_stack((_action_numbers(style, relevances, parents), change, distance))
    return numbers.astype(np.float16)


def _action_numbers(style: FeatureStyle, relevances: Relevances, parents: ParentStats) -> NDArray[np.float64]:
    told = np.column_stack((relevances.topic, relevances.categories, parents.relevance, parents.relevant_relevance))
    match style.scale:
        case Scale.HAN:
            pairs = np.stack((five_buckets(told), six_buckets(told)), axis=2)
            return pairs.reshape(len(told), 2 * told.shape[1]).astype(np.float64)
        case Scale.PERTEJO:
            return tenths(told).astype(np.float64)
        case Scale.CONTINUOUS:
            return told
        case _:
            assert_never(style.scale)


class PairRows:
    """Makes rows of links from the page that they stand on, their words and their parents."""

    def __init__(self, nearness: TopicAndCategories, style: FeatureStyle) -> None:
        self._nearness = nearness
        self._style = style
        self._state_width = style.state_width(nearness.categories)
        self._row_width = self._state_width + style.action_width(nearness.categories)
        self.parent_rules = style.parents

    def of_page(self, page: Page, *, is_relevant: bool, parents: ParentStats) -> Row:
        """The state."""
        return state_rows(self._style, self._nearness.of_page(page), np.array([is_relevant]), parents)[0]

    def of_links(self, candidates: Candidates) -> Rows:
        """Rows; zeros for a seed, which stands on no page."""
        context = candidates.context
        if context is None:
            return np.zeros((len(candidates), self._row_width), dtype=np.float16)
        states = np.broadcast_to(context.state, (len(candidates), self._state_width))
        actions = action_rows(self._style, self._nearness.of_links(candidates), context.parents)
        return np.concatenate((states, actions), axis=1)
