"""What is known of the pages that link to a page: Han et al. (2018), section 3.1, and Pertejo (2021), section 3.3.1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.errors import StrategyError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain.link import LinkId


@dataclass(frozen=True, slots=True)
class LineageRules:
    """How relevance and distance run down from page to page."""

    smoothing: float = 0.4  # β: weight of the page itself against its ancestors; both papers' value
    farthest: int = 9  # clicks beyond which distances are not told apart; both papers' value
    click: int = 1  # what one click adds to a distance: 1 in Han and in Pertejo's program, 0 in Pertejo's text

    def __post_init__(self) -> None:
        if not 0 < self.smoothing <= 1:
            raise StrategyError(f"smoothing is {self.smoothing}; give a number above 0, at most 1")
        if not 1 <= self.farthest <= 255:
            raise StrategyError(f"the farthest distance is {self.farthest}; give a whole number from 1 to 255")
        if self.click not in (0, 1):
            raise StrategyError(f"a click adds {self.click} to a distance; give 0 or 1")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a fetched page hands down to the links on it."""

    page: LinkId
    relevance: float
    is_relevant: bool
    smoothed: float  # w_rl
    distance: int

    def __post_init__(self) -> None:
        if not (math.isfinite(self.relevance) and math.isfinite(self.smoothed)):
            raise StrategyError(f"the relevance of page {self.page} is {self.relevance}; it must be a finite number")


@dataclass(frozen=True, slots=True, eq=False)
class Parents:
    """What is known of the parents of some links, one entry a link."""

    count: NDArray[np.int64]
    relevance: NDArray[np.float64]  # mean over all parents; 0 without one
    relevant_relevance: NDArray[np.float64]  # mean over the relevant ones; 0 without one
    smoothed: NDArray[np.float64]  # greatest w_rl; 0 without a parent
    distance: NDArray[np.int64]  # smallest; `farthest` without a parent

    def __len__(self) -> int:
        return len(self.count)

    def smoothed_with(self, relevance: NDArray[np.float64], rules: LineageRules) -> NDArray[np.float64]:
        """w_rl of pages of these relevances."""
        smoothed = rules.smoothing * relevance + (1 - rules.smoothing) * self.smoothed
        return np.where(self.count > 0, smoothed, relevance)

    def change_to(self, relevance: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much pages of these relevances are above the greatest w_rl of a parent; 0 without a parent."""
        return np.where(self.count > 0, relevance - self.smoothed, 0.0)

    def distance_to(self, is_relevant: NDArray[np.bool_], rules: LineageRules) -> NDArray[np.int64]:
        """Clicks since the last relevant page, over the nearest parent."""
        return np.where(is_relevant, 0, np.minimum(self.distance + rules.click, rules.farthest))
