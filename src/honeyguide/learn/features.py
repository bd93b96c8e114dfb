"""Links in numbers, before they are followed.

A link is described once, without looking at the topic or at the judge: a short vector of its anchor, one of the words
around it and one of its address, in four bits a number, and a few flags. That description is what a run stores. A row
is computed from it, from the topic and from what is known of the page that shows the link; the columns are named in
`COLUMNS`. So a row can be made again at any time, also after the judge has changed its mind about that page.

Sums of word vectors are exact (`honeyguide.text.vectors`), so a link has the same description in any batch.
`benchmarks/features.py` reports what short vectors and half-precision rows lose.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text import cosines, words_of_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Candidates, LinkDescriptions, ParentFacts, Rows, Topic, Url
    from honeyguide.text import WordVectors


def link_sums(candidates: Candidates, vectors: WordVectors, dimension: int) -> NDArray[np.float64]:
    """Address, anchor and the words around it as one text: the first `dimension` numbers, one row a link."""
    first, _, _, last = candidates.spans.T
    windows = vectors.look_up(candidates.words).span_sums(first, last, dimension)
    return windows + address_sums(candidates.targets, vectors, dimension)


def address_sums(urls: Sequence[Url], vectors: WordVectors, dimension: int) -> NDArray[np.float64]:
    """The words of each address: the first `dimension` numbers, one row an address."""
    words = [words_of_url(url) for url in urls]
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    ends = np.cumsum(lengths)
    return vectors.look_up(tuple(chain.from_iterable(words))).span_sums(ends - lengths, ends, dimension)


HEAD: Final = 128  # numbers of a word vector used for links
MEANING: Final = 32  # of those, kept in a link's row
LARGEST: Final = 7  # of the whole numbers that a short vector is made of: four bits each
IN_MAIN, IS_INTERNAL, HAS_ANCHOR, IS_SEED = (1 << bit for bit in range(4))

SCALARS: Final = (
    "always one",
    "cosine of the anchor",
    "cosine of the words around",
    "cosine of the address",
    "relevance of the page",
    "relevance of the page times cosine of the anchor",
    "nearness of a relevant page",
    "same host",
    "in the main text",
    "has an anchor",
    "nearness of a seed",
    "is a seed",
)
COLUMNS: Final = (*SCALARS, *(f"meaning {number}" for number in range(MEANING)))


class LinkFeatures:
    """Describes links, and makes rows of descriptions, given a topic. A link has the same numbers in any batch."""

    def __init__(self, topic: Topic, vectors: WordVectors, size: int = HEAD) -> None:
        self._vectors = vectors
        self._size = min(size, vectors.dimension)
        self._topic = vectors.topic_vector(topic)[: self._size]
        self.description_type = np.dtype(
            [("flags", np.uint8), ("scale", np.float16, (3,)), ("texts", np.uint8, (3, (self._size + 1) // 2))]
        )

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        """Short vectors of anchor, surrounding words and address; what the page's text and place say otherwise."""
        first, start, end, last = candidates.spans.T
        page = self._vectors.look_up(candidates.words)
        texts = np.empty((len(candidates), 3, self._size))
        texts[:, 0] = page.span_sums(start, end, self._size)
        texts[:, 1] = page.span_sums(first, last, self._size) - texts[:, 0]
        texts[:, 2] = address_sums(candidates.targets, self._vectors, self._size)
        described = np.zeros(len(candidates), dtype=self.description_type)
        largest = np.abs(texts).max(axis=2)
        described["scale"] = largest / LARGEST
        shares = np.divide(texts, largest[..., None], out=np.zeros_like(texts), where=largest[..., None] > 0)
        described["texts"] = _packed(np.rint(shares * LARGEST).astype(np.int8))
        described["flags"] = (
            candidates.in_main * IN_MAIN
            + candidates.is_internal * IS_INTERNAL
            + (end > start) * HAS_ANCHOR
            + candidates.is_seed * IS_SEED
        )
        return described

    def similarity(self, described: LinkDescriptions) -> NDArray[np.float64]:
        """Mean cosine with the topic of address, anchor and surrounding words: the papers' no-learning score."""
        return self._similarities(described).mean(axis=1)

    def similarity_as_one_text(self, described: LinkDescriptions) -> NDArray[np.float64]:
        """Cosine with the topic of address, anchor and surrounding words written as one text."""
        return cosines(self._texts(described).sum(axis=1), self._topic)

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        """All the columns, in the order of `COLUMNS`."""
        similarities = self._similarities(described).T
        flags = described["flags"]
        is_seed = (flags & IS_SEED) > 0
        scalars = (
            1.0,
            *similarities,
            parents.relevance,
            parents.relevance * similarities[0],
            np.where(is_seed, 0.0, 1.0 / (1.0 + parents.distance)),
            (flags & IS_INTERNAL) > 0,
            (flags & IN_MAIN) > 0,
            (flags & HAS_ANCHOR) > 0,
            1.0 / (1.0 + parents.depth),
            is_seed,
        )
        meanings = _meanings(self._texts(described))
        rows = np.zeros((len(described), len(COLUMNS)), dtype=np.float16)
        for column, values in enumerate(scalars):
            rows[:, column] = values
        rows[:, len(SCALARS) : len(SCALARS) + meanings.shape[1]] = meanings
        return rows

    def _similarities(self, described: LinkDescriptions) -> NDArray[np.float64]:
        """Cosines with the topic, one row a link and one column a text."""
        texts = self._directions(described).reshape(-1, self._size)
        return cosines(texts, self._topic).reshape(-1, 3)

    def _texts(self, described: LinkDescriptions) -> NDArray[np.float64]:
        """The three vectors of each link, in the lengths that they had."""
        return self._directions(described) * described["scale"].astype(np.float64)[..., None]

    def _directions(self, described: LinkDescriptions) -> NDArray[np.float64]:
        packed = described["texts"]
        pairs = np.stack((packed >> 4, packed & 15), axis=-1).reshape(len(packed), 3, 2 * packed.shape[2])
        return pairs[..., : self._size].astype(np.float64) - 8


def _packed(numbers: NDArray[np.int8]) -> NDArray[np.uint8]:
    """Whole numbers from -7 to 7, two in a byte."""
    halves = (numbers + 8).astype(np.uint8)
    if halves.shape[-1] % 2:
        halves = np.concatenate((halves, np.full_like(halves[..., :1], 8)), axis=-1)
    return (halves[..., ::2] << 4 | halves[..., 1::2]).astype(np.uint8)


def _meanings(texts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The head of the direction in which a link's words point, the anchor counting twice."""
    sums = 2 * texts[:, 0] + texts[:, 1] + texts[:, 2]
    lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
    heads = sums[:, :MEANING]
    return np.divide(heads, lengths, out=np.zeros_like(heads), where=lengths > 0)
