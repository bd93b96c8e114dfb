"""PageRank order: the link with the greatest PageRank in the graph met so far comes first.

Cho, Garcia-Molina and Page (1998), "Efficient crawling through URL ordering", in which this order finds pages of high
PageRank soonest. The graph has every URL met and the links of every page fetched; links that wait are pages without
links of their own. Ranks are computed again after every 100 pages, or as often as `ranks.every` says; a link met since
then has the lowest rank, and of equals the first that was found is taken. How often is our choice, and so is what
becomes of the rank of pages without links (`runs/pagerank.py`).

A row holds the rank over the average rank, in half precision: eleven bits, at most 60,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.learn.strategy import FoundAgain, Order, Unlearned
from honeyguide.model import ParentRules

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import Candidates, LinkDescriptions, ParentFacts, ParentStats, Rows

LARGEST: Final = 60_000.0  # half precision ends a little above


class PageRankOrder(Unlearned):
    """Scores are PageRanks as of the last time that they were computed."""

    needs_topic = False
    order = Order.BEST_SCORE
    row_width = 1
    found_again = FoundAgain.FIRST
    seeds_first = True
    reads_ranks = True
    parent_rules = ParentRules(smoothing=1.0, is_newest=True)

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        return np.ones((len(candidates), 1), dtype=np.float16)

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        return described if parents.all is None else self.with_parents(described, parents.all)

    def with_parents(self, rows: Rows, parents: ParentStats) -> Rows:
        if parents.importance is None:
            return rows
        return np.minimum(parents.importance, LARGEST).astype(np.float16)[:, None]

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)
