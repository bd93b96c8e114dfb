"""A link classifier that is trained while crawling, as in ACHE.

Barbosa and Freire (2007), "An adaptive crawler for locating hidden-Web entry points": words of the address, the anchor
and the text around a link are its features. Links that led to relevant pages are good examples, the others bad ones. A
naive Bayes classifier learns from the examples of the crawl itself, is made anew every so many pages, and orders the
frontier by the probability that a link is good.

The paper chooses the best words of each kind by itself; here all count but stop words, each in one of 2,047 places of
its kind, so that memory is bounded and two words may share a place. Of each kind the words next to the link are kept:
6 of the anchor, 10 around it, 8 of the address. Words seen with neither class say nothing; the others are smoothed by
one. Until the first training a link is worth the relevance of its page. How often it is trained is ours.

`NaiveBayes` and `LinkWords` also serve the host bandit.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import xxhash

from honeyguide.errors import StrategyError
from honeyguide.learn.strategy import Order, Strategy
from honeyguide.model.saved_state import load_arrays
from honeyguide.settings import setting
from honeyguide.text import stop_words, words_of_url

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Row, Rows, Transition

PLACES: Final = 2048  # of each kind; whole numbers below are exact in half precision, and 0 stands for no word
WORDS_BY_KIND: Final = (6, 10, 8)  # kept of the anchor, around it, and of the address
KIND_OF_COLUMN: Final = np.repeat(np.arange(len(WORDS_BY_KIND)), WORDS_BY_KIND)
WIDTH: Final = len(KIND_OF_COLUMN)
KEPT_WORDS: Final = 65_536


class LinkWords:
    """Writes the words of links as places in a table, `WIDTH` numbers a link. Not thread-safe."""

    def __init__(self, language: str) -> None:
        self._stop_words = stop_words(language) | {""}
        self._place_by_word: dict[str, int] = {}

    def describe(self, candidates: Candidates) -> Rows:
        """Return the places of each link's words; 0 fills up."""
        rows = np.zeros((len(candidates), WIDTH), dtype=np.float16)
        anchor, around, address = WORDS_BY_KIND
        words = candidates.words
        for row, target, (first, start, end, last) in zip(
            rows, candidates.targets, candidates.spans.tolist(), strict=True
        ):
            before, after = words[max(first, start - around) : start], words[end : min(last, end + around)]
            nearest = chain.from_iterable(zip_longest(reversed(before), after, fillvalue=""))
            row[:anchor] = self._places(words[start:end], anchor)
            row[anchor : anchor + around] = self._places(nearest, around)
            row[anchor + around :] = self._places(words_of_url(target), address)
        return rows

    def _places(self, words: Iterable[str], most: int) -> list[int]:
        if len(self._place_by_word) > KEPT_WORDS:
            self._place_by_word = {}
        known = self._place_by_word
        places: list[int] = []
        for word in words:
            if len(places) == most:
                break
            place = known.get(word)
            if place is None:
                is_silent = word in self._stop_words
                place = 0 if is_silent else 1 + xxhash.xxh3_64_intdigest(word.encode("utf-8", "replace")) % (PLACES - 1)
                known[word] = place
            if place:
                places.append(place)
        return places + [0] * (most - len(places))


class NaiveBayes:
    """Counts of words in good and bad links, and the odds that follow from them."""

    def __init__(self) -> None:
        self._state = np.zeros(2 * (len(WORDS_BY_KIND) * PLACES + 1))
        self._links = self._state[:2]  # by class
        self._counts = self._state[2:].reshape(2, len(WORDS_BY_KIND), PLACES)  # of words, by class
        self.fit()

    def add(self, row: Row, *, is_good: bool) -> None:
        """Take in an example; `fit` makes it count."""
        places = row.astype(np.int64)
        np.add.at(self._counts[int(is_good)], (KIND_OF_COLUMN, places), places > 0)
        self._links[int(is_good)] += 1

    def fit(self) -> None:
        """Make the odds anew from all examples so far."""
        is_seen = self._counts.sum(axis=0) > 0
        words = self._counts.sum(axis=2, keepdims=True) + is_seen.sum(axis=1)[None, :, None]
        bad, good = np.log((self._counts + 1) / np.maximum(words, 1))
        self._log_odds = np.where(is_seen, good - bad, 0.0)
        self._prior = float(np.log((self._links[1] + 1) / (self._links[0] + 1)))

    def log_odds(self, rows: Rows) -> NDArray[np.float64]:
        """Return the logarithm of the odds that each link is good, as of the last `fit`."""
        terms = self._log_odds[KIND_OF_COLUMN, rows.astype(np.int64)]
        return self._prior + np.einsum("ij->i", terms)

    @property
    def state(self) -> NDArray[np.float64]:
        """The examples, to be saved."""
        return self._state

    @classmethod
    def of(cls, state: NDArray[np.float64]) -> Self:
        """Return a classifier of its own, made from saved examples. ValueError where these are none."""
        made = cls()
        made._state[:] = state
        made.fit()
        return made


@dataclass(frozen=True, slots=True)
class LinkClassifierSettings:
    """The link classifier after ACHE."""

    table: ClassVar = "link_classifier"

    every: int = setting(100, "fetches after which the classifier is made anew", at_least=1)


class LinkClassifier(Strategy):
    """Scores are probabilities of a good link, as odds; a row has the relevance of the page and the link's words."""

    settings_type = LinkClassifierSettings
    order = Order.BEST_SCORE
    row_width = 1 + WIDTH
    seeds_first = True

    def __init__(self, language: str, settings: LinkClassifierSettings) -> None:
        self._words = LinkWords(language)
        self._every = settings.every
        self._growing, self._fitted, self._examples = NaiveBayes(), NaiveBayes(), 0

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.settings.judge.language, given.settings.of(LinkClassifierSettings))

    def describe(self, candidates: Candidates) -> Rows:
        return np.column_stack((candidates.relevance.astype(np.float16), self._words.describe(candidates)))

    def score(self, rows: Rows) -> NDArray[np.float64]:
        if self._examples < self._every:
            return rows[:, 0].astype(np.float64)
        return self._fitted.log_odds(rows[:, 1:])

    def learn(self, transition: Transition) -> bool:
        self._growing.add(transition.row[1:], is_good=transition.is_relevant)
        self._examples += 1
        is_due = self._examples % self._every == 0
        if is_due:
            self._fitted = NaiveBayes.of(self._growing.state)
        return is_due

    def relearn(self, transitions: Iterable[Transition]) -> bool:
        self._growing, self._fitted, self._examples = NaiveBayes(), NaiveBayes(), 0
        for transition in transitions:
            self.learn(transition)
        return True

    def save(self) -> bytes:
        buffer = io.BytesIO()
        examples = np.array(self._examples)
        np.savez_compressed(buffer, examples=examples, growing=self._growing.state, fitted=self._fitted.state)
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        try:
            saved = load_arrays(state)
            self._growing = NaiveBayes.of(saved["growing"])
            self._fitted = NaiveBayes.of(saved["fitted"])
            self._examples = int(saved["examples"])
        except (ValueError, KeyError, TypeError) as error:
            raise StrategyError(f"not a saved state of link-classifier: {error}") from error
