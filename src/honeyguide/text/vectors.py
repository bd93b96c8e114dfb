"""Vectors of words, looked up in a table that is filled as words are met.

Every number in the table is a multiple of `GRAIN` and no larger than `LARGEST`. Sums of such numbers are exact in
floating point, so they are the same in any order and any batch: a page vector, a window cut from a page and the same
window read back from a store agree to the last bit, and the sums may be left to BLAS. (In single precision sums are
exact up to 65,536 in steps of `GRAIN`: 8,192 words of the longest vectors. Longer sums are made in double precision.)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from honeyguide.text.tokens import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Topic
    from honeyguide.text.encoder import TextEncoder

GRAIN: Final = 2.0**-8
LARGEST: Final = 8.0
UNKNOWN: Final = 0  # row of the zero vector
SPANS_AT_ONCE: Final = 256  # bounds the memory for a page of many links
SPANS_IN_CACHE: Final = 16  # their vectors fit into the cache that is next to the processor
WORDS_AT_ONCE: Final = 64  # of a span, in single precision; nearly all spans are shorter
WORDS_WEIGHED_AT_ONCE: Final = 128
HALF: Final = 64  # 128 words, weights below 64, numbers up to 8: no sum of such products is above 65,536
CACHED_WORDS: Final = 32_768  # 32 MB at 256 numbers a word; starting over costs less than can be measured
ROOM_FOR_A_PAGE: Final = 32_768  # rows for the page with which the cache is full; they take no memory until written to
# Of 0 to 1, tried on 60 categories of 8,589 encyclopaedia articles with two examples and two near misses each: below a
# half it hardly changed the ranking of all articles (average precision 0.36), above it did harm (0.24 at 1).
UNLIKE_SHARE: Final = 0.25


class VectorSource(Protocol):
    """Where vectors of words come from."""

    dimension: int

    def __hash__(self) -> int:
        """Return the same for the same source: what is computed from its vectors may be kept by it."""
        ...

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a word; zeros for a word without one. The same word always has the same vector."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class WordRows:
    """Words as rows of a table of vectors."""

    table: NDArray[np.float32]
    numbers: NDArray[np.int32]
    number_by_word: dict[str, int]  # of all words of the table, in order of their numbers from 1

    def within(self, spans: Sequence[tuple[int, int]]) -> WordRows:
        """Only the words in these half-open ranges."""
        parts = [self.numbers[start:end] for start, end in spans]
        return replace(self, numbers=np.concatenate(parts) if parts else self.numbers[:0])

    def first(self, count: int) -> WordRows:
        """At most so many words."""
        return replace(self, numbers=self.numbers[:count])

    def text_vector(self) -> NDArray[np.float64]:
        """Return the sum over distinct words of log(1 + count) times the word's vector."""
        numbers, counts = np.unique(self.numbers, return_counts=True)
        grains = (count_weights(counts) / GRAIN).astype(np.int32)
        # Halves of six bits: the sum of so few words is exact in single precision, which is read in half the time.
        halves = np.array((grains // HALF, grains % HALF), dtype=np.float32)
        high, low = sums = np.zeros((2, self.table.shape[1]))
        for first in range(0, len(numbers), WORDS_WEIGHED_AT_ONCE):
            block = slice(first, first + WORDS_WEIGHED_AT_ONCE)
            sums += halves[:, block] @ self.table.take(numbers[block], axis=0)
        vector: NDArray[np.float64] = (high * HALF + low) * GRAIN
        return vector

    def sums_between(self, cuts: NDArray[np.int64], dimension: int) -> NDArray[np.float64]:
        """Sums of the first `dimension` numbers of the vectors between neighbouring cuts.

        Each row of `cuts` holds places in the text, in order; from `k` cuts come `k - 1` sums. The result has the shape
        (rows, k - 1, dimension).
        """
        sums = np.empty((len(cuts), cuts.shape[1] - 1, dimension))
        lengths = cuts[:, -1] - cuts[:, 0]
        for first in range(0, len(cuts), SPANS_AT_ONCE):
            block = slice(first, first + SPANS_AT_ONCE)
            sums[block] = self._short_sums(cuts[block], 0, dimension)
            for offset in range(WORDS_AT_ONCE, int(lengths[block].max()), WORDS_AT_ONCE):
                longer = first + np.flatnonzero(lengths[block] > offset)
                sums[longer] += self._short_sums(cuts[longer], offset, dimension)
        return sums

    def _short_sums(self, cuts: NDArray[np.int64], offset: int, dimension: int) -> NDArray[np.float32]:
        """Add up `WORDS_AT_ONCE` words at most, from `offset` words behind the first cut."""
        # The words of each row side by side, and a small product of zeros and ones with their vectors:
        # `benchmarks/features.py` compares it with running sums.
        begins = cuts[:, 0] + offset
        width = min(WORDS_AT_ONCE, int((cuts[:, -1] - begins).max()))
        places = begins[:, None] + np.arange(width)
        numbers = self.numbers.take(places, mode="clip")
        is_before = places[:, None] < cuts[:, 1:, None]
        chosen = is_before.astype(np.float32)
        chosen[:, 1:] -= is_before[:, :-1]
        sums = np.empty((*chosen.shape[:2], dimension), dtype=np.float32)
        for first in range(0, len(cuts), SPANS_IN_CACHE):
            block = slice(first, first + SPANS_IN_CACHE)
            np.matmul(chosen[block], self._take_heads(numbers[block], dimension), out=sums[block])
        return sums

    def _take_heads(self, numbers: NDArray[np.int32], dimension: int) -> NDArray[np.float32]:
        """Return the first `dimension` numbers of these words' vectors."""
        parts, rest = divmod(self.table.shape[1], dimension)
        if rest:
            return self.table[numbers, :dimension]
        # The table cut into pieces of this size: whole rows are taken twice as fast as parts of rows.
        return self.table.reshape(-1, dimension).take(numbers * parts, axis=0)


class WordLabels:
    """A whole number for each word, found once and kept as long as the word has its row. Not thread-safe."""

    def __init__(self, label: Callable[[str], int]) -> None:
        """The `label` of a word depends on nothing but the word."""
        self._label = label
        self._number_by_word: dict[str, int] = {}
        self._labels = np.zeros(1, dtype=np.int32)
        self._count = 0  # of the words that have one, which are those with the lowest numbers

    def of(self, rows: WordRows) -> NDArray[np.int32]:
        """Return the labels of the words, in order."""
        if rows.number_by_word is not self._number_by_word or len(rows.table) > len(self._labels):
            self._number_by_word, self._count = rows.number_by_word, 0
            self._labels = np.zeros(len(rows.table), dtype=np.int32)
        count = len(self._number_by_word)
        new = islice(reversed(self._number_by_word), count - self._count)
        self._labels[self._count + 1 : count + 1] = [self._label(word) for word in new][::-1]
        self._count = count
        return self._labels.take(rows.numbers)


class _Numbers(dict[str, int]):
    """Rows of the table by word. A word that is asked for and not there gets the next row and is noted as new."""

    def __init__(self) -> None:
        super().__init__()
        self.new_words: list[str] = []

    def __missing__(self, word: str) -> int:
        self.new_words.append(word)
        self[word] = number = len(self) + 1
        return number


class WordVectors:
    """A bounded cache of word vectors over a source, and an encoder of texts where there is one. Not thread-safe."""

    def __init__(self, source: VectorSource, encoder: TextEncoder | None = None) -> None:
        self.dimension = source.dimension
        self.encoder = encoder
        self._source = source
        self._number_by_word = _Numbers()
        self._table = self._empty_table()
        self._last_words: tuple[str, ...] = ()
        self._last_rows = WordRows(self._table, np.empty(0, dtype=np.int32), self._number_by_word)

    @property
    def source(self) -> VectorSource:
        """Where the vectors come from; from the same source another cache has the same vectors."""
        return self._source

    @property
    def digest(self) -> str:
        """Names the vectors: crawls with equal ones are equal. Empty where the source does not say."""
        own = getattr(self._source, "digest", "")
        return f"{own}+{self.encoder.digest}" if own and self.encoder else own

    def look_up(self, words: tuple[str, ...]) -> WordRows:
        """Return the words as rows. The last answer is kept: judge and strategy ask about the same page in turn."""
        if words is self._last_words:
            return self._last_rows
        if len(self._number_by_word) > CACHED_WORDS:
            self._forget()
        numbers = self._number(words)
        if self._number_by_word.new_words:
            self._learn_new_words()
        rows = WordRows(self._table, numbers, self._number_by_word)
        self._last_words, self._last_rows = words, rows
        return rows

    def look_up_within(self, words: tuple[str, ...], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> WordRows:
        """Return as many rows as there are words, of which only those in these spans may be read.

        Unless all are at hand, the others are not looked up: a page can have many words and few links.
        """
        if words is self._last_words:
            return self._last_rows
        changes = np.zeros(len(words) + 1, dtype=np.int64)
        np.add.at(changes, begins, 1)
        np.add.at(changes, ends, -1)
        places = np.flatnonzero(np.cumsum(changes)[:-1])
        if len(places) == len(words):
            return self.look_up(words)
        rows = self.look_up(tuple(map(words.__getitem__, places.tolist())))
        numbers = np.full(len(words), UNKNOWN, dtype=np.int32)
        numbers[places] = rows.numbers
        return replace(rows, numbers=numbers)

    def vector(self, words: Sequence[str]) -> NDArray[np.float64]:
        """Return the text vector of a few words."""
        return self.look_up(tuple(words)).text_vector()

    def topic_vector(self, topic: Topic) -> NDArray[np.float64]:
        """Return the text vector of name and keywords, moved towards the examples and away from the counterexamples.

        Without examples it is that text vector. With them it is Rocchio's: the direction of name and keywords, plus
        the mean direction of the texts in `like`, less `UNLIKE_SHARE` of the mean direction of those in `unlike`.
        """
        phrases = self.vector([word for phrase in topic.phrases for word in words_of(phrase)])
        if self.encoder:
            phrases = unit(phrases) + self.encoder.encode([", ".join(topic.phrases)])[0]
        if not (topic.like or topic.unlike):
            return phrases
        return unit(phrases) + self._mean_direction(topic.like) - UNLIKE_SHARE * self._mean_direction(topic.unlike)

    def _mean_direction(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return the mean of the unit vectors of some texts; a text without a known word counts as zero."""
        directions = [unit(self.vector(words_of(text))) for text in texts]
        return np.sum(directions, axis=0) / len(directions) if directions else np.zeros(self.dimension)

    def _number(self, words: tuple[str, ...]) -> NDArray[np.int32]:
        """Return the rows of the words; those never met get the next ones."""
        number_of = self._number_by_word
        # An itemgetter is the fastest way to look up many keys, but has to be given more than one.
        numbers = itemgetter(*words)(number_of) if len(words) > 1 else [number_of[word] for word in words]
        return np.fromiter(numbers, dtype=np.int32, count=len(words))

    def _learn_new_words(self) -> None:
        words, self._number_by_word.new_words = self._number_by_word.new_words, []
        first = len(self._number_by_word) - len(words) + 1
        try:
            vectors = np.clip(self._source.vectors(words), -LARGEST, LARGEST)
        except BaseException:
            for word in words:
                del self._number_by_word[word]
            raise
        if first + len(words) > len(self._table):
            # For a page with more new words than there is room for; rows handed out earlier keep the old table.
            grown = np.zeros((first + len(words), self.dimension), dtype=np.float32)
            grown[:first] = self._table[:first]
            self._table = grown
        self._table[first : first + len(words)] = np.round(vectors / GRAIN) * GRAIN

    def _forget(self) -> None:
        """Start over when the cache is full; rows handed out earlier keep the table they point into."""
        self._number_by_word = _Numbers()
        self._table = self._empty_table()

    def _empty_table(self) -> NDArray[np.float32]:
        # All rows at once: memory is taken as they are written, and nothing is copied as their number grows.
        return np.zeros((CACHED_WORDS + ROOM_FOR_A_PAGE + 1, self.dimension), dtype=np.float32)


def on_grain(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights rounded so that weighted sums of word vectors are exact, and the same in any order."""
    rounded: NDArray[np.float64] = np.round(weights / GRAIN) * GRAIN
    return rounded


def count_weights(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the weights of words in a text vector by their counts: log(1 + count)."""
    return on_grain(np.log1p(counts))


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the vector at length 1; zero stays zero."""
    length = float(np.sqrt((vector * vector).sum()))
    return vector / length if length > 0 else vector


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Cosine of the angle between two vectors; 0 when either is zero."""
    length = float(np.sqrt((one * one).sum()) * np.sqrt((other * other).sum()))
    return float((one * other).sum()) / length if length > 0 else 0.0


def cosines(many: NDArray[np.float64], one: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosine of each row of `many` with `one`; 0 where either is zero."""
    lengths = np.sqrt((many * many).sum(axis=1)) * np.sqrt((one * one).sum())
    dots = (many * one).sum(axis=1)
    return np.divide(dots, lengths, out=np.zeros(len(many)), where=lengths > 0)


BLOCK: Final = 4096  # words compared at once: 8 MB at 256 numbers a word


class Vocabulary(Protocol):
    """A source of vectors that can say which words it has."""

    def has(self, word: str) -> bool:
        """Whether the word has a vector of its own, not one made of its pieces."""
        ...

    def words(self) -> Sequence[str]:
        """Return the words worth suggesting; where there are millions they are read as they are asked for."""
        ...

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a word, as `VectorSource` has it."""
        ...


def neighbours(vocabulary: Vocabulary, vector: NDArray[np.float64], count: int) -> list[tuple[str, float]]:
    """Return the `count` words whose vectors point most nearly where `vector` does, with their cosines.

    Best first, equal ones in the order of their letters; a word that `vector` was made from comes with the rest. The
    zero vector has no neighbours. Looks at every word there is, in blocks of bounded size.
    """
    best: list[tuple[str, float]] = []
    if count < 1 or not np.any(vector):
        return best
    words = vocabulary.words()
    for first in range(0, len(words), BLOCK):
        block = words[first : first + BLOCK]
        near = cosines(vocabulary.vectors(block).astype(np.float64), vector)
        # All that are as near as the last one that may stay: a tie is decided by letters, not by place.
        bar = np.partition(near, -count)[-count] if count < len(near) else -np.inf
        within = np.flatnonzero(near >= bar)
        best = _keep_best(
            count, best, zip([block[place] for place in within.tolist()], near[within].tolist(), strict=True)
        )
    return best


def _keep_best(
    count: int, known: list[tuple[str, float]], more: Iterable[tuple[str, float]]
) -> list[tuple[str, float]]:
    return list(islice(sorted([*known, *more], key=lambda pair: (-pair[1], pair[0])), count))
