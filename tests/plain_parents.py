"""The parents of pages and links worked out from scratch: no table, nothing kept, obviously right and slow.

A crawl is the list of its pages in the order in which they were fetched. What is known after some of them is found by
looking at them all again; a page's own facts by looking at those before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.crawler.parents import ParentTable
    from honeyguide.model import ParentRules


@dataclass(frozen=True)
class Fetch:
    """A page that was fetched, with the links on it."""

    page: int
    relevance: float
    is_relevant: bool
    links: tuple[int, ...]


@dataclass(frozen=True)
class Known:
    """What is known of a link's parents."""

    count: int
    relevance: float
    relevant_relevance: float
    smoothed: float
    distance: int


def parents_of(link: int, crawl: Sequence[Fetch]) -> list[int]:
    """Places in the crawl of the pages that link to it, a page itself left out."""
    return [place for place, fetch in enumerate(crawl) if link in fetch.links and fetch.page != link]


def smoothed(place: int, crawl: Sequence[Fetch], rules: ParentRules) -> float:
    """w_rl of the page fetched at `place`, from the parents found before."""
    own = crawl[place].relevance
    above = [smoothed(parent, crawl, rules) for parent in parents_of(crawl[place].page, crawl[:place])]
    return rules.smoothing * own + (1 - rules.smoothing) * max(above) if above else own


def distance(place: int, crawl: Sequence[Fetch], rules: ParentRules) -> int:
    """Clicks from the last relevant page to the one fetched at `place`, from the parents found before."""
    if crawl[place].is_relevant:
        return 0
    above = [distance(parent, crawl, rules) for parent in parents_of(crawl[place].page, crawl[:place])]
    return min(min(above) + rules.click, rules.farthest) if above else rules.farthest


def known(link: int, crawl: Sequence[Fetch], rules: ParentRules) -> Known:
    """What a table should hold of the link after the whole crawl."""
    parents = parents_of(link, crawl)
    relevant = [place for place in parents if crawl[place].is_relevant]
    return Known(
        count=len(parents),
        relevance=_mean([crawl[place].relevance for place in parents]),
        relevant_relevance=_mean([crawl[place].relevance for place in relevant]),
        smoothed=max((smoothed(place, crawl, rules) for place in parents), default=0.0),
        distance=min((distance(place, crawl, rules) for place in parents), default=rules.farthest),
    )


def _mean(numbers: Sequence[float]) -> float:
    # Added up from left to right as they came; the built-in sum is more exact from Python 3.12 on.
    return reduce(add, numbers, 0.0) / len(numbers) if numbers else 0.0


def all_parents(table: ParentTable) -> list[list[float]]:
    """All that a table says of links, to the last bit."""
    parents = table.parents(np.arange(len(table)))
    columns = parents.count, parents.relevance, parents.relevant_relevance, parents.smoothed, parents.distance
    return [column.tolist() for column in columns]
