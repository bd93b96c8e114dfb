"""Best-first by the address alone: Lim (2016), sections 5.2.1 (4), 5.2.2, 5.2.4 and 9.2.

The words of an address predict the relevance of its page in two ways. Lim's formula takes each word for a keyword K,
each phrase of the topic for a search word S:

    relevance = 1/N_K Σ_K max_S similarity(K, S),    similarities below 2/3 counting as 0,

and calls an address relevant from 2/3 on. The other way is the cosine between all the words and the topic. Lim's bound
suits neither an address, whose host is words too, nor every table of vectors: see `docs/findings.md`.

The score joins them to the signs that a fetch may be wasted (`UrlShape`): a base for nothing known, the rest by
relevance, and a factor for every sign. The factors are ours and were not tuned. Anchor and surroundings are not looked
at, so the score of a link can be told from a list of URLs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from math import fsum, prod
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import StrategyError
from honeyguide.learn.features import HEAD, address_sums
from honeyguide.learn.strategy import Order, Unlearned
from honeyguide.text import UrlRules, UrlShape, cosines, url_shape, words_of, words_of_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Rows, Topic, Url
    from honeyguide.text import WordVectors

LOWER_BOUND: Final = 2 / 3
KEPT_WORDS: Final = 65_536


@dataclass(frozen=True, slots=True)
class UrlHeuristic:
    """The numbers that make a score. A factor of 1 ignores a sign, one of 0 rules the address out."""

    lower_bound: float = LOWER_BOUND  # similarities below count as 0, and relevances from here on as relevant
    base: float = 0.2  # of an address without a known word
    too_long: float = 0.7
    too_deep: float = 0.7
    non_text_type: float = 0.0
    query: float = 0.8
    gibberish_host: float = 0.3
    gibberish_path: float = 0.6
    rules: UrlRules = field(default_factory=UrlRules)

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if part.name != "rules" and not 0 <= value <= 1:
                raise StrategyError(f"{part.name} of the URL heuristic is {value}; give a number from 0 to 1")

    def factor(self, shape: UrlShape) -> float:
        """The product of the factors of all signs that an address has."""
        signs = (
            (shape.is_too_long, self.too_long),
            (shape.is_too_deep, self.too_deep),
            (shape.has_non_text_type, self.non_text_type),
            (shape.has_query, self.query),
            (shape.has_gibberish_host, self.gibberish_host),
            (shape.has_gibberish_path, self.gibberish_path),
        )
        return prod(factor for has_sign, factor in signs if has_sign)


@dataclass(frozen=True, slots=True)
class UrlFeatures:
    """The signs and the score of one address."""

    shape: UrlShape
    word_relevance: float  # Lim's formula, 0 to 1
    similarity: float  # cosine with the topic, -1 to 1
    is_predicted_relevant: bool  # Lim 5.2.1 (4): `word_relevance` is at least the lower bound
    score: float  # 0 to 1


class UrlReader:
    """Reads addresses with a topic in mind. An address reads the same alone and in any batch. Not thread-safe."""

    def __init__(self, topic: Topic, vectors: WordVectors, heuristic: UrlHeuristic | None = None) -> None:
        self._heuristic = heuristic or UrlHeuristic()
        self._vectors = vectors
        self._topic = vectors.topic_vector(topic)[:HEAD]
        self._search_words = [vectors.vector(words_of(phrase)) for phrase in topic.phrases]
        self._relevance_by_word: dict[str, float] = {}

    def read(self, url: Url) -> UrlFeatures:
        return self.read_all([url])[0]

    def read_all(self, urls: Sequence[Url]) -> tuple[UrlFeatures, ...]:
        """The features of many addresses, in their order."""
        word_relevances = self.word_relevances(urls).tolist()
        similarities = self.similarities(urls).tolist()
        return tuple(map(self._features, urls, word_relevances, similarities))

    def scores(self, urls: Sequence[Url]) -> NDArray[np.float64]:
        """The heuristic alone."""
        return np.array([features.score for features in self.read_all(urls)], dtype=np.float64)

    def similarities(self, urls: Sequence[Url]) -> NDArray[np.float64]:
        """Cosine of the words of each address with the topic; 0 where none is known."""
        return cosines(address_sums(urls, self._vectors, len(self._topic)), self._topic)

    def word_relevances(self, urls: Sequence[Url]) -> NDArray[np.float64]:
        """Lim's formula over the words of each address; 0 where there are none."""
        words = [words_of_url(url) for url in urls]
        self._learn_words({word for some in words for word in some})
        known = self._relevance_by_word
        # fsum, because a plain sum would depend on how it is cut into steps.
        return np.array([fsum(known[word] for word in some) / max(len(some), 1) for some in words], dtype=np.float64)

    def _learn_words(self, words: Iterable[str]) -> None:
        if len(self._relevance_by_word) > KEPT_WORDS:
            self._relevance_by_word = {}
        new = tuple(sorted(word for word in words if word not in self._relevance_by_word))
        if not new:
            return
        rows = self._vectors.look_up(new)
        vectors = rows.table[rows.numbers].astype(np.float64)
        best = np.zeros(len(new))
        for search_word in self._search_words:
            similarity = cosines(vectors, search_word)
            best = np.maximum(best, np.where(similarity >= self._heuristic.lower_bound, similarity, 0.0))
        self._relevance_by_word.update(zip(new, np.minimum(best, 1.0).tolist(), strict=True))

    def _features(self, url: Url, word_relevance: float, similarity: float) -> UrlFeatures:
        heuristic = self._heuristic
        shape = url_shape(url, heuristic.rules)
        relevance = min(max(word_relevance, similarity), 1.0)
        return UrlFeatures(
            shape,
            word_relevance,
            similarity,
            is_predicted_relevant=word_relevance >= heuristic.lower_bound,
            score=(heuristic.base + (1 - heuristic.base) * relevance) * heuristic.factor(shape),
        )


class BestUrlFirst(Unlearned):
    """The heuristic of each link's address, as the page showed it."""

    order = Order.BEST_SCORE
    row_width = 1

    def __init__(self, topic: Topic, vectors: WordVectors, heuristic: UrlHeuristic | None = None) -> None:
        self._reader = UrlReader(topic, vectors, heuristic)

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.vectors())

    def describe(self, candidates: Candidates) -> Rows:
        return self._reader.scores(candidates.targets)[:, None].astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)
