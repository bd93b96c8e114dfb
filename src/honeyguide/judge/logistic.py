"""Logistic regression over text vectors, fitted to a topic's examples by scikit-learn."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import SettingsError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.judge.examples import Examples
    from honeyguide.text import WordVectors

# On the groups and numbers of examples of `benchmarks/example_judges.py`, 1, 10 and 100 rank pages alike; at 1 all
# probabilities stay near a half, and at 100 the ranking of the hardest group is a little worse.
INVERSE_REGULARISATION: Final = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel:
    """A weighted sum through the logistic curve."""

    weights: NDArray[np.float64]
    bias: float

    def probability(self, vector: NDArray[np.float64]) -> float:
        return logistic(float((self.weights * vector).sum()) + self.bias)


def fitted_logistic(examples: Examples, table: WordVectors) -> LogisticModel:
    """The model of these examples, both kinds weighing the same however many there are. Chance plays no part."""
    try:
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        mistake = (
            "judge.kind is 'classifier': learning from examples needs scikit-learn; "
            "pip install 'honeyguide[classifier]', or name a classifier of your own in judge.classifier"
        )
        raise SettingsError([mistake]) from None
    fitted = LogisticRegression(C=INVERSE_REGULARISATION, class_weight="balanced", max_iter=1000)
    fitted.fit(examples.vectors(table), examples.labels)
    return LogisticModel(np.array(fitted.coef_[0], dtype=np.float64), float(fitted.intercept_[0]))


def logistic(number: float) -> float:
    """1 / (1 + e^-x), without overflow."""
    if number >= 0:
        return 1 / (1 + math.exp(-number))
    power = math.exp(number)
    return power / (1 + power)
