"""Best-N-first: the best N links are taken as one batch before those that they lead to are looked at.

Pant and Menczer's generalisation of best-first, in "Topical web crawlers: evaluating adaptive algorithms" (Menczer,
Pant and Srinivasan 2004) with N up to 256, the value that did best. A link is worth the similarity of its page to the
topic, here the relevance that the judge gives the page. With N = 1 it is best-first by pages.

What is left open: a batch that finds fewer than N links is what waits, and the next begins. A link keeps the worth that
the first page gave it. While the hosts of a batch rest, a link of the next one may be taken, which begins that batch.

A row has the worth and the number of the batch in which the link was found, modulo 2,048; links found in the batch that
is being fetched wait behind all others.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.strategy import FoundAgain, Order, Unlearned
from honeyguide.settings import setting

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Decision, Rows, Transition

NUMBERS: Final = 2048  # of batches, that half precision tells apart
BEHIND: Final = 10.0  # below any difference of two relevances


@dataclass(frozen=True, slots=True)
class BestNFirstSettings:
    """Best-N-first."""

    table: ClassVar = "best_n_first"

    batch: int = setting(256, "N: links taken before new ones are looked at; 256 is the paper's", at_least=1)


class BestNFirst(Unlearned):
    """Scores are relevances of pages; new links have their turn with the next batch."""

    settings_type = BestNFirstSettings
    order = Order.BEST_SCORE
    row_width = 2
    found_again = FoundAgain.FIRST
    seeds_first = True

    def __init__(self, settings: BestNFirstSettings) -> None:
        self._size = settings.batch
        self._batch = 0  # by which links are scored; follows the next one when something was learned
        self._found_in = 0  # the batch to which the links taken now belong
        self._taken = 0

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.of(BestNFirstSettings))

    def describe(self, candidates: Candidates) -> Rows:
        found_in = np.full(len(candidates), self._found_in)
        return np.column_stack((candidates.relevance, found_in)).astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        worth, found_in = rows.T.astype(np.float64)
        return worth - np.where(found_in == self._batch, BEHIND, 0.0)

    def notice(self, decision: Decision) -> None:
        if int(decision.row[1]) == self._found_in:  # nothing older is left
            self._begin_batch()
        self._taken += 1

    def learn(self, transition: Transition) -> bool:  # noqa: ARG002
        if self._taken >= self._size:
            self._begin_batch()
        has_changed = self._batch != self._found_in
        self._batch = self._found_in
        return has_changed

    def save(self) -> bytes:
        return json.dumps([self._batch, self._found_in, self._taken]).encode()

    def load(self, state: bytes) -> None:
        try:
            self._batch, self._found_in, self._taken = map(int, json.loads(state))
        except (ValueError, TypeError) as error:
            raise StrategyError(f"not a saved state of best-n-first: {error}") from error

    def _begin_batch(self) -> None:
        self._found_in, self._taken = (self._found_in + 1) % NUMBERS, 0
