"""Weighted breadth-first search, the strategy of WikiCrawler.

Breadth-first, but the queue gives out the heaviest link, of several the first that was added. The weight of a link is
read where it first occurs on the page that first showed it; a link that waits keeps it. Of a link's first occurrence on
its page, and a set T of topic words, the document says:

    weight = 1            where the anchor or the address contains a word of T,
             1 / (d + 2)  else, where the nearest word of T stands d <= 20 words before or after the link,
             0            else, and where T is empty: then it is plain breadth-first.

A weight is kept as its denominator (0 for no weight), a whole number that half precision holds exactly.

The document leaves open: T may hold phrases, which stand where all their words stand in a row, markup between them
or not. The anchor counts as one word, so a distance is counted from its edges, and a phrase that begins outside and
ends inside it stands nowhere. Words are compared whole, without regard to case. An address is read decoded, with `_` as
a space; the host counts only where it is not that of the page, because a site's own name tells its links apart in
nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final
from urllib.parse import unquote

import numpy as np

from honeyguide.learn.strategy import FoundAgain, Order, Unlearned
from honeyguide.settings import setting
from honeyguide.text import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from honeyguide.learn.strategy import Ingredients
    from honeyguide.model import Candidates, Rows, Topic, Url

CONTAINED: Final = 1  # denominator of a link whose anchor or address has a topic word
NO_WEIGHT: Final = 0
_FAR: Final = 2**40  # words away from anything


class TopicWords:
    """The set T: the topic's keywords, words or phrases, or its name where there are none."""

    def __init__(self, topic: Topic, *, substrings: bool = False) -> None:
        """`substrings` finds a topic word inside a longer word too, in anchors and addresses."""
        phrases = {tuple(words_of(phrase)) for phrase in topic.keywords or (topic.name,)} - {()}
        self._edge = "" if substrings else " "
        self._sought = [self._text(phrase) for phrase in sorted(phrases)]
        self._by_first_word: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for phrase in phrases:
            self._by_first_word[phrase[0]].append(phrase)

    @property
    def is_empty(self) -> bool:
        return not self._sought

    def stand_in(self, words: Sequence[str]) -> bool:
        """Whether a short text contains one of them."""
        text = self._text(words)
        return any(phrase in text for phrase in self._sought)

    def begins_by_length(self, words: tuple[str, ...]) -> dict[int, list[int]]:
        """Where in a long text they stand, each as whole words: the places where those of each length begin."""
        begins: dict[int, list[int]] = defaultdict(list)
        for place, word in enumerate(words):
            if word in self._by_first_word:
                for phrase in self._by_first_word[word]:
                    if words[place : place + len(phrase)] == phrase:
                        begins[len(phrase)].append(place)
        return begins

    def _text(self, words: Sequence[str]) -> str:
        return f"{self._edge}{' '.join(words)}{self._edge}"


def weight_denominators(candidates: Candidates, topic: TopicWords, reach: int) -> NDArray[np.int64]:
    """Return the denominator of each link's weight; `NO_WEIGHT` for a weight of 0."""
    if topic.is_empty:
        return np.full(len(candidates), NO_WEIGHT)
    away = words_away(candidates, topic)
    weights = np.where(away <= reach, away + 2, NO_WEIGHT)
    weights[_contain(candidates, topic)] = CONTAINED
    return weights


def words_away(candidates: Candidates, topic: TopicWords) -> NDArray[np.int64]:
    """Count the words between each link and the nearest topic word beside it; very many where there is none."""
    first, start, end, last = candidates.spans.T
    if candidates.is_whole_page:
        first, last = np.zeros_like(first), np.full_like(last, len(candidates.words))
    away = np.full(len(candidates), _FAR)
    for length, places in topic.begins_by_length(candidates.words).items():
        begins = np.array([-_FAR, *places, _FAR])
        before = begins[np.searchsorted(begins, start - length, side="right") - 1]
        after = begins[np.searchsorted(begins, end, side="left")]
        away = np.minimum(away, np.where(before >= first, start - length - before, _FAR))
        away = np.minimum(away, np.where(after + length <= last, after - end, _FAR))
    return away


def address_words(url: Url, *, with_host: bool) -> list[str]:
    """The words of an address as a person reads it: escapes decoded, underscores as spaces."""
    readable = url.text.partition("//")[2] if with_host else url.path_and_query
    return words_of(unquote(readable))


def _contain(candidates: Candidates, topic: TopicWords) -> NDArray[np.bool_]:
    """Which links have a topic word in anchor or address."""
    anchors = zip(candidates.targets, candidates.spans.tolist(), candidates.is_internal.tolist(), strict=True)
    return np.array(
        [
            topic.stand_in(candidates.words[start:end])
            or topic.stand_in(address_words(target, with_host=not is_internal))
            for target, (_, start, end, _), is_internal in anchors
        ],
        dtype=np.bool_,
    )


@dataclass(frozen=True, slots=True)
class WeightedBreadthFirstSettings:
    """Breadth-first by topic weights, as WikiCrawler has it."""

    table: ClassVar = "weighted_breadth_first"

    substrings: bool = setting(
        default=False, meaning="whether a topic word inside a longer word counts, in anchors and addresses"
    )
    reach: int = setting(
        20, "words between a link and a topic word that still give it weight", at_least=0, at_most=1000
    )


class WeightedBreadthFirst(Unlearned):
    """Scores are topic weights; a row holds the denominator of one."""

    settings_type = WeightedBreadthFirstSettings
    needs_topic = False
    row_width = 1
    found_again = FoundAgain.FIRST
    reads_first_occurrence = True

    def __init__(self, topic: Topic, settings: WeightedBreadthFirstSettings) -> None:
        self._settings = settings
        self._topic = TopicWords(topic, substrings=settings.substrings)
        self.order = Order.OLDEST if topic.is_empty else Order.BEST_SCORE

    @classmethod
    def build(cls, given: Ingredients) -> Self:
        return cls(given.topic, given.settings.of(WeightedBreadthFirstSettings))

    def describe(self, candidates: Candidates) -> Rows:
        denominators = weight_denominators(candidates, self._topic, self._settings.reach)
        return denominators[:, None].astype(np.float16)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        denominators = rows[:, 0].astype(np.float64)
        return np.divide(1.0, denominators, out=np.zeros(len(rows)), where=denominators != NO_WEIGHT)
