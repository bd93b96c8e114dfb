"""Weighted breadth-first search, the strategy of WikiCrawler.

Breadth-first, but the queue gives out the heaviest link, of several the first that was added. The weight of a link is
that of `topic_weight`, read where the link first occurs on the page that first showed it; a link that waits keeps it.
Without topic words, or with weights switched off, it is breadth-first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.learn.strategy import FoundAgain, Order
from honeyguide.learn.topic_weight import NO_WEIGHT, TopicWords, weight_denominators
from honeyguide.learn.unlearned import Unlearned

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Rows, Topic
    from honeyguide.settings import WeightedBreadthFirstSettings


class WeightedBreadthFirst(Unlearned):
    """Scores are topic weights; a row holds the denominator of one."""

    row_width = 1
    found_again = FoundAgain.FIRST
    reads_first_occurrence = True
    keeps_rows = True  # a long phrase, or a long reach, may lie outside the words that a sighting keeps

    def __init__(self, topic: Topic, settings: WeightedBreadthFirstSettings) -> None:
        self._settings = settings
        self._topic = TopicWords(topic, substrings=settings.substrings)
        has_weights = settings.is_weighted and not topic.is_empty
        self.order = Order.BEST_SCORE if has_weights else Order.OLDEST

    def describe(self, candidates: Candidates) -> Rows:
        if not self._settings.is_weighted:
            return np.full((len(candidates), 1), NO_WEIGHT, dtype=np.float16)
        denominators = weight_denominators(candidates, self._topic, self._settings.reach)
        return denominators[:, None].astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        denominators = rows[:, 0].astype(np.float64)
        return np.divide(1.0, denominators, out=np.zeros(len(rows)), where=denominators != NO_WEIGHT)
