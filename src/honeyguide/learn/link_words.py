"""Vectors of the words of addresses, and of all that a page shows of a link, as sums of word vectors.

The sums are exact (`honeyguide.text.vectors`), so a link has the same vector in any batch, cut from a page or stored.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.text import words_of_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Candidates, Url
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
