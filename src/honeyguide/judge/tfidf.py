"""Relevance as the cosine of the page's words with the topic's, weighed by how often and how rare they are.

    weight(w, text) = (1 + ln count(w, text)) · idf(w)

As scikit-learn has it with `sublinear_tf`; `idf` is in `idf.py`. The cosine needs the norm of the whole page and the
products of the topic's few words. It is above 0 exactly where the page has a word of the topic, which is what Han et
al. 2018 call relevant.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.domain import Evidence, EvidenceRow
from honeyguide.judge.idf import IdfMemory
from honeyguide.text import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from honeyguide.domain import Page, Topic
    from honeyguide.judge.idf import DocumentFrequencies


class TfidfJudge(IdfMemory):
    """Cosine of the tf-idf vectors of main text and topic; the topic's text is its name and keywords."""

    # Looked at once on 3,000 encyclopaedia articles and four topics: reached by up to three articles in a hundred.
    threshold = 0.04

    def __init__(self, topic: Topic, reference: DocumentFrequencies | None = None) -> None:
        self._topic = Counter(word for phrase in topic.phrases for word in words_of(phrase))
        super().__init__(self._topic, reference)

    def relevance(self, page: Page) -> float:
        return min(1.0, float(self._shares(self._counts(page)).sum()))

    def evidence(self, page: Page) -> Evidence:
        """The topic's words that the page has, and what each adds to the cosine."""
        counts = self._counts(page)
        shares = self._shares(counts)
        found = [
            EvidenceRow(word, word, 1.0, share, counts[word])
            for word, share in zip(self._topic, shares.tolist(), strict=True)
            if share > 0
        ]
        rows = tuple(sorted(found, key=lambda row: -row.contribution))
        return Evidence("tfidf", min(1.0, float(shares.sum())), self.threshold, rows)

    def _shares(self, counts: Counter[str]) -> NDArray[np.float64]:
        """What each of the topic's words adds to the cosine of a text with these counts."""
        asked = _weights(self._topic.values(), self._frequencies.idf(self._topic))
        if self._topic.keys().isdisjoint(counts):
            return np.zeros(len(asked))
        text = _weights(counts.values(), self._frequencies.idf(counts))
        has = _weights([counts[word] for word in self._topic], self._frequencies.idf(self._topic))
        shares: NDArray[np.float64] = asked * has / math.sqrt((text * text).sum() * (asked * asked).sum())
        return shares


def _weights(counts: Iterable[int], idf: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights of words that stand so often in a text; 0 where they do not."""
    often = np.fromiter(counts, dtype=np.float64, count=len(idf))
    weights: NDArray[np.float64] = np.where(often > 0, 1 + np.log(np.maximum(often, 1)), 0.0) * idf
    return weights
