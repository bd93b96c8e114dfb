"""Best-first by the address alone (Lim 2016, section 9.2): follow the link whose URL looks most like a good page.

The score is that of `learn/url_features.py`: how near the words of the address are to the topic, and a factor for every
sign that a fetch may be wasted. Anchor and surroundings are not looked at, so what a link is worth can be told from a
list of URLs. Beam search takes the same score as its heuristic (`beam.heuristic = "url"`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.learn.strategy import Order
from honeyguide.learn.unlearned import Unlearned
from honeyguide.learn.url_features import UrlHeuristic, UrlReader
from honeyguide.text import UrlRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Rows, Topic
    from honeyguide.settings import UrlHeuristicSettings
    from honeyguide.text import WordVectors


class BestAddressFirst(Unlearned):
    """The heuristic of each link's address, as the page showed it."""

    order = Order.BEST_SCORE
    row_width = 1

    def __init__(self, topic: Topic, vectors: WordVectors, settings: UrlHeuristicSettings) -> None:
        self._reader = UrlReader(topic, vectors, heuristic_of(settings))

    def describe(self, candidates: Candidates) -> Rows:
        return self._reader.scores(candidates.targets)[:, None].astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)


def heuristic_of(settings: UrlHeuristicSettings) -> UrlHeuristic:
    """The heuristic with a person's own factors and limits."""
    return UrlHeuristic(
        lower_bound=settings.lower_bound,
        base=settings.base,
        too_long=settings.too_long,
        too_deep=settings.too_deep,
        non_text_type=settings.non_text_type,
        query=settings.query,
        gibberish_host=settings.gibberish_host,
        gibberish_path=settings.gibberish_path,
        rules=UrlRules(longest=settings.longest, deepest=settings.deepest),
    )
