"""A strategy that describes links as an agent sees them, and leaves everything else to another strategy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.domain import weighted_sums
from honeyguide.learn import Strategy
from honeyguide.learn.features import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Decision, Row, Rows, Skipped, Transition, Url
    from honeyguide.learn.features import LinkFeatures

WIDTH: Final = len(COLUMNS)
"""Numbers at the beginning of each row that are the link features; the scorer's own follow."""


class FeatureRows(Strategy):
    """Scores, learns and saves as its scorer does; its rows begin with the link features."""

    def __init__(self, scorer: Strategy, features: LinkFeatures) -> None:
        self._scorer = scorer
        self._features = features
        self.order = scorer.order
        self.row_width = WIDTH + scorer.row_width
        self.capacity = scorer.capacity
        self.found_again = scorer.found_again
        self.reads_first_occurrence = scorer.reads_first_occurrence
        self.keeps_rows = scorer.keeps_rows

    @property
    def weights(self) -> NDArray[np.float64] | None:
        weights = self._scorer.weights
        return None if weights is None else np.concatenate((np.zeros(WIDTH), weights))

    def describe(self, candidates: Candidates) -> Rows:
        return np.concatenate((self._features.rows(candidates), self._scorer.describe(candidates)), axis=1)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        # With weights, the sum that the frontier makes from them, so that the two agree to the last bit.
        weights = self.weights
        return self._scorer.score(rows[:, WIDTH:]) if weights is None else weighted_sums(rows, weights)

    def explores(self, chance: np.random.Generator) -> bool:
        return self._scorer.explores(chance)

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:
        return self._scorer.skip(url, row[WIDTH:], chance)

    def notice(self, decision: Decision) -> None:
        self._scorer.notice(replace(decision, row=decision.row[WIDTH:]))

    def expands(self, url: Url) -> bool:
        return self._scorer.expands(url)

    def learn(self, transition: Transition) -> bool:
        own = replace(transition, row=transition.row[WIDTH:], next_rows=transition.next_rows[:, WIDTH:])
        return self._scorer.learn(own)

    def save(self) -> bytes:
        return self._scorer.save()

    def load(self, state: bytes) -> None:
        self._scorer.load(state)
