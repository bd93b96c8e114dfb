"""Relevance as nearness of meaning: the cosine between the page's words and the topic's, by word vectors.

The embedding judge counts every word alike; the other weighs them by tf-idf (Pertejo 2021, 3.3.2):

    V_d = Σ tf(w, d) · idf(w) · V_w  over the distinct words w of d,     tf = 1 + log2(count)

The topic's vector is that of its word; of several words, their sum. Here words are counted whole, where his code counts
every place in which the letters stand, "art" in "part" too. His code divides V_d by the number of words, which no
cosine notices. Weights are rounded to the grain of the word vectors, so that the sum is exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.judge.judge import StatelessJudge
from honeyguide.judge.tfidf import IdfMemory, IdfSettings
from honeyguide.model import Evidence, EvidenceRow
from honeyguide.text import cosine, cosines, words_of
from honeyguide.text.vectors import count_weights, on_grain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.judge.judge import JudgeIngredients
    from honeyguide.judge.tfidf import DocumentFrequencies
    from honeyguide.model import Page, Topic
    from honeyguide.text import WordVectors

ROWS_SHOWN: Final = 20


@dataclass(frozen=True, slots=True, eq=False)
class DistinctWords:
    """The distinct main words of a page, in the order in which they first stand there."""

    words: list[str]
    counts: NDArray[np.int64]
    vectors: NDArray[np.float64]  # one row a word

    @classmethod
    def of(cls, page: Page, table: WordVectors) -> DistinctWords:
        rows = table.look_up(page.words).within(page.main_spans)
        numbers, firsts, counts = np.unique(rows.numbers, return_index=True, return_counts=True)
        order = np.argsort(firsts)  # numbers are in the order in which a table met them, which a restart changes
        words = page.main_words
        return cls(
            [words[place] for place in firsts[order]],
            counts[order],
            rows.table[numbers[order]].astype(np.float64),
        )


class TopicVector:
    """The topic's vector, those of its words, which people know it by, and how near a text must come to be relevant."""

    # Looked at once on 3,000 encyclopaedia articles and four topics: reached by one to three articles in a hundred.
    THRESHOLD: Final = 0.25
    # Whole texts are nearer to one another than to a few words. On 60 categories of 8,589 articles, with two examples
    # each: reached by six articles in a hundred, as 0.25 is by five for the names of the categories alone.
    THRESHOLD_WITH_EXAMPLES: Final = 0.3

    def __init__(self, topic: Topic, table: WordVectors) -> None:
        self.threshold = self.THRESHOLD_WITH_EXAMPLES if topic.like else self.THRESHOLD
        self.vector = table.topic_vector(topic)
        self._words = list(dict.fromkeys(word for phrase in topic.phrases for word in words_of(phrase)))
        self._vectors = [table.vector([word]) for word in self._words]

    def rows(self, text: DistinctWords, weights: NDArray[np.float64]) -> tuple[tuple[EvidenceRow, ...], float]:
        """The words that brought the text nearest to the topic, and what the others come to.

        The text's vector is the sum of its words' vectors times these weights, so its cosine is a sum over words too.
        """
        whole = weights @ text.vectors
        length = float(np.sqrt((whole * whole).sum()) * np.sqrt((self.vector * self.vector).sum()))
        if length == 0:
            return (), 0.0
        shares = weights * (text.vectors @ self.vector) / length
        shown = [place for place in np.argsort(-shares, kind="stable")[:ROWS_SHOWN] if text.vectors[place].any()]
        rows = tuple(self._row(text, place, float(shares[place])) for place in shown)
        return rows, float(shares.sum()) - sum(row.contribution for row in rows)

    def _row(self, text: DistinctWords, place: int, share: float) -> EvidenceRow:
        near, similarity = self._nearest(text.vectors[place])
        return EvidenceRow(text.words[place], near, similarity, share, int(text.counts[place]))

    def _nearest(self, vector: NDArray[np.float64]) -> tuple[str, float]:
        """The topic's word that is nearest to a word."""
        if not self._words:
            return "", 0.0
        near = cosines(np.array(self._vectors), vector)
        best = int(np.argmax(near))
        return self._words[best], min(1.0, float(near[best]))


class EmbeddingJudge(StatelessJudge):
    """Cosine of the main text with the topic, negative values as 0."""

    by_page_alone = True

    @classmethod
    def build(cls, given: JudgeIngredients) -> EmbeddingJudge:
        return cls(given.topic, given.vectors_knowing(given.topic))

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


class EmbeddingTfidfJudge(IdfMemory):
    """Cosine of the main text's vector with the topic's, negative values as 0."""

    @classmethod
    def build(cls, given: JudgeIngredients) -> EmbeddingTfidfJudge:
        return cls(given.topic, given.vectors_knowing(given.topic), given.settings.of(IdfSettings).reference())

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
