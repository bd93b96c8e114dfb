"""Relevance as the cosine with the topic of the page's word vectors, weighed by tf-idf: Pertejo 2021, 3.3.2.

    V_d = Σ tf(w, d) · idf(w) · V_w  over the distinct words w of d,     tf = 1 + log2(count)

The topic's vector is that of its word; of several words, their sum. Here words are counted whole, where his code counts
every place in which the letters stand, "art" in "part" too. His code divides V_d by the number of words, which no
cosine notices. Weights are rounded to the grain of the word vectors, so that the sum is exact in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.domain import Evidence
from honeyguide.judge.idf import IdfMemory
from honeyguide.judge.weighed_words import DistinctWords, TopicVector
from honeyguide.text import cosine, words_of
from honeyguide.text.vectors import on_grain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Page, Topic
    from honeyguide.judge.idf import DocumentFrequencies
    from honeyguide.text import WordVectors


class EmbeddingTfidfJudge(IdfMemory):
    """Cosine of the main text's vector with the topic's, negative values as 0."""

    def __init__(self, topic: Topic, vectors: WordVectors, reference: DocumentFrequencies | None = None) -> None:
        super().__init__((word for phrase in topic.phrases for word in words_of(phrase)), reference)
        self._vectors = vectors
        self._topic = TopicVector(topic, vectors)
        # As for the plain embedding judge: 0.25 was reached by as many of the same articles. That with examples was
        # looked at for the plain one alone.
        self.threshold = self._topic.threshold
        self._last_nearness: tuple[Page | None, int, float] = (None, 0, 0.0)

    def relevance(self, page: Page) -> float:
        return min(1.0, max(0.0, self.nearness(page)))

    def nearness(self, page: Page) -> float:
        """The cosine itself, from -1 to 1. The last answer is kept, because relevance and reward ask in turn."""
        last_page, pages_then, _ = self._last_nearness
        if page is not last_page or self._frequencies.pages != pages_then:
            text = DistinctWords.of(page, self._vectors)
            near = cosine(self._weights(text) @ text.vectors, self._topic.vector)
            self._last_nearness = page, self._frequencies.pages, near
        return self._last_nearness[2]

    def load(self, state: bytes) -> None:
        super().load(state)
        self._last_nearness = (None, 0, 0.0)

    def evidence(self, page: Page) -> Evidence:
        text = DistinctWords.of(page, self._vectors)
        rows, rest = self._topic.rows(text, self._weights(text))
        return Evidence("embedding-tfidf", self.relevance(page), self.threshold, rows, rest)

    def _weights(self, text: DistinctWords) -> NDArray[np.float64]:
        return on_grain((1 + np.log2(text.counts)) * self._frequencies.idf(text.words))
