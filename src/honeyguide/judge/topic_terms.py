"""The topic's own words, and how often a page has them: in its text, its title and its beginning.

A term is a content word of the topic's name, or a keyword, which is one whole phrase. Words are compared by stem. How
much a term says of the text is BM25's saturation of its count,

    count / (count + k (1 - b + b · length / AVERAGE_WORDS)),        k = 1.2, b = 0.75,

and terms are weighed by how telling they are (`honeyguide.text.telling`). Keywords add to what the words of the name
say and never take away: a page need not have all of them, and no more than `MOST_SAID` of a whole name counts.
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text import Stems, words_of
from honeyguide.text.telling import content_words, idf_of_stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Topic

MOST_TERMS: Final = 16  # counted apart; the last is the mean of all that follow
LEAD_WORDS: Final = 60  # of the main text: its beginning
MOST_SAID: Final = 1.5
SATURATION: Final = 1.2
LENGTH_SHARE: Final = 0.75
AVERAGE_WORDS: Final = 1409  # of the main texts of the collection that the shipped shares are from
CACHED_WORDS: Final = 131_072
LEAST_TELLING: Final = 0.5  # that a whole name is taken for: "the who" is two stop words

Term = tuple[str, ...]
"""The stems of a word or phrase."""


class TopicTerms:
    """Counts the terms of one topic on pages. Not thread-safe: it remembers which words have which stems."""

    def __init__(self, topic: Topic, language: str = "english") -> None:
        self._stems = Stems(language)
        named = [(stem,) for stem in self._stems.of(content_words(topic.name, language))]
        keywords = [tuple(self._stems.of(words_of(keyword))) for keyword in topic.keywords]
        self._terms: tuple[Term, ...] = tuple(dict.fromkeys([*named, *filter(None, keywords)]))
        is_named = np.array([term in named for term in self._terms], dtype=np.bool_)
        telling = np.array([max(map(idf_of_stem, term)) for term in self._terms])
        # Without a name, any three keywords say as much as a whole name.
        whole = telling[is_named].sum() if is_named.any() else 3 * telling.mean() if len(telling) else 0.0
        self._shares: NDArray[np.float64] = telling / max(float(whole), LEAST_TELLING)
        self.weights: NDArray[np.float64] = self._shares.copy()
        if len(telling) > MOST_TERMS:
            self.weights = np.append(self._shares[: MOST_TERMS - 1], self._shares[MOST_TERMS - 1 :].sum())
        self._wanted = frozenset(stem for term in self._terms for stem in term)
        self._stem_by_word: dict[str, str] = {}  # of words that have a stem of a term
        self._met: set[str] = set()  # words, whether they have one or not

    def measure(self, title: Sequence[str], words: tuple[str, ...]) -> NDArray[np.float64]:
        """Return how much each term says of the text, then whether it is in the title, then in the beginning.

        From 0 to 1, as many of each kind as there are `weights`. Weighed by them, those of one kind add up to how much
        of the topic is there; with a name and no keywords that is at most 1.
        """
        parts = (self._said(words), self._has(title), self._has(words[:LEAD_WORDS]))
        return np.concatenate([self._pooled(part) for part in parts])

    def has(self, word: str) -> bool:
        """Whether the word is one of a term, by its stem."""
        self._meet((word,))
        return word in self._stem_by_word

    def _pooled(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(numbers) <= MOST_TERMS:
            return numbers
        rest = (numbers * self._shares)[MOST_TERMS - 1 :].sum() / self.weights[-1]
        return np.append(numbers[: MOST_TERMS - 1], rest)

    def _said(self, words: tuple[str, ...]) -> NDArray[np.float64]:
        counts = self._counts(words)
        length = 1 - LENGTH_SHARE + LENGTH_SHARE * len(words) / AVERAGE_WORDS
        return counts / (counts + SATURATION * length)

    def _has(self, words: Sequence[str]) -> NDArray[np.float64]:
        return np.minimum(self._counts(words), 1.0)

    def _counts(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Count how often each term stands among these words."""
        self._meet(words)
        counts = np.zeros(len(self._terms))
        stem_of = self._stem_by_word
        places: dict[str, list[int]] = {}
        # Hardly a word is one of the topic's, and so hardly one is looked at in Python.
        for place in compress(range(len(words)), map(stem_of.__contains__, words)):
            places.setdefault(stem_of[words[place]], []).append(place)
        for number, (first, *rest) in enumerate(self._terms):
            starts = places.get(first, [])
            if rest and starts:
                later = [frozenset(places.get(stem, ())) for stem in rest]
                starts = [p for p in starts if all(p + 1 + step in found for step, found in enumerate(later))]
            counts[number] = len(starts)
        return counts

    def _meet(self, words: Sequence[str]) -> None:
        """Find out which of the words have a stem of a term."""
        if self._met.issuperset(words):
            return
        if len(self._met) > CACHED_WORDS:
            self._met = set(self._stem_by_word)
        new = sorted(set(words) - self._met)
        self._met.update(new)
        stems = zip(new, self._stems.of(new), strict=True)
        self._stem_by_word |= {word: stem for word, stem in stems if stem in self._wanted}
