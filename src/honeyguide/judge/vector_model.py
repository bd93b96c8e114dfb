"""Relevance by a model that was trained on the vectors of a topic's examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from honeyguide.domain import Evidence, EvidenceRow
from honeyguide.judge.unchanging import Unchanging
from honeyguide.judge.weighed_words import ROWS_SHOWN, DistinctWords
from honeyguide.text import unit
from honeyguide.text.vectors import count_weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.domain import Page
    from honeyguide.text import WordVectors


class VectorModel(Protocol):
    """What has been learned from examples."""

    def probability(self, vector: NDArray[np.float64]) -> float:
        """How likely a text with this vector, which has length 1, is one to be like."""
        ...


class VectorModelJudge(Unchanging):
    """The probability that the main text is one to be like; 0 for a text without a word that has a vector."""

    threshold = 0.5

    def __init__(self, kind: str, model: VectorModel, vectors: WordVectors) -> None:
        self._kind = kind
        self._model = model
        self._vectors = vectors

    def relevance(self, page: Page) -> float:
        return self._probability(self._vectors.look_up(page.words).within(page.main_spans).text_vector())

    def evidence(self, page: Page) -> Evidence:
        """The words without which the page would be less relevant."""
        relevance = self.relevance(page)
        text = DistinctWords.of(page, self._vectors)
        weights = count_weights(text.counts)
        whole = weights @ text.vectors
        losses = [
            relevance - self._probability(whole - weight * vector)
            for weight, vector in zip(weights.tolist(), text.vectors, strict=True)
        ]
        order = sorted(range(len(losses)), key=lambda place: -losses[place])
        rows = tuple(
            EvidenceRow(text.words[place], "", 0.0, losses[place], int(text.counts[place]))
            for place in order[:ROWS_SHOWN]
        )
        return Evidence(self._kind, relevance, self.threshold, rows, is_sum=False)

    def _probability(self, vector: NDArray[np.float64]) -> float:
        return self._model.probability(unit(vector)) if vector.any() else 0.0
