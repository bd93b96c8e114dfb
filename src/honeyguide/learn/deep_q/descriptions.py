"""What a network sees of a link: the features of Han and Pertejo, of the page it stands on and of the link itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, assert_never

import numpy as np

from honeyguide.learn.deep_q.shape import DIGITS, Shape, digits_of
from honeyguide.learn.han_features import Scale
from honeyguide.learn.pair_rows import PairRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, LineageRules, Page, Parents, Row, Rows
    from honeyguide.learn.han_features import FeatureStyle
    from honeyguide.learn.relevances import TopicAndCategories


class Descriptions(Protocol):
    """Makes rows of links."""

    shape: Shape
    lineage_rules: LineageRules

    def of_page(self, page: Page, *, is_relevant: bool, parents: Parents) -> Row:
        """The state."""
        ...

    def of_links(self, candidates: Candidates) -> Rows:
        """Rows; zeros for a seed, which stands on no page."""
        ...


class PairDescriptions(PairRows):
    """State and action side by side, for a network with one output."""

    def __init__(self, nearness: TopicAndCategories, style: FeatureStyle, *, is_scaled: bool = True) -> None:
        super().__init__(nearness, style)
        self.shape = _shape(style, nearness.categories, is_scaled=is_scaled)


class OutputDescriptions(PairDescriptions):
    """The state, and the number of the link among the outputs: the order in which links were met."""

    def __init__(
        self, nearness: TopicAndCategories, style: FeatureStyle, outputs: int, *, is_scaled: bool = True
    ) -> None:
        super().__init__(nearness, style, is_scaled=is_scaled)
        width = self.shape.state_width
        self.shape = Shape(width, width + DIGITS, self.shape.scale[:width], outputs)

    def of_links(self, candidates: Candidates) -> Rows:
        standing = candidates.standing
        if standing is None:
            return np.zeros((len(candidates), self.shape.row_width), dtype=np.float16)
        states = np.broadcast_to(standing.state, (len(candidates), self.shape.state_width))
        return np.concatenate((states, digits_of(standing.links)), axis=1)


def _shape(style: FeatureStyle, categories: int, *, is_scaled: bool) -> Shape:
    state, action = style.state_width(categories), style.action_width(categories)
    largest = _largest(style, categories)
    columns = np.concatenate((largest, largest[:action]))
    scale = 1 / columns if is_scaled else np.ones_like(columns)
    return Shape(state, state + action, scale.astype(np.float32))


def _largest(style: FeatureStyle, categories: int) -> NDArray[np.float64]:
    """The most that each number of a state can be."""
    match style.scale:
        case Scale.HAN:
            relevance, change = [4.0, 5.0], 4.0
        case Scale.PERTEJO:
            relevance, change = [9.0], 7.0
        case Scale.CONTINUOUS:
            relevance, change = [1.0], 1.0
        case _:
            assert_never(style.scale)
    return np.array([*relevance * (3 + categories), change, float(style.lineage.farthest)])
