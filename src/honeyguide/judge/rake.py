"""Relevance as how near the page's keywords are to the search phrases: Lim 2016, 5.2.2 and 5.3.

    relevance = 1/N_K · Σ_i max_j sim(K_i, S_j),    sim(K, S) = cosine of their vectors, or 0 outside the bounds

K are the keywords of the main text by RAKE (`text/rake.py`), S the topic's name and keywords, and a phrase's vector is
the sum of its words'. Bounds: with `upper` at 1 there is none, and a similarity counts from `lower` on, as in his
formula and his breadth-first code (2/3). With any other `upper`, only what lies strictly between the two counts, as in
his modified depth-first code (3/5 and 4/5), so that a page is not paid for repeating the search words.

By 8.3 a keyword should be at least as specific as the phrase it is held to satisfy: with `specific`, it must have as
many words as the phrase has beside its stop words, and each of those must be matched by a word of the keyword, of the
same stem or with a similarity of `lower` at least. So "music" does not satisfy "classical music", and "classical music
history" does; whether "baroque music" does is for the vectors to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from honeyguide.judge.embeddings import ROWS_SHOWN
from honeyguide.judge.judge import StatelessJudge
from honeyguide.model import Evidence, EvidenceRow, KeywordMatch, Topic
from honeyguide.settings import setting
from honeyguide.text import Stems, cosines, stop_words, words_of
from honeyguide.text.rake import RakeScore, candidates_in, keywords_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from honeyguide.judge.judge import JudgeIngredients
    from honeyguide.model import Page
    from honeyguide.settings import Settings
    from honeyguide.text import WordRows, WordVectors
    from honeyguide.text.rake import Keyword


@dataclass(frozen=True, slots=True)
class RakeSettings:
    """The rake judge; the bounds are Lim's."""

    table: ClassVar = "judge"

    lower: float = setting(
        2 / 3, "similarity from which on a keyword counts for rake, and a word for specific", at_least=0, at_most=1
    )
    upper: float = setting(
        1.0, "similarity at which a keyword is too near to count; 1 is no such bound", above=0, at_most=1
    )
    rake_keywords: int = setting(0, "how many of a page's best keywords rake looks at; 0 is all", at_least=0)
    rake_score: str = setting(
        "words",
        "how RAKE scores keywords: by their words (Rose), or by the candidates that use them (Lim)",
        choices=tuple(RakeScore),
    )
    specific: bool = setting(
        default=False, meaning="whether a keyword must be as specific as the phrase it counts for, to rake"
    )

    def mistakes(self, settings: Settings) -> Iterator[str]:  # noqa: ARG002
        if self.lower >= self.upper and self.upper < 1:
            yield f"judge.lower is {self.lower:g}: it must be below judge.upper, here {self.upper:g}"


class _Search(NamedTuple):
    """A search phrase without its stop words, unless it has no other words."""

    shown: str
    words: tuple[str, ...]
    stems: list[str]
    vectors: NDArray[np.float64]  # one row a word


class RakeJudge(StatelessJudge):
    """Mean similarity of a page's keywords to the search phrases they are nearest to."""

    # Looked at once on 1,500 encyclopaedia articles and four topics: reached by one to three articles in a hundred.
    # A page is relevant to Lim (1.3) when any of its keywords counts: about one article in ten had such a keyword.
    threshold = 0.005
    settings_type = RakeSettings
    by_words = True
    by_page_alone = True

    @classmethod
    def build(cls, given: JudgeIngredients) -> RakeJudge:
        settings, topic = given.settings, given.topic
        vectors = given.vectors_knowing(Topic(topic.name, topic.keywords))
        return cls(topic, vectors, settings.of(RakeSettings), settings.judge.language)

    def __init__(
        self,
        topic: Topic,
        vectors: WordVectors,
        settings: RakeSettings = RakeSettings(),
        language: str = "english",
    ) -> None:
        self._settings = settings
        self._vectors = vectors
        self._stems = Stems(language)
        self._stop_words = stop_words(language)
        self._searches = [self._search(phrase, vectors) for phrase in topic.phrases if words_of(phrase)]
        self._measured: tuple[Page, list[Keyword], NDArray[np.float64]] | None = None  # the page asked about last
        self._asked = np.array([search.vectors.sum(axis=0) for search in self._searches])

    def relevance(self, page: Page) -> float:
        best = self._keywords_measured(page)[1].max(axis=1, initial=0.0)
        return float(best.sum()) / max(len(best), 1)

    def keywords(self, page: Page) -> list[Keyword]:
        """The keywords of the main text that count, best first."""
        candidates = candidates_in(page.text, page.words, page.main_spans, self._stop_words)
        found = keywords_of(page.words, candidates, self._stems, RakeScore(self._settings.rake_score))
        return found[: self._settings.rake_keywords or None]

    def matches(self, page: Page) -> list[KeywordMatch]:
        """Every keyword with every search phrase that it satisfies: best keywords first, phrases as they were given."""
        keywords, similarities = self._keywords_measured(page)
        return [
            KeywordMatch(float(similarities[row, column]), self._searches[column].shown, keywords[row].text, page.url)
            for row, column in np.argwhere(similarities).tolist()
        ]

    def evidence(self, page: Page) -> Evidence:
        """The keywords that count, each with the search phrase that it is nearest to."""
        keywords, similarities = self._keywords_measured(page)
        best = similarities.max(axis=1, initial=0.0)
        relevance = float(best.sum()) / max(len(best), 1)
        order = [place for place in np.argsort(-best, kind="stable").tolist() if best[place] > 0]
        rows = tuple(
            EvidenceRow(
                keywords[place].text,
                self._searches[int(similarities[place].argmax())].shown,
                float(best[place]),
                float(best[place]) / len(best),
                keywords[place].times,
            )
            for place in order[:ROWS_SHOWN]
        )
        return Evidence("rake", relevance, self.threshold, rows, relevance - sum(row.contribution for row in rows))

    def _keywords_measured(self, page: Page) -> tuple[list[Keyword], NDArray[np.float64]]:
        """The keywords of a page and their similarities; worked out once where a page is asked about twice in a row."""
        if self._measured is None or self._measured[0] is not page:
            keywords = self.keywords(page)
            self._measured = page, keywords, self._similarities(page, keywords)
        return self._measured[1:]

    def _search(self, phrase: str, vectors: WordVectors) -> _Search:
        words = tuple(words_of(phrase))
        telling = tuple(word for word in words if word not in self._stop_words) or words
        rows = vectors.look_up(telling)
        return _Search(phrase, telling, self._stems.of(telling), rows.table[rows.numbers].astype(np.float64))

    def _similarities(self, page: Page, keywords: list[Keyword]) -> NDArray[np.float64]:
        """Of each keyword with each search phrase; 0 where it does not count."""
        if not keywords or not self._searches:
            return np.zeros((len(keywords), len(self._searches)))
        rows = self._vectors.look_up(page.words)
        vectors = _phrase_vectors(rows, keywords)
        norms = np.sqrt((vectors * vectors).sum(axis=1))[:, None] * np.sqrt((self._asked**2).sum(axis=1))
        dots = vectors @ self._asked.T  # of sums of word vectors, so exact in any order
        similarities = np.divide(dots, norms, out=np.zeros_like(dots), where=norms > 0).clip(max=1.0)
        similarities[~self._is_within(similarities)] = 0.0
        if self._settings.specific:
            for row, column in np.argwhere(similarities).tolist():
                words = rows.table[rows.numbers[keywords[row].start : keywords[row].end]].astype(np.float64)
                if not self._is_as_specific(keywords[row], words, self._searches[column]):
                    similarities[row, column] = 0.0
        return similarities

    def _is_within(self, similarities: NDArray[np.float64]) -> NDArray[np.bool_]:
        lower, upper = self._settings.lower, self._settings.upper
        if upper == 1:
            return (similarities >= lower) & (similarities > 0)
        return (similarities > lower) & (similarities < upper)

    def _is_as_specific(self, keyword: Keyword, vectors: NDArray[np.float64], search: _Search) -> bool:
        if len(keyword.words) < len(search.words):
            return False
        stems = set(self._stems.of(keyword.words))
        return all(
            stem in stems or cosines(vectors, vector).max() >= self._settings.lower
            for stem, vector in zip(search.stems, search.vectors, strict=True)
        )


def _phrase_vectors(rows: WordRows, keywords: list[Keyword]) -> NDArray[np.float64]:
    """The sum of the word vectors of each keyword, one row each; rows are of the words that keywords count in."""
    starts, lengths = (np.array(column) for column in zip(*((k.start, len(k.words)) for k in keywords), strict=True))
    vectors = rows.table[rows.numbers[starts]].astype(np.float64)
    for place in range(1, int(lengths.max())):  # few keywords have many words, so this is quicker than one by one
        longer = np.flatnonzero(lengths > place)
        vectors[longer] += rows.table[rows.numbers[starts[longer] + place]]
    return vectors
