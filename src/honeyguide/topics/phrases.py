"""The words and phrases of a text that say what it is about, counted.

A phrase is a candidate of RAKE's, or a part of one: words with neither a stop word nor a number nor a punctuation mark
between them. Forms of one word ("reef", "reefs") are one, under the form that is most frequent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from honeyguide.text import WORD, Stems, stop_words, words_of
from honeyguide.text.rake import candidates_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from honeyguide.topics.subjects import Subject

LONGEST_PHRASE: Final = 3  # words
SHORT_TEXT: Final = 30  # words; in a longer text a phrase must come back, and stand by itself at least once
_FEWEST_LETTERS: Final = 3

Stem = tuple[str, ...]
"""The stems of a phrase's words, in order: what all its forms share."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A word or a few, as most often written in a text."""

    text: str
    stem: Stem
    count: int

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.text.split(" "))


class PhraseReader:
    """Finds phrases in texts of one language, and knows which words belong to a subject."""

    def __init__(self, subjects: Iterable[Subject] = (), language: str = "english") -> None:
        self._subjects = tuple(subjects)
        self._stems = Stems(language)
        self._stop_words = stop_words(language)

    def stem(self, phrase: str) -> Stem:
        """What all forms of a phrase share."""
        return tuple(self._stems.of(WORD.findall(phrase.lower())))

    def content_stems(self, phrase: str) -> frozenset[str]:
        """The stems of a phrase's words that are no stop words."""
        return frozenset(self._stems.of([word for word in WORD.findall(phrase.lower()) if self._is_content(word)]))

    def without_stop_words(self, text: str) -> str:
        """The content words of a text, between spaces."""
        return " ".join(word for word in WORD.findall(text.lower()) if self._is_content(word))

    @cached_property
    def subject_stems(self) -> frozenset[str]:
        """The stems of all words that belong to a subject."""
        entries = [entry for subject in self._subjects for entry in (subject.name, *subject.words)]
        return self.content_stems(" ".join(entries))

    def read(self, text: str) -> list[Phrase]:
        """Every word and phrase of a text with how often it stands there; the most frequent first, then by letters."""
        runs = self._runs(text)
        forms: dict[Stem, Counter[str]] = defaultdict(Counter)
        whole: set[Stem] = set()
        for run in runs:
            stems = self._stems.of(run)
            whole.add(tuple(stems))
            for length in range(1, LONGEST_PHRASE + (len(run) <= LONGEST_PHRASE)):
                for first in range(len(run) - length + 1):
                    part = slice(first, first + length)
                    forms[tuple(stems[part])][" ".join(run[part])] += 1
        is_short = sum(map(len, runs)) <= SHORT_TEXT
        phrases = [
            Phrase(_usual(written), stem, written.total())
            for stem, written in forms.items()
            if is_short or len(stem) == 1 or (stem in whole and written.total() > 1)
        ]
        return sorted(_without_fragments(phrases), key=lambda phrase: (-phrase.count, phrase.text))

    def _runs(self, text: str) -> list[list[str]]:
        """Content words that follow one another."""
        folded = " ".join(text.split())
        words = words_of(folded)
        breaking = {word for word in words if not self._is_content(word)}
        return [words[start:end] for start, end in candidates_in(folded, words, [(0, len(words))], breaking)]

    def _is_content(self, word: str) -> bool:
        # Two letters are a word in scripts that need no more.
        is_long_enough = len(word) >= _FEWEST_LETTERS or not word.isascii()
        return is_long_enough and word not in self._stop_words and not word[0].isdigit()


def _usual(written: Counter[str]) -> str:
    """The most frequent form; of equal ones the shortest, then the first by letters."""
    return min(written, key=lambda form: (-written[form], len(form), form))


def _without_fragments(phrases: Sequence[Phrase]) -> Iterator[Phrase]:
    """Leave out a phrase of several words that stands only within longer ones of the same count."""
    within: set[tuple[Stem, int]] = set()
    for phrase in phrases:
        for length in range(2, len(phrase.stem)):
            for first in range(len(phrase.stem) - length + 1):
                within.add((phrase.stem[first : first + length], phrase.count))
    yield from (phrase for phrase in phrases if (phrase.stem, phrase.count) not in within)
