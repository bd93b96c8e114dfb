"""How well each shipped subject fits a topic."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from honeyguide.text import unit, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from honeyguide.text import WordVectors
    from honeyguide.topics.gist import Gist
    from honeyguide.topics.phrases import PhraseReader
    from honeyguide.topics.subjects import Subject

SHARED_WORDS: Final = 0.5  # what having the topic's words is worth against lying near it; see docs/topics.md
AGAINST: Final = 0.5  # what fitting a counterexample costs
PART_OF_A_PHRASE: Final = 0.5  # what a word is worth alone that the topic has within a phrase known as a whole


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A subject and how well it fits."""

    subject: Subject
    direction: NDArray[np.float64]  # of its name and words
    nearness: float  # cosine with the topic
    shared: float  # share of the topic's words that belong to the subject, from 0 to 1
    against: float = 0.0  # how well it fits what the topic is not, from 0 to 1

    @property
    def score(self) -> float:
        """From 0 to 1."""
        fit = (1 - SHARED_WORDS) * max(0.0, self.nearness) + SHARED_WORDS * self.shared
        return max(0.0, fit - AGAINST * self.against)


class SubjectMatcher:
    """Compares topics with subjects by direction and by shared words."""

    def __init__(self, subjects: Sequence[Subject], vectors: WordVectors, reader: PhraseReader) -> None:
        self._subjects = subjects
        self._vectors = vectors
        self._reader = reader

    def matches(self, gist: Gist, counterexamples: Gist | None = None) -> list[Match]:
        """Every subject, in the order of the list."""
        matches = self._matches(gist)
        if counterexamples is None:
            return matches
        against = self._matches(counterexamples)
        return [replace(match, against=other.score) for match, other in zip(matches, against, strict=True)]

    def _matches(self, gist: Gist) -> list[Match]:
        whole = self._whole_phrases(gist)
        return [
            Match(subject, direction, float((direction * gist.vector).sum()), _shared(gist, entries, whole))
            for subject, direction, entries in zip(self._subjects, self._directions, self._entries, strict=True)
        ]

    def _whole_phrases(self, gist: Gist) -> frozenset[frozenset[str]]:
        """Phrases of the topic that some subject knows: a black hole is no hole."""
        said = [frozenset(stem) for stem in gist.phrases if len(stem) > 1]
        entries = {entry for entries in self._entries for entry in entries if len(entry) > 1}
        return frozenset(entry for entry in entries if any(entry <= phrase for phrase in said))

    @cached_property
    def _directions(self) -> list[NDArray[np.float64]]:
        texts = [" ".join((subject.name, *subject.words)) for subject in self._subjects]
        return [unit(self._vectors.vector(words_of(text))) for text in texts]

    @cached_property
    def _entries(self) -> list[list[frozenset[str]]]:
        return [
            [self._reader.content_stems(entry) for entry in (subject.name, *subject.words)]
            for subject in self._subjects
        ]


def _shared(gist: Gist, entries: Sequence[frozenset[str]], whole: frozenset[frozenset[str]]) -> float:
    """The weight of the topic's words that stand in a subject's entries.

    A word of an entry counts by the square of the share of the entry that the topic has: "opening ceremony" says
    little of a topic that has only the ceremony. In the same way a word of one of the topic's phrases counts less
    where a subject knows the word and not the phrase.
    """
    best: dict[str, float] = {}
    for entry in entries:
        common = entry & gist.weight_by_stem.keys()
        for stem in common:
            best[stem] = max(best.get(stem, 0.0), (len(common) / len(entry)) ** 2)
    for phrase in whole.difference(entries):
        for stem in phrase & best.keys():
            best[stem] *= PART_OF_A_PHRASE
    return sum(gist.weight_by_stem[stem] * share for stem, share in best.items())
