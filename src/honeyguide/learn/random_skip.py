"""Breadth-first that skips links at random: what a strategy that skips must beat at the same share of skips."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.domain import Skipped
from honeyguide.learn.strategy import Order
from honeyguide.learn.unlearned import Unlearned

if TYPE_CHECKING:
    from honeyguide.domain import Candidates, Row, Rows, Url
    from honeyguide.settings import RandomSkipSettings


class RandomSkip(Unlearned):
    """A queue that leaves out a share of its links, whatever they are. Seeds are always fetched."""

    order = Order.OLDEST
    row_width = 1

    def __init__(self, settings: RandomSkipSettings) -> None:
        self._share = settings.share

    def describe(self, candidates: Candidates) -> Rows:
        return candidates.is_seed.astype(np.float16)[:, None]

    def skip(self, url: Url, row: Row, chance: np.random.Generator) -> Skipped | None:  # noqa: ARG002
        is_seed = bool(row[0])
        return Skipped("by chance") if not is_seed and chance.random() < self._share else None
