"""What a topic is about, as far as its own words tell: the starting point of every suggestion."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.domain import Topic
from honeyguide.text import unit
from honeyguide.text.vectors import UNLIKE_SHARE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.text import WordVectors
    from honeyguide.topics.phrases import Phrase, PhraseReader, Stem

KEY_TERMS: Final = 40  # of each text
UNKNOWN_WORD: Final = 0.25  # what a word at least says that belongs to no shipped subject
# Length of the vector of a telling word: chosen for the bundled vectors, and taken for those of files, too. They are
# scaled to numbers of 1/8 to 1 (`text/vector_files/scaling.py`), so with 100 numbers a word they come near it or remain
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
    told = ". ".join(topic.phrases)
    texts = [(told, YOUR_WORDS, 1.0)] if told else []
    texts += [(text, _example(number, topic.like), 1.0 / len(topic.like)) for number, text in enumerate(topic.like, 1)]
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
        vector=unit(vectors.topic_vector(_without_stop_words(topic, reader))),
        weight_by_stem={stem: weight / total for stem, weight in weights.items() if weight > 0},
        phrases=phrases,
        name_stems=reader.content_stems(" ".join(topic.phrases)),
    )


def _without_stop_words(topic: Topic, reader: PhraseReader) -> Topic:
    """The topic's content words alone: in most vectors stop words are as long as any other."""
    like, unlike = (tuple(map(reader.without_stop_words, texts)) for texts in (topic.like, topic.unlike))
    return Topic(" ".join(map(reader.without_stop_words, topic.phrases)), (), like, unlike)


def _example(number: int, examples: Sequence[str]) -> str:
    return "your example" if len(examples) == 1 else f"your example {number}"


def key_terms(text: str, vectors: WordVectors, reader: PhraseReader) -> list[tuple[Phrase, float]]:
    """The phrases of a text that weigh most, and their weights: those that come back, of words that say something."""
    weighed = []
    for phrase in reader.read(text):
        telling = [_telling(word, stem, vectors, reader) for word, stem in zip(phrase.words, phrase.stem, strict=True)]
        weight = (1.0 + float(np.log(phrase.count))) * sum(telling) / len(telling) ** 0.5
        weighed.append((phrase, weight))
    return sorted(weighed, key=lambda pair: (-pair[1], pair[0].text))[:KEY_TERMS]


def _telling(word: str, stem: str, vectors: WordVectors, reader: PhraseReader) -> float:
    """How much a word says of a subject: 1 for one that belongs to a shipped subject, less for others.

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
