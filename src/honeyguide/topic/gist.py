"""The words and phrases that say what a topic is about, and how well each shipped subject fits them.

A phrase is a candidate of RAKE's, or a part of one: words with neither a stop word nor a number nor a punctuation mark
between them. Forms of one word ("reef", "reefs") are one, under the form that is most frequent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.model import Topic
from honeyguide.text import WORD, Stems, stop_words, unit, words_of
from honeyguide.text.rake import candidates_in
from honeyguide.text.telling import content_words
from honeyguide.text.vectors import UNLIKE_SHARE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.text import WordVectors
    from honeyguide.topic.presets import Subject

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
        self._language = language
        self._stop_words = stop_words(language)

    def stem(self, phrase: str) -> Stem:
        """Return the stems of a phrase's words."""
        return tuple(self._stems.of(WORD.findall(phrase.lower())))

    def content_stems(self, phrase: str) -> frozenset[str]:
        """Return the stems of a phrase's words that are no stop words."""
        return frozenset(self._stems.of([word for word in WORD.findall(phrase.lower()) if self._is_content(word)]))

    def without_stop_words(self, text: str) -> str:
        """Return the content words of a text, between spaces."""
        return " ".join(word for word in content_words(text, self._language) if self._is_content(word))

    @cached_property
    def subject_stems(self) -> frozenset[str]:
        """The stems of all words that belong to a subject."""
        entries = [entry for subject in self._subjects for entry in (subject.name, *subject.words)]
        return self.content_stems(" ".join(entries))

    def read(self, text: str) -> list[Phrase]:
        """Count every word and phrase of a text; the most frequent first, then by letters."""
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
            Phrase(_usual_form(written), stem, written.total())
            for stem, written in forms.items()
            if is_short or len(stem) == 1 or (stem in whole and written.total() > 1)
        ]
        return sorted(_drop_fragments(phrases), key=lambda phrase: (-phrase.count, phrase.text))

    def _runs(self, text: str) -> list[list[str]]:
        """Content words that follow one another."""
        folded = " ".join(text.split())
        words = words_of(folded)
        kept = set(content_words(folded, self._language))
        breaking = {word for word in words if word not in kept or not self._is_content(word)}
        return [words[start:end] for start, end in candidates_in(folded, words, [(0, len(words))], breaking)]

    def _is_content(self, word: str) -> bool:
        # Two letters are a word in scripts that need no more.
        is_long_enough = len(word) >= _FEWEST_LETTERS or not word.isascii()
        return is_long_enough and word not in self._stop_words and not word[0].isdigit()


def _usual_form(written: Counter[str]) -> str:
    """Return the most frequent form; of equal ones the shortest, then the first by letters."""
    return min(written, key=lambda form: (-written[form], len(form), form))


def _drop_fragments(phrases: Sequence[Phrase]) -> Iterator[Phrase]:
    """Leave out a phrase of several words that stands only within longer ones of the same count."""
    within: set[tuple[Stem, int]] = set()
    for phrase in phrases:
        for length in range(2, len(phrase.stem)):
            for first in range(len(phrase.stem) - length + 1):
                within.add((phrase.stem[first : first + length], phrase.count))
    yield from (phrase for phrase in phrases if (phrase.stem, phrase.count) not in within)


KEY_TERMS: Final = 40  # of each text
UNKNOWN_WORD: Final = 0.25  # what a word at least says that belongs to no shipped subject
# Length of the vector of a telling word: chosen for the bundled vectors, and taken for those of files, too. They are
# scaled to numbers of 1/8 to 1 (`NumberSpread`), so with 100 numbers a word they come near it or remain
# below, and lengths tell less there.
LONG_VECTOR: Final = 10.0
YOUR_WORDS: Final = "your words"


@dataclass(frozen=True, slots=True)
class OwnPhrase:
    """A word or phrase of the topic's own texts."""

    text: str
    prominence: float  # from 0 to 1, the most prominent of its text having 1
    origin: str  # the text it stands in


@dataclass(frozen=True, slots=True, eq=False)
class Gist:
    """A topic's direction among the word vectors, its words by weight, and its phrases."""

    vector: NDArray[np.float64]  # length 1; zero where no word is known
    weight_by_stem: Mapping[str, float]  # sums to 1; words of counterexamples have less, or none
    phrases: Mapping[Stem, OwnPhrase]
    name_stems: frozenset[str]  # of the topic's name and keywords


def gist_of(topic: Topic, vectors: WordVectors, reader: PhraseReader) -> Gist:
    """Read a topic's name, keywords and examples."""
    weights: defaultdict[str, float] = defaultdict(float)
    phrases: dict[Stem, OwnPhrase] = {}
    own_words = ". ".join(topic.phrases)
    texts = [(own_words, YOUR_WORDS, 1.0)] if own_words else []
    texts += [
        (text, _example_name(number, topic.like), 1.0 / len(topic.like)) for number, text in enumerate(topic.like, 1)
    ]
    for text, origin, share in texts:
        terms = key_terms(text, vectors, reader)
        _add(weights, terms, share)
        for phrase, weight in terms:
            prominence = weight / terms[0][1]
            known = phrases.get(phrase.stem)
            if known is None or (known.origin != YOUR_WORDS and known.prominence < prominence):
                phrases[phrase.stem] = OwnPhrase(phrase.text, prominence, origin)
    for text in topic.unlike:
        _add(weights, key_terms(text, vectors, reader), -UNLIKE_SHARE / len(topic.unlike))
    total = sum(weight for weight in weights.values() if weight > 0)
    return Gist(
        vector=unit(vectors.topic_vector(_drop_stop_words(topic, reader))),
        weight_by_stem={stem: weight / total for stem, weight in weights.items() if weight > 0},
        phrases=phrases,
        name_stems=reader.content_stems(" ".join(topic.phrases)),
    )


def _drop_stop_words(topic: Topic, reader: PhraseReader) -> Topic:
    """Return the topic's content words alone: in most vectors stop words are as long as any other."""
    like, unlike = (tuple(map(reader.without_stop_words, texts)) for texts in (topic.like, topic.unlike))
    return Topic(" ".join(map(reader.without_stop_words, topic.phrases)), (), like, unlike)


def _example_name(number: int, examples: Sequence[str]) -> str:
    return "your example" if len(examples) == 1 else f"your example {number}"


def key_terms(text: str, vectors: WordVectors, reader: PhraseReader) -> list[tuple[Phrase, float]]:
    """Return the phrases of a text that weigh most, with their weights: frequent ones, of telling words."""
    weighed = []
    for phrase in reader.read(text):
        telling = [
            _word_weight(word, stem, vectors, reader) for word, stem in zip(phrase.words, phrase.stem, strict=True)
        ]
        weight = (1.0 + float(np.log(phrase.count))) * sum(telling) / len(telling) ** 0.5
        weighed.append((phrase, weight))
    return sorted(weighed, key=lambda pair: (-pair[1], pair[0].text))[:KEY_TERMS]


def _word_weight(word: str, stem: str, vectors: WordVectors, reader: PhraseReader) -> float:
    """Return how much a word says of a subject: 1 for one that belongs to a shipped subject, less for others.

    Of the others, those with short vectors say least, because common words have short ones. That alone would not do:
    the vector of a rare word is a mean over pieces of it, and short as well.
    """
    if stem in reader.subject_stems:
        return 1.0
    length = float(np.linalg.norm(vectors.vector([word])))
    return UNKNOWN_WORD + (1.0 - 2 * UNKNOWN_WORD) * min(1.0, length / LONG_VECTOR)


def _add(weights: defaultdict[str, float], terms: Sequence[tuple[Phrase, float]], share: float) -> None:
    """Spread a share over the stems of the single words among some terms."""
    words = [(phrase.stem[0], weight) for phrase, weight in terms if len(phrase.stem) == 1]
    total = sum(weight for _, weight in words)
    for stem, weight in words:
        weights[stem] += share * weight / total


SHARED_WORDS: Final = 0.5  # what having the topic's words is worth against lying near it
AGAINST: Final = 0.5  # what fitting a counterexample costs
PART_OF_A_PHRASE: Final = 0.5  # what a word is worth alone that the topic has within a phrase known as a whole


@dataclass(frozen=True, slots=True, eq=False)
class SubjectMatch:
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

    def matches(self, gist: Gist, counterexamples: Gist | None = None) -> list[SubjectMatch]:
        """Return every subject, in the order of the list."""
        matches = self._matches(gist)
        if counterexamples is None:
            return matches
        against = self._matches(counterexamples)
        return [replace(match, against=other.score) for match, other in zip(matches, against, strict=True)]

    def _matches(self, gist: Gist) -> list[SubjectMatch]:
        whole = self._whole_phrases(gist)
        return [
            SubjectMatch(
                subject, direction, float((direction * gist.vector).sum()), _shared_weight(gist, entries, whole)
            )
            for subject, direction, entries in zip(self._subjects, self._directions, self._entries, strict=True)
        ]

    def _whole_phrases(self, gist: Gist) -> frozenset[frozenset[str]]:
        """Return phrases of the topic that some subject knows: a black hole is no hole."""
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


def _shared_weight(gist: Gist, entries: Sequence[frozenset[str]], whole: frozenset[frozenset[str]]) -> float:
    """Return the weight of the topic's words that stand in a subject's entries.

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
