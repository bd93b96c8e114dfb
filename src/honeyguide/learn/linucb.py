"""LinUCB: ridge regression of the reward, and a bonus for links of a kind that is little known.

Li, Chu, Langford and Schapire (2010), "A contextual-bandit approach to personalized news article recommendation",
Algorithm 1. A link with row x is worth, after fetches with rows x_i and rewards r_i,

    θ·x + α √(xᵀ A⁻¹ x)        A = I + Σ x_i x_iᵀ        θ = A⁻¹ Σ r_i x_i.

The paper has a θ for every arm. A link is fetched once, so here one θ serves all links, and a link is what its row
(`features`) says. A⁻¹ is updated by one row at a time. The paper leaves α to be tuned; the default is ours. The text
columns are those of the sighting with the best score when it was found.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.features import COLUMNS, LinkFeatures
from honeyguide.learn.online_ridge import Ridge
from honeyguide.learn.shared_sums import SharedSums
from honeyguide.learn.strategy import Order, Strategy
from honeyguide.model import weighted_sums
from honeyguide.model.saved_state import load_arrays
from honeyguide.settings import setting

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, LinkDescriptions, ParentFacts, Rows, Topic, Transition
    from honeyguide.text import WordVectors


_OWN_AND_OTHERS: Final = ("own_rows", "own_rewards", "others_rows", "others_rewards")


@dataclass(frozen=True, slots=True)
class LinUcbSettings:
    """The linear bandit LinUCB."""

    table: ClassVar = "linucb"

    alpha: float = setting(0.2, "α: weight of what is uncertain against what is expected", at_least=0, at_most=100)


class LinUcb(Strategy):
    """Scores are upper confidence bounds of the reward."""

    settings_type = LinUcbSettings
    order = Order.BEST_SCORE
    row_width = len(COLUMNS)
    columns = COLUMNS

    def __init__(self, topic: Topic, vectors: WordVectors, settings: LinUcbSettings) -> None:
        self._features = LinkFeatures(topic, vectors)
        self.description_type = self._features.description_type
        self._alpha = settings.alpha
        self._ridge = _start()
        # In a run of several shards, Σ x xᵀ and Σ r x: of this one, and of the others.
        self._own: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
        self._others = _no_sums()

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.vectors(), given.settings.of(LinUcbSettings))

    @property
    def told_weights(self) -> NDArray[np.float64]:
        """θ; the bonus for what is little known is no weighted sum."""
        return self._ridge.weights

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        return self._features.describe(candidates)

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        return self._features.rows(described, parents)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        expected = weighted_sums(rows, self._ridge.weights)
        return expected + self._alpha * np.sqrt(variances(rows, self._ridge.inverse))

    def learn(self, transition: Transition) -> bool:
        row = transition.row.astype(np.float64)
        self._ridge = self._ridge.updated(row, transition.reward)
        if self._own is not None:
            self._own[0][:] += row[:, None] * row
            self._own[1][:] += transition.reward * row
        return True

    def relearn(self, transitions: Iterable[Transition]) -> bool:
        self._ridge = _start()
        if self._own is not None:
            self._own = _no_sums()
            self._ridge = _start().with_sums(*self._others)
        for transition in transitions:
            self.learn(transition)
        return True

    def begin_sharing(self) -> bool:
        self._own = _no_sums()
        return True

    def share(self) -> SharedSums | None:
        return None if self._own is None else SharedSums({"rows": self._own[0].copy(), "rewards": self._own[1].copy()})

    def take_shared(self, others: SharedSums) -> None:
        assert self._own is not None
        self._others = others.sums["rows"], others.sums["rewards"]
        self._ridge = _start().with_sums(self._own[0] + self._others[0], self._own[1] + self._others[1])

    def save(self) -> bytes:
        buffer = io.BytesIO()
        state = {"weights": self._ridge.weights, "inverse": self._ridge.inverse}
        if self._own is not None:
            state |= dict(zip(_OWN_AND_OTHERS, (*self._own, *self._others), strict=True))
        np.savez(buffer, **state)  # type: ignore[arg-type]
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        width = self.row_width
        try:
            saved = load_arrays(state)
            ridge = Ridge(saved["weights"].reshape(width), saved["inverse"].reshape(width, width))
            if self._own is not None and _OWN_AND_OTHERS[0] in saved:
                own_rows, own_rewards, rows, rewards = (saved[name] for name in _OWN_AND_OTHERS)
                self._own = own_rows.reshape(width, width), own_rewards.reshape(width)
                self._others = rows.reshape(width, width), rewards.reshape(width)
            elif self._own is not None:  # of a shard that did not share yet
                seen = np.linalg.inv(ridge.inverse)
                self._own = seen - np.eye(width), seen @ ridge.weights
            self._ridge = ridge
        except (ValueError, KeyError) as error:
            raise StrategyError(f"not a saved state of linucb: {error}") from error


def variances(rows: Rows, inverse: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return xᵀ A⁻¹ x of each row; the same in any batch."""
    # Column by column, without BLAS: every entry is added up in the same order whatever the batch.
    wide = rows.astype(np.float64)
    sums = np.zeros(len(wide))
    for column, weights in enumerate(inverse):
        sums += wide[:, column] * weighted_sums(wide, weights)
    return np.maximum(sums, 0.0)


def _no_sums() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.zeros((len(COLUMNS), len(COLUMNS))), np.zeros(len(COLUMNS))


def _start() -> Ridge:
    return Ridge.prior(np.zeros(len(COLUMNS)), np.ones(len(COLUMNS)))
