"""The topic's own words, and how often a page has them: in its text, its title and its beginning.

A term is a content word of the topic's name, or a keyword, which is one whole phrase. Words are compared by stem. How
much a term says of the text is BM25's saturation of its count,

    count / (count + k (1 - b + b · length / AVERAGE_WORDS)),        k = 1.2, b = 0.75,

and terms are weighed by how telling they are (`honeyguide.text.telling`). Keywords add to what the words of the name
say and never take away: a page need not have all of them, and no more than `MOST_SAID` of a whole name counts.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text import Stems, words_of
from honeyguide.text.telling import content_words, idf_of_stem
from honeyguide.text.vectors import WordLabels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import Topic
    from honeyguide.text import WordRows

MOST_TERMS: Final = 16  # counted apart; the last is the mean of all that follow
LEAD_WORDS: Final = 60  # of the main text: its beginning
MOST_SAID: Final = 1.5
SATURATION: Final = 1.2
LENGTH_SHARE: Final = 0.75
AVERAGE_WORDS: Final = 1409  # of the main texts of the collection that the shipped shares are from
LEAST_TELLING: Final = 0.5  # that a whole name is taken for: "the who" is two stop words


class TopicTerms:
    """Counts the terms of one topic on pages. Not thread-safe: it remembers which words are whose."""

    def __init__(self, topic: Topic, language: str = "english") -> None:
        self._stems = Stems(language)
        named = [(stem,) for stem in self._stems.of(content_words(topic.name, language))]
        keywords = [tuple(self._stems.of(words_of(keyword))) for keyword in topic.keywords]
        terms = tuple(dict.fromkeys([*named, *filter(None, keywords)]))
        is_named = np.array([term in named for term in terms], dtype=np.bool_)
        telling = np.array([max(map(idf_of_stem, term)) for term in terms])
        # Without a name, any three keywords say as much as a whole name.
        whole = telling[is_named].sum() if is_named.any() else 3 * telling.mean() if len(telling) else 0.0
        self._shares: NDArray[np.float64] = telling / max(float(whole), LEAST_TELLING)
        self.weights: NDArray[np.float64] = self._shares.copy()
        if len(telling) > MOST_TERMS:
            self.weights = np.append(self._shares[: MOST_TERMS - 1], self._shares[MOST_TERMS - 1 :].sum())
        self._label_by_stem = {stem: label for label, stem in enumerate(dict.fromkeys(chain(*terms)), start=1)}
        self._terms = [[self._label_by_stem[stem] for stem in term] for term in terms]
        self._labels = WordLabels(self._label_of)

    def measure(self, title: WordRows, text: WordRows) -> NDArray[np.float64]:
        """Return how much each term says of the text, then whether it is in the title, then in the beginning.

        From 0 to 1, as many of each kind as there are `weights`. Weighed by them, those of one kind add up to how much
        of the topic is there; with a name and no keywords that is at most 1.
        """
        said, in_title, in_lead = (self._counts(part) for part in (text, title, text.first(LEAD_WORDS)))
        length = 1 - LENGTH_SHARE + LENGTH_SHARE * len(text.numbers) / AVERAGE_WORDS
        said /= said + SATURATION * length
        parts = (said, np.minimum(in_title, 1.0), np.minimum(in_lead, 1.0))
        return np.concatenate([self._pooled(part) for part in parts])

    def has(self, word: str) -> bool:
        """Whether the word is one of a term, by its stem."""
        return self._label_of(word) > 0

    def _label_of(self, word: str) -> int:
        """Return the number of the word's stem among those of terms, from 1; 0 where no term has it."""
        return self._label_by_stem.get(self._stems.make(word), 0)

    def _pooled(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(numbers) <= MOST_TERMS:
            return numbers
        rest = (numbers * self._shares)[MOST_TERMS - 1 :].sum() / self.weights[-1]
        return np.append(numbers[: MOST_TERMS - 1], rest)

    def _counts(self, rows: WordRows) -> NDArray[np.float64]:
        """Count how often each term stands among these words."""
        counts = np.zeros(len(self._terms))
        labels = self._labels.of(rows)
        # Hardly a word is one of the topic's, and so hardly one is looked at in Python.
        found = np.flatnonzero(labels)
        places: dict[int, list[int]] = {}
        for place, label in zip(found.tolist(), labels[found].tolist(), strict=True):
            places.setdefault(label, []).append(place)
        for number, (first, *rest) in enumerate(self._terms):
            starts = places.get(first, [])
            if rest and starts:
                later = [frozenset(places.get(label, ())) for label in rest]
                starts = [p for p in starts if all(p + 1 + step in found for step, found in enumerate(later))]
            counts[number] = len(starts)
        return counts
