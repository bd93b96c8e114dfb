"""States and actions in numbers: how Han et al. (2018), section 3.1, describe pages and links, and Pertejo's variants.

A page is a state, a link an action. Both have a relevance to the topic, one to each of c categories, and the mean
relevance of all and of the relevant parents; a state has besides the change of relevance against its ancestors and the
distance from the last relevant page. The columns are in this order, so an action has the first columns of a state:

    topic · category 1 … category c · parents · relevant parents · change · distance

`Scale.HAN` gives each of the relevances two columns, its five and its six buckets: 8+2c numbers for a state, 6+2c for
an action. `Scale.PERTEJO` (2021, 3.3.1) gives each one index, and inverts the distance so that higher is better
everywhere: 5+c and 3+c. `Scale.CONTINUOUS` gives the same columns as they are, the distance in clicks. There is no
column that is always one: the papers have none, and a learner that wants one adds it.

Rows are half-precision, as all rows are. Indexes are exact in them; continuous numbers are rounded to eleven bits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, assert_never

import numpy as np

from honeyguide.domain import LineageRules
from honeyguide.errors import StrategyError
from honeyguide.learn.discretise import change_classes, change_halves, five_buckets, six_buckets, tenths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Parents, Rows
    from honeyguide.learn.relevances import Relevances


class Scale(StrEnum):
    """In which numbers a feature is told."""

    HAN = "han"  # two indexes a relevance, five classes of change, clicks
    PERTEJO = "pertejo"  # tenths, eight ranges of change, clicks left to the farthest
    CONTINUOUS = "continuous"  # as they are


@dataclass(frozen=True, slots=True)
class FeatureStyle:
    """The scale and its parameters; the defaults are those of both papers."""

    scale: Scale = Scale.HAN
    small_change: float = 0.1  # δ1: a change up to this is none
    large_change: float = 0.3  # δ2: a change up to this is a small one
    lineage: LineageRules = field(default_factory=LineageRules)

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
        """What the numbers of a state are, for people."""
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
        """What the numbers of an action are, for people."""
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


def action_rows(style: FeatureStyle, relevances: Relevances, parents: Parents) -> Rows:
    """Rows of links. `relevances` are predictions from the words of a link; a row does not depend on its batch."""
    return _action_numbers(style, relevances, parents).astype(np.float16)


def state_rows(style: FeatureStyle, relevances: Relevances, is_relevant: NDArray[np.bool_], parents: Parents) -> Rows:
    """Rows of fetched pages, from their parents as they are known now; a row does not depend on its batch."""
    change = parents.change_to(relevances.topic)
    distance = parents.distance_to(is_relevant, style.lineage)
    match style.scale:
        case Scale.HAN:
            change = change_classes(change, style.small_change, style.large_change).astype(np.float64)
        case Scale.PERTEJO:
            change = change_halves(change).astype(np.float64)
            distance = style.lineage.farthest - distance
        case Scale.CONTINUOUS:
            pass
        case _:
            assert_never(style.scale)
    numbers = np.column_stack((_action_numbers(style, relevances, parents), change, distance))
    return numbers.astype(np.float16)


def _action_numbers(style: FeatureStyle, relevances: Relevances, parents: Parents) -> NDArray[np.float64]:
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
