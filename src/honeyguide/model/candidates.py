"""Links as a strategy sees them: only what the crawler has seen, in columns, so that many are scored at once.

Parents are described as in Han et al. (2018), section 3.1, and Pertejo (2021), section 3.3.1. The strategy is told of
each decision when it is made, and learns from a transition when its fetch is done.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import StrategyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model.link import Link, LinkId
    from honeyguide.model.page import Page
    from honeyguide.model.url import HostKey, Url

Row: TypeAlias = NDArray[np.float16]
"""A row of half-precision numbers: a million links of 47 numbers take 94 MB."""

Rows: TypeAlias = NDArray[np.float16]
"""Rows under one another: shape (links, width)."""


LinkDescriptions: TypeAlias = NDArray[Any]
"""What strategies keep of links, one entry a link; of a type that the strategy names."""


def weighted_sums(rows: NDArray[np.floating], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply rows by weights; equal rows give bit-equal sums whatever the batch.

    Rows that are kept in double precision give the same sums sooner.
    """
    # Not `rows @ weights`: BLAS adds up a row differently at the end of a batch than in its middle.
    sums: NDArray[np.float64] = np.einsum("ij,j->i", np.ascontiguousarray(rows, np.float64), weights, optimize=False)
    return sums


@dataclass(frozen=True, slots=True)
class ParentRules:
    """How relevance and distance run down from page to page."""

    smoothing: float = 0.4  # β: weight of the page itself against its ancestors; both papers' value
    farthest: int = 9  # clicks beyond which distances are not told apart; both papers' value
    click: int = 1  # what one click adds to a distance: 1 in Han and in Pertejo's program, 0 in Pertejo's text
    is_newest: bool = False  # relevances change with the judge and count as rewards do; else they stay as they were

    def __post_init__(self) -> None:
        if not 0 < self.smoothing <= 1:
            raise StrategyError(f"smoothing is {self.smoothing}; give a number above 0, at most 1")
        if not 1 <= self.farthest <= 255:
            raise StrategyError(f"the farthest distance is {self.farthest}; give a whole number from 1 to 255")
        if self.click not in (0, 1):
            raise StrategyError(f"a click adds {self.click} to a distance; give 0 or 1")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """The facts of a fetched page that its links inherit."""

    page: LinkId
    relevance: float
    is_relevant: bool
    smoothed: float  # w_rl
    distance: int

    def __post_init__(self) -> None:
        if not (math.isfinite(self.relevance) and math.isfinite(self.smoothed)):
            raise StrategyError(f"the relevance of page {self.page} is {self.relevance}; it must be a finite number")


@dataclass(frozen=True, slots=True, eq=False)
class ParentStats:
    """The parents of some links, one entry a link."""

    count: NDArray[np.int64]
    relevance: NDArray[np.float64]  # mean over all parents; 0 without one
    relevant_relevance: NDArray[np.float64]  # mean over the relevant ones; 0 without one
    smoothed: NDArray[np.float64]  # greatest w_rl; 0 without a parent
    distance: NDArray[np.int64]  # smallest; `farthest` without a parent
    importance: NDArray[np.float64] | None = None  # PageRank of the links themselves, where it is kept: 1 is average

    def __len__(self) -> int:
        return len(self.count)

    def change_to(self, relevance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far these relevances are above the greatest w_rl of a parent; 0 without a parent."""
        return np.where(self.count > 0, relevance - self.smoothed, 0.0)

    def distance_to(self, is_relevant: NDArray[np.bool_], rules: ParentRules) -> NDArray[np.int64]:
        """Return the clicks since the last relevant page, over the nearest parent."""
        return np.where(is_relevant, 0, np.minimum(self.distance + rules.click, rules.farthest))


@dataclass(frozen=True, slots=True, eq=False)
class ParentFacts:
    """The page that shows each of some links."""

    relevance: NDArray[np.float64]  # 0 for a seed
    distance: NDArray[np.int64]  # clicks since the last relevant page; 0 for a seed
    depth: NDArray[np.int64]  # of the link itself: one more than its page's
    all: ParentStats | None = None  # of every page that shows it, where they are counted


WINDOW_WORDS: Final = 25
"""Words read on each side of an anchor, where nobody says how many."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The page that a link was found on."""

    host: HostKey
    relevance: float
    distance: int  # clicks since the last relevant page on the way here; 0 when this page is relevant itself
    depth: int  # clicks from the seed it was reached from


@dataclass(frozen=True, slots=True, eq=False)
class LinkContext:
    """The page and the parents of links, for strategies that look at them."""

    state: Row  # their page, in the numbers of the strategy
    parents: ParentStats  # of each link; their page is one of them
    links: NDArray[np.int64]  # their numbers, in the order in which links were met


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """A batch of links, one row each. A link gives the same row whatever batch it is in."""

    words: tuple[str, ...]  # the text that `spans` points into
    spans: NDArray[np.int64]  # (n, 4): window start, anchor start, anchor end, window end
    targets: tuple[Url, ...]
    in_main: NDArray[np.bool_]
    is_internal: NDArray[np.bool_]  # same host as the page it stands on; False for a seed
    is_seed: NDArray[np.bool_]
    relevance: NDArray[np.float64]  # of the page it stands on; 0 for a seed
    distance: NDArray[np.int64]  # of the page it stands on; 0 for a seed
    depth: NDArray[np.int64]  # of the link itself: one more than its page's
    is_whole_page: bool = False  # `words` is all of one page: whoever keeps rows may read beyond the windows
    context: LinkContext | None = None  # only for strategies that look at parents, and only while the page is at hand
    tag_paths: tuple[str, ...] = ()  # elements around each link, where pages are read with them
    importance: float = 0.0  # of the page they stand on, where ranks are kept and it is at hand: 1 is an average page

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def parents(self) -> ParentFacts:
        every = None if self.context is None else self.context.parents
        return ParentFacts(self.relevance, self.distance, self.depth, every)

    @classmethod
    def on_page(
        cls,
        page: Page,
        links: Sequence[Link],
        origin: Origin,
        *,
        at_first_occurrence: bool = False,
        context: LinkContext | None = None,
        importance: float = 0.0,
        window_words: int = WINDOW_WORDS,
    ) -> Candidates:
        """Describe links of one page, each where it tells most or stands first. The words are not copied.

        `window_words` are read on each side of an anchor.
        """
        places = [link.first_occurrence if at_first_occurrence else link.telling_occurrence for link in links]
        count = len(places)
        spans = np.empty((count, 4), dtype=np.int64)
        spans[:, 1] = [place.start for place in places]
        spans[:, 2] = [place.end for place in places]
        spans[:, 0] = np.maximum(spans[:, 1] - window_words, 0)
        spans[:, 3] = np.minimum(spans[:, 2] + window_words, len(page.words))
        own = (f"http://{origin.host}/", f"https://{origin.host}/")  # quicker than asking each address for its host
        return cls(
            words=page.words,
            spans=spans,
            targets=tuple(link.target for link in links),
            in_main=np.array([place.in_main for place in places], dtype=np.bool_),
            is_internal=np.array([link.target.text.startswith(own) for link in links], dtype=np.bool_),
            is_seed=np.zeros(count, dtype=np.bool_),
            relevance=np.full(count, origin.relevance),
            distance=np.full(count, origin.distance, dtype=np.int64),
            depth=np.full(count, origin.depth + 1, dtype=np.int64),
            is_whole_page=True,
            context=context,
            importance=importance,
            tag_paths=tuple([link.tag_path for link in links]),
        )

    @classmethod
    def seeds(cls, urls: Sequence[Url]) -> Candidates:
        """Describe URLs that stand on no page."""
        count = len(urls)
        return cls(
            words=(),
            spans=np.zeros((count, 4), dtype=np.int64),
            targets=tuple(urls),
            in_main=np.ones(count, dtype=np.bool_),
            is_internal=np.zeros(count, dtype=np.bool_),
            is_seed=np.ones(count, dtype=np.bool_),
            relevance=np.zeros(count),
            distance=np.zeros(count, dtype=np.int64),
            depth=np.zeros(count, dtype=np.int64),
        )

    def anchor(self, row: int) -> str:
        """Return the words of a link."""
        return " ".join(self.words[self.spans[row, 1] : self.spans[row, 2]])


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """A link was followed, with this result.

    `row` is what the strategy knew of the link (its own description of state and action), `next_rows` what it knows of
    the unvisited links on the new page. `next_rows` is empty when the fetch gave no page.
    """

    step: int
    url: Url
    row: Row
    reward: float
    relevance: float  # 0 when the fetch gave no page
    is_relevant: bool
    next_rows: Rows
    answered: float = 1.0  # 1 for a page, a half where it leads on to something new, 0 for nothing


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A link's turn had come, and it was fetched or skipped."""

    url: Url
    row: Row
    is_skipped: bool
