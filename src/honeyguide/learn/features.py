"""What a link looks like before it is followed, in numbers.

`LinkFeatures` knows the topic. From the words of the address, of the anchor and around it, it makes three cosines with
the topic; together with what is known of the page the link stands on, and a short vector of the words themselves, they
are the columns named in `COLUMNS`. Sums over windows use the first `HEAD` numbers of each word vector;
`benchmarks/features.py` reports what that and the half-precision rows lose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.text import cosines, words_of_url

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Rows, Topic
    from honeyguide.text import WordVectors

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


@dataclass(frozen=True, slots=True, eq=False)
class LinkWords:
    """Vectors of the three texts of each link, shape (links, HEAD)."""

    anchor: NDArray[np.float64]
    around: NDArray[np.float64]
    address: NDArray[np.float64]


class LinkFeatures:
    """Numbers for links, given a topic. The same link has the same numbers in any batch."""

    def __init__(self, topic: Topic, vectors: WordVectors, head: int = HEAD) -> None:
        self._vectors = vectors
        self._head = min(head, vectors.dimension)
        self._topic = vectors.topic_vector(topic)[: self._head]

    def similarity(self, candidates: Candidates) -> NDArray[np.float64]:
        """Mean cosine with the topic of address, anchor and surrounding words: the papers' no-learning score."""
        return self._similarities(self._words(candidates)).mean(axis=1)

    def rows(self, candidates: Candidates) -> Rows:
        """All the columns, in the order of `COLUMNS`."""
        words = self._words(candidates)
        anchor, around, address = self._similarities(words).T
        scalars = np.stack(
            [
                np.ones(len(candidates)),
                anchor,
                around,
                address,
                candidates.relevance,
                candidates.relevance * anchor,
                np.where(candidates.is_seed, 0.0, 1.0 / (1.0 + candidates.distance)),
                candidates.is_internal,
                candidates.in_main,
                candidates.spans[:, 2] > candidates.spans[:, 1],
                1.0 / (1.0 + candidates.depth),
                candidates.is_seed,
            ],
            axis=1,
        )
        known = _unit(2 * words.anchor + words.around + words.address)[:, :MEANING]
        meaning = np.zeros((len(candidates), MEANING))  # as many columns for shorter vectors, the last of them zero
        meaning[:, : known.shape[1]] = known
        return np.concatenate((scalars, meaning), axis=1).astype(np.float16)

    def _similarities(self, words: LinkWords) -> NDArray[np.float64]:
        texts = (words.anchor, words.around, words.address)
        return np.stack([cosines(text, self._topic) for text in texts], axis=1)

    def _words(self, candidates: Candidates) -> LinkWords:
        first, start, end, last = candidates.spans.T
        spans = np.concatenate((start, first)), np.concatenate((end, last))
        anchor, window = np.split(self._vectors.look_up(candidates.words).span_sums(*spans, self._head), 2)
        return LinkWords(anchor, window - anchor, self._address_sums(candidates))

    def _address_sums(self, candidates: Candidates) -> NDArray[np.float64]:
        words: list[str] = []
        begins, ends = np.empty((2, len(candidates)), dtype=np.int64)
        for row, url in enumerate(candidates.targets):
            begins[row] = len(words)
            words += words_of_url(url)
            ends[row] = len(words)
        return self._vectors.look_up(tuple(words)).span_sums(begins, ends, self._head)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
