"""Vectors of the words of addresses, and of all that a page shows of a link, as sums of word vectors.

The sums are exact (`honeyguide.text.vectors`), so a link has the same vector in any batch, cut from a page or stored.

What a link looks like before it is followed, in numbers.

`LinkFeatures` knows the topic. From the words of the address, of the anchor and around it, it makes three cosines with
the topic; together with what is known of the page the link stands on, and a short vector of the words themselves, they
are the columns named in `COLUMNS`. Sums over windows use the first `HEAD` numbers of each word vector;
`benchmarks/features.py` reports what that and the half-precision rows lose.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text import cosines, words_of_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Candidates, Rows, Topic, Url
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
    """Numbers for links, given a topic. The same link has the same numbers in any batch."""

    def __init__(self, topic: Topic, vectors: WordVectors, head: int = HEAD) -> None:
        self._vectors = vectors
        self._head = min(head, vectors.dimension)
        self._topic = vectors.topic_vector(topic)[: self._head]

    def similarity(self, candidates: Candidates) -> NDArray[np.float64]:
        """Mean cosine with the topic of address, anchor and surrounding words: the papers' no-learning score."""
        return self._similarities(self._texts(candidates)).mean(axis=0)

    def rows(self, candidates: Candidates) -> Rows:
        """All the columns, in the order of `COLUMNS`."""
        texts = self._texts(candidates)
        similarities = self._similarities(texts)
        scalars = (
            1.0,
            *similarities,
            candidates.relevance,
            candidates.relevance * similarities[0],
            np.where(candidates.is_seed, 0.0, 1.0 / (1.0 + candidates.distance)),
            candidates.is_internal,
            candidates.in_main,
            candidates.spans[:, 2] > candidates.spans[:, 1],
            1.0 / (1.0 + candidates.depth),
            candidates.is_seed,
        )
        meanings = _meanings(texts)
        rows = np.zeros((len(candidates), len(COLUMNS)), dtype=np.float16)
        for column, values in enumerate(scalars):
            rows[:, column] = values
        rows[:, len(SCALARS) : len(SCALARS) + meanings.shape[1]] = meanings
        return rows

    def _similarities(self, texts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cosines with the topic, one row a text."""
        return cosines(texts.reshape(-1, self._head), self._topic).reshape(len(texts), -1)

    def _texts(self, candidates: Candidates) -> NDArray[np.float64]:
        """Vectors of anchor, words around it and address, shape (3, links, head)."""
        first, start, end, last = candidates.spans.T
        page = self._vectors.look_up(candidates.words)
        texts = np.empty((3, len(candidates), self._head))
        anchor, around, address = texts
        anchor[:] = page.span_sums(start, end, self._head)
        np.subtract(page.span_sums(first, last, self._head), anchor, out=around)
        address[:] = address_sums(candidates.targets, self._vectors, self._head)
        return texts


def _meanings(texts: NDArray[np.float64]) -> NDArray[np.float64]:
    """The head of the direction in which a link's words point, the anchor counting twice."""
    anchor, around, address = texts
    sums = 2 * anchor + around + address
    lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
    heads = sums[:, :MEANING]
    return np.divide(heads, lengths, out=np.zeros_like(heads), where=lengths > 0)
