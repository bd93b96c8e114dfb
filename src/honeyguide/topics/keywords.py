"""Keywords for a topic: its own words and phrases, words of the subjects it lies near to, and words near to those.

A candidate is compared with the topic's focus: the direction of its own texts together with that of the subjects that
fit it. So "decline" counts for little in "coral reefs and their decline", and "marine life", which is not in it, for
much. Of all forms of a word one is suggested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.text import cosine, neighbours, words_of
from honeyguide.topics.suggestion import Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from honeyguide.text import Vocabulary, WordVectors
    from honeyguide.topics.focus import Focus
    from honeyguide.topics.gist import Gist
    from honeyguide.topics.phrases import PhraseReader, Stem

NEIGHBOURS: Final = 50
NEIGHBOUR: Final = 0.75  # what the cosine of a word of the vocabulary is worth
LEAST_SHARE: Final = 0.45  # of the best keyword's score
LONE_WORD: Final = 0.3  # what a single word of the topic is worth that no fitting subject knows


class KeywordFinder:
    """Finds keywords by what it knows of a topic."""

    def __init__(self, vectors: WordVectors, reader: PhraseReader) -> None:
        self._vectors = vectors
        self._reader = reader

    def candidates(self, gist: Gist, focus: Focus, vocabulary: Vocabulary | None) -> list[Suggestion]:
        """Everything that might be a keyword, in no order; some of it more than once."""
        entries = [entry for match in focus.fitting for entry in (match.subject.name, *match.subject.words)]
        known = frozenset(map(self._reader.stem, entries))
        return [*self._own(gist, focus, known), *self._of_subjects(focus), *self._near(vocabulary, focus)]

    def chosen(self, candidates: Iterable[Suggestion]) -> list[Suggestion]:
        """Best first, one of each family of words, without what is far behind the best of all."""
        ordered = sorted(candidates, key=lambda found: (-found.score, found.text))
        chosen: dict[frozenset[str], Suggestion] = {}
        for candidate in ordered:
            if candidate.score < LEAST_SHARE * ordered[0].score:
                break
            chosen.setdefault(frozenset(self._reader.stem(candidate.text)), candidate)
        return list(chosen.values())

    def similarity(self, text: str, focus: Focus) -> float:
        """How near a text lies to the focus, from 0 to 1."""
        return max(0.0, cosine(self._vectors.vector(words_of(text)), focus.vector))

    def _own(self, gist: Gist, focus: Focus, known: frozenset[Stem]) -> Iterator[Suggestion]:
        for stem, phrase in gist.phrases.items():
            worth = 1.0 if len(stem) > 1 or stem in known or not focus.fitting else LONE_WORD
            score = (worth * phrase.prominence + self.similarity(phrase.text, focus)) / 2
            yield Suggestion(phrase.text, score, phrase.origin)

    def _of_subjects(self, focus: Focus) -> Iterator[Suggestion]:
        for match in focus.fitting:
            names = [] if " and " in match.subject.name else [match.subject.name.lower()]
            for word in (*names, *match.subject.words):
                score = (match.score + self.similarity(word, focus)) / 2
                yield Suggestion(word, score, f"a word of {match.subject.name}")

    def _near(self, vocabulary: Vocabulary | None, focus: Focus) -> Iterator[Suggestion]:
        if vocabulary is not None:
            for word, near in neighbours(vocabulary, focus.vector, NEIGHBOURS):
                if word.isalpha() and self._reader.content_stems(word):
                    yield Suggestion(word, NEIGHBOUR * near, "near in the word vectors")
