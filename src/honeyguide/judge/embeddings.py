"""Relevance as nearness of meaning: the cosine between the page's words and the topic's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import Evidence
from honeyguide.judge.unchanging import Unchanging
from honeyguide.judge.weighed_words import DistinctWords, TopicVector
from honeyguide.text import cosine
from honeyguide.text.vectors import count_weights

if TYPE_CHECKING:
    from honeyguide.domain import Page, Topic
    from honeyguide.text import WordVectors


class EmbeddingJudge(Unchanging):
    """Cosine of the main text with the topic, negative values as 0."""

    def __init__(self, topic: Topic, vectors: WordVectors) -> None:
        self._vectors = vectors
        self._topic = TopicVector(topic, vectors)
        self.threshold = self._topic.threshold
        self._last: tuple[Page | None, float] = (None, 0.0)

    def relevance(self, page: Page) -> float:
        return min(1.0, max(0.0, self.nearness(page)))

    def nearness(self, page: Page) -> float:
        """The cosine itself, from -1 to 1. The last answer is kept, because relevance and reward ask in turn."""
        if page is not self._last[0]:
            text = self._vectors.look_up(page.words).within(page.main_spans).text_vector()
            self._last = page, cosine(text, self._topic.vector)
        return self._last[1]

    def evidence(self, page: Page) -> Evidence:
        text = DistinctWords.of(page, self._vectors)
        rows, rest = self._topic.rows(text, count_weights(text.counts))
        return Evidence("embedding", self.relevance(page), self.threshold, rows, rest)
