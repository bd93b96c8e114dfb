"""A text's vector taken apart again: which of its words brought it near the topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.domain import EvidenceRow
from honeyguide.text import cosines, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Page, Topic
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
    # each: reached by five to eight articles in a hundred, as 0.25 is by four for the names of the categories alone.
    THRESHOLD_WITH_EXAMPLES: Final = 0.4

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
