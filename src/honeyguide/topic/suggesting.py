"""Suggest keywords and categories for a topic.

A topic's *focus* is the direction of its own texts together with that of the shipped subjects that fit it. Keywords are
its own words and phrases, words of those subjects and words near to them, by their similarity with the focus: so
"decline" counts for little in "coral reefs and their decline", and "marine life", which is not in it, for much. Of all
forms of a word one is suggested. Where no subject fits, the focus is the topic itself, and being similar to it says
nothing; nor does the vector of a word that no subject and no word table knows.

Han et al. (2018) had an expert choose categories for every topic, and leave choosing them without one open (section 6).
What the expert chose were wider subjects: Literature and Arts for poetry. So a subject hands its score on to the wider
ones, a little less at each step, and the topic itself is never its own category. Places that are left go to subjects
that lie near those found: Oceanography for coral reefs.

A wiki's articles on the topic add their words, their links and their categories. A category fits where many of the
articles about the topic have it and few others do (lift), and where its name lies near the topic.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.model import Topic
from honeyguide.model.counts import count_of
from honeyguide.text import cosine, neighbours, unit, words_of
from honeyguide.topic.gist import PhraseReader, SubjectMatcher, gist_of, key_terms
from honeyguide.topic.presets import subjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.text import Vocabulary, WordVectors
    from honeyguide.topic.gist import Gist, Stem, SubjectMatch
    from honeyguide.topic.presets import Subject

    LookUp = Callable[[Iterable[str]], "WikiArticles"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A keyword or category that may belong to a topic."""

    text: str
    score: float  # from 0 to 1
    origin: str  # where it came from, in a few words for a person


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Keywords and categories for a topic, best first."""

    keywords: tuple[Suggestion, ...]
    categories: tuple[Suggestion, ...]


FITTING_SCORE: Final = 0.2
FITTING_SHARE: Final = 0.5  # of the best subject's score; a subject with less has no say


@dataclass(frozen=True, slots=True, eq=False)
class Focus:
    """A direction, and the subjects that it was drawn from, best first."""

    vector: NDArray[np.float64]  # length 1; zero where no word is known
    fitting: tuple[SubjectMatch, ...]


def focus_of(gist: Gist, matches: Sequence[SubjectMatch]) -> Focus:
    """Return the direction of a topic together with that of the subjects that fit it, by how well they do."""
    bar = max(FITTING_SCORE, FITTING_SHARE * max((match.score for match in matches), default=0.0))
    fitting = sorted((match for match in matches if match.score >= bar), key=lambda match: -match.score)
    drawn = np.zeros_like(gist.vector)
    for match in fitting:
        drawn += match.score * match.direction
    return Focus(unit(gist.vector + unit(drawn)), tuple(fitting))


NEIGHBOURS: Final = 50
LEAST_NEAR: Final = 0.65  # cosine with the focus of a word of the vocabulary; farther ones are other subjects
NEIGHBOUR: Final = 0.75  # what the cosine of a word of the vocabulary is worth
LEAST_SHARE: Final = 0.45  # of the best keyword's score
LONE_WORD: Final = 0.3  # what a single word of the topic is worth that no fitting subject knows, and an unknown phrase
UNKNOWN: Final = "no word table knows it"


class KeywordFinder:
    """Finds keywords by what it knows of a topic."""

    def __init__(self, vectors: WordVectors, reader: PhraseReader) -> None:
        self._vectors = vectors
        self._reader = reader

    def candidates(self, gist: Gist, focus: Focus, vocabulary: Vocabulary | None) -> list[Suggestion]:
        """Everything that might be a keyword, in no order; some of it more than once."""
        entries = [entry for match in focus.fitting for entry in (match.subject.name, *match.subject.words)]
        known = frozenset(map(self._reader.stem, entries))
        own = list(self._own(gist, focus, known, vocabulary))
        # Pieces of unknown words lie near words that begin alike, and mean nothing.
        near = () if own and all(each.origin.endswith(UNKNOWN) for each in own) else self._near(vocabulary, focus)
        return [*own, *self._of_subjects(focus), *near]

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
        """Return how near a text lies to the focus, from 0 to 1."""
        return max(0.0, cosine(self._vectors.vector(words_of(text)), focus.vector))

    def _own(
        self, gist: Gist, focus: Focus, known: frozenset[Stem], vocabulary: Vocabulary | None
    ) -> Iterator[Suggestion]:
        for stem, phrase in gist.phrases.items():
            if vocabulary is not None and not self._is_known(phrase.text, stem, vocabulary):
                yield Suggestion(phrase.text, LONE_WORD * phrase.prominence / 2, f"{phrase.origin}; {UNKNOWN}")
                continue
            worth = 1.0 if len(stem) > 1 or stem in known or not focus.fitting else LONE_WORD
            similarity = self.similarity(phrase.text, focus) if focus.fitting else 0.0
            yield Suggestion(phrase.text, (worth * phrase.prominence + similarity) / 2, phrase.origin)

    def _is_known(self, phrase: str, stem: Stem, vocabulary: Vocabulary) -> bool:
        """Whether a subject or the vocabulary has a word of the phrase."""
        return not self._reader.subject_stems.isdisjoint(stem) or any(map(vocabulary.has, phrase.split(" ")))

    def _of_subjects(self, focus: Focus) -> Iterator[Suggestion]:
        for match in focus.fitting:
            names = [] if " and " in match.subject.name else [match.subject.name.lower()]
            for word in (*names, *match.subject.words):
                score = (match.score + self.similarity(word, focus)) / 2
                yield Suggestion(word, score, f"a word of {match.subject.name}")

    def _near(self, vocabulary: Vocabulary | None, focus: Focus) -> Iterator[Suggestion]:
        worth = NEIGHBOUR if focus.fitting else NEIGHBOUR / 2  # as for the topic's own words
        if vocabulary is not None:
            for word, near in neighbours(vocabulary, focus.vector, NEIGHBOURS):
                if near >= LEAST_NEAR and word.isalpha() and self._reader.content_stems(word):
                    yield Suggestion(word, worth * near, "near in the word vectors")


HANDED_ON: Final = 0.85  # of a subject's score, to the next wider one
SIBLINGS: Final = 2  # subjects of one wider subject that may be suggested for their own sake
LEAST_SCORE: Final = 0.15
LEAST_BESIDE: Final = 0.25  # cosine with the focus
NO_KIN: Final = 0.7  # what the cosine is worth where no wider subject holds both

_NEAR: Final = "near the topic"


def from_subjects(gist: Gist, focus: Focus, matches: Sequence[SubjectMatch], reader: PhraseReader) -> list[Suggestion]:
    """Shipped subjects for a topic, best first; none where nothing fits."""
    if not focus.fitting:
        return []
    near = _hand_on(matches)
    floor = max(LEAST_SCORE, LEAST_SHARE * max(suggestion.score for suggestion in near.values()))
    found = {name: suggestion for name, suggestion in near.items() if suggestion.score >= floor}
    lowest = min((suggestion.score for suggestion in found.values()), default=0.0)
    beside = [suggestion for suggestion in _find_beside(focus, matches, lowest) if suggestion.text not in found]
    holder_by_name = {match.subject.name: match.subject.wider[:1] for match in matches}
    chosen: list[Suggestion] = []
    siblings: Counter[tuple[str, ...]] = Counter()
    for suggestion in sorted((*found.values(), *beside), key=lambda each: (-each.score, each.text)):
        if is_no_wider(suggestion.text, gist, reader):
            continue
        if not suggestion.origin.startswith("wider"):
            siblings[holder_by_name[suggestion.text]] += 1
            if siblings[holder_by_name[suggestion.text]] > SIBLINGS:
                continue
        chosen.append(suggestion)
    return chosen


def is_no_wider(name: str, gist: Gist, reader: PhraseReader) -> bool:
    """Return whether a category says the same as the topic's name, or more: Olympic Games for Olympics.

    A name of two things, such as Knitting and sewing, is wider than either.
    """
    return bool(gist.name_stems) and " and " not in name and reader.content_stems(name) >= gist.name_stems


def _hand_on(matches: Iterable[SubjectMatch]) -> dict[str, Suggestion]:
    """Return the best score of every subject, its own or handed on from a narrower one."""
    best: dict[str, Suggestion] = {}
    for match in matches:
        score = match.score
        for steps, name in enumerate((match.subject.name, *match.subject.wider)):
            if name not in best or best[name].score < score:
                origin = _NEAR if steps == 0 else f"wider than {match.subject.name}"
                best[name] = Suggestion(name, score, origin)
            score *= HANDED_ON
    return best


def _find_beside(focus: Focus, matches: Iterable[SubjectMatch], below: float) -> Iterator[Suggestion]:
    """Yield subjects that lie near the focus, with scores that put them behind those found for the topic itself."""
    nearest = focus.fitting[0].subject
    for match in matches:
        near = cosine(match.direction, focus.vector)
        if not set(match.subject.wider) & set(nearest.wider):
            near *= NO_KIN
        if near >= LEAST_BESIDE:
            yield Suggestion(match.subject.name, near * below, f"beside {nearest.name}")


PROMINENT: Final = 0.8  # what the most prominent phrase of an article is worth against one of the topic's own
SMALLEST_CATEGORY: Final = 3  # articles; a smaller one is narrower than any topic
LEAST_SIMILARITY: Final = 0.2  # of an article's title or a category's name, to be suggested
_BRACKETS = re.compile(r"\s*\([^)]*\)\s*$")
_LISTS = re.compile(r"^(?:Lists? of|Outline of|Index of|Timeline of)\b")


@dataclass(frozen=True, slots=True)
class WikiArticle:
    """An article about the topic, or one that such an article links to."""

    title: str
    categories: tuple[str, ...]
    text: str = ""  # main text; "" for a linked one, which nobody has read


@dataclass(frozen=True, slots=True)
class WikiArticles:
    """The articles of a wiki that have to do with a topic."""

    about: tuple[WikiArticle, ...]
    linked: tuple[WikiArticle, ...]
    size_by_category: Mapping[str, int]  # articles in it, of the categories that occur here
    article_count: int

    def categories(self, gist: Gist, focus: Focus, finder: KeywordFinder, reader: PhraseReader) -> Iterator[Suggestion]:
        """Yield categories that the articles have more often than others do."""
        articles = (*self.about, *self.linked)
        counts = Counter(name for article in articles for name in article.categories)
        own = {name for article in self.about for name in article.categories}
        for name, count in counts.items():
            similarity = finder.similarity(name, focus)
            if not self._is_worth_naming(name) or similarity < LEAST_SIMILARITY or is_no_wider(name, gist, reader):
                continue
            if count < 2 and name not in own:
                continue
            share = count / len(articles)
            lift = share * self.article_count / self.size_by_category[name]
            fit = max(0.0, log(lift) / log(self.article_count)) if self.article_count > 1 else 0.0
            yield Suggestion(
                name, (similarity + fit) / 2, f"of {count_of(count, 'article')} found, {lift:,.0f} times its share"
            )

    def keywords(
        self, focus: Focus, finder: KeywordFinder, vectors: WordVectors, reader: PhraseReader
    ) -> Iterator[Suggestion]:
        """Yield phrases of the articles about the topic, and titles that they link to."""
        for article in self.about:
            terms = key_terms(article.text, vectors, reader)
            for phrase, weight in terms:
                score = (PROMINENT * weight / terms[0][1] + finder.similarity(phrase.text, focus)) / 2
                yield Suggestion(phrase.text, score, f"in the article {article.title}")
        for article in self.linked:
            title = plain_title(article.title)
            similarity = finder.similarity(title, focus) if title else 0.0
            if similarity >= LEAST_SIMILARITY:
                yield Suggestion(title, similarity, "an article it links to")

    def _is_worth_naming(self, name: str) -> bool:
        """Not too small, and not a set of articles by date, such as "1952 births"."""
        return self.size_by_category[name] >= SMALLEST_CATEGORY and not any(letter.isdigit() for letter in name)


def plain_title(title: str) -> str:
    """Return an article's title as a keyword; "" where it names a list or a date."""
    plain = _BRACKETS.sub("", title)
    if _LISTS.match(plain) or any(letter.isdigit() for letter in plain):
        return ""
    return plain[:1].lower() + plain[1:] if plain[1:] == plain[1:].lower() else plain


def suggest(
    topic: Topic,
    vectors: WordVectors,
    *,
    vocabulary: Vocabulary | None = None,
    look_up: LookUp | None = None,
    keywords: int = 15,
    categories: int = 5,
    among: Sequence[Subject] | None = None,
    language: str = "english",
) -> Suggestions:
    """Return the best keywords and categories for a topic; fewer where fewer fit.

    `vocabulary` adds words near the topic, `look_up` what an encyclopaedia has under some phrases, the best first;
    `among` are subjects in the place of the shipped ones. The same topic always has the same suggestions.
    """
    among = subjects() if among is None else among
    reader = PhraseReader(among, language)
    finder = KeywordFinder(vectors, reader)
    gist = gist_of(topic, vectors, reader)
    counterexamples = gist_of(Topic("", like=topic.unlike), vectors, reader) if topic.unlike else None
    matches = SubjectMatcher(among, vectors, reader).matches(gist, counterexamples)
    focus = focus_of(gist, matches)
    found_keywords: Iterable[Suggestion] = finder.candidates(gist, focus, vocabulary)
    found_categories = from_subjects(gist, focus, matches, reader)
    if look_up is not None:
        ranked = finder.chosen(found_keywords)
        encyclopaedia = look_up(suggestion.text for suggestion in ranked)
        found_keywords = [*ranked, *encyclopaedia.keywords(focus, finder, vectors, reader)]
        found_categories = _merge(encyclopaedia.categories(gist, focus, finder, reader), found_categories)
    return Suggestions(tuple(finder.chosen(found_keywords)[:keywords]), tuple(found_categories[:categories]))


def _merge(first: Iterable[Suggestion], then: Iterable[Suggestion]) -> list[Suggestion]:
    """Return both together, best first; of one name the first."""
    by_name: dict[str, Suggestion] = {}
    for suggestion in (*first, *then):
        by_name.setdefault(suggestion.text.lower(), suggestion)
    return sorted(by_name.values(), key=lambda suggestion: (-suggestion.score, suggestion.text))
