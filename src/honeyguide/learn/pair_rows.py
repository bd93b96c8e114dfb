"""Links as the learners of Han and Pertejo see them: the state and the action side by side in one row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.learn.han_features import action_rows, state_rows

if TYPE_CHECKING:
    from honeyguide.domain import Candidates, Page, Parents, Row, Rows
    from honeyguide.learn.han_features import FeatureStyle
    from honeyguide.learn.relevances import TopicAndCategories


class PairRows:
    """Makes rows of links from the page that they stand on, their words and their parents."""

    def __init__(self, nearness: TopicAndCategories, style: FeatureStyle) -> None:
        self._nearness = nearness
        self._style = style
        self._state_width = style.state_width(nearness.categories)
        self._row_width = self._state_width + style.action_width(nearness.categories)
        self.lineage_rules = style.lineage

    def of_page(self, page: Page, *, is_relevant: bool, parents: Parents) -> Row:
        """The state."""
        return state_rows(self._style, self._nearness.of_page(page), np.array([is_relevant]), parents)[0]

    def of_links(self, candidates: Candidates) -> Rows:
        """Rows; zeros for a seed, which stands on no page."""
        standing = candidates.standing
        if standing is None:
            return np.zeros((len(candidates), self._row_width), dtype=np.float16)
        states = np.broadcast_to(standing.state, (len(candidates), self._state_width))
        actions = action_rows(self._style, self._nearness.of_links(candidates), standing.parents)
        return np.concatenate((states, actions), axis=1)
