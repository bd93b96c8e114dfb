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
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.text import cosines, words_of_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Candidates, LinkDescriptions, ParentFacts, Rows, Topic, Url
    from honeyguide.text import WordVectors


def link_sums(candidates: Candidates, vectors: WordVectors, dimension: int) -> NDArray[np.float64]:
    """Address, anchor and the words around it as one text: the first `dimension` numbers, one row a link."""
    windows = candidates.spans[:, [0, -1]]
    sums = vectors.look_up_within(candidates.words, *windows.T).sums_between(windows, dimension)
    return sums[:, 0] + address_sums(candidates.targets, vectors, dimension)


def address_sums(urls: Sequence[Url], vectors: WordVectors, dimension: int) -> NDArray[np.float64]:
    """The words of each address: the first `dimension` numbers, one row an address."""
    words = [words_of_url(url) for url in urls]
    lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
    ends = np.cumsum(lengths)
    cuts = np.column_stack((ends - lengths, ends))
    return vectors.look_up(tuple(chain.from_iterable(words))).sums_between(cuts, dimension)[:, 0]


NEXT_WORDS: Final = 8  # on either side of an anchor, that an encoder reads with it
HEAD: Final = 128  # numbers of a word vector used for links
MEANING: Final = 32  # of those, kept in a link's row
LARGEST: Final = 7  # of the whole numbers that a short vector is made of: four bits each
ZERO: Final = 8  # stands for 0 in four bits
CACHED_ADDRESSES: Final = 8192
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


def link_texts(candidates: Candidates) -> tuple[list[str], list[str]]:
    """Return what an encoder reads of each link: its anchor, and the anchor among the words next to it."""
    words = candidates.words
    spans: list[list[int]] = candidates.spans.tolist()
    anchors = [" ".join(words[start:end]) for _, start, end, _ in spans]
    around = [
        " ".join(words[max(first, start - NEXT_WORDS) : min(last, end + NEXT_WORDS)])
        for first, start, end, last in spans
    ]
    return anchors, around


def _pointing(sums: NDArray[np.float64], directions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn sums of word vectors to where an encoder points, at the length they have: how much their words say."""
    lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))
    return directions * np.where(lengths > 0, lengths, 1.0)[:, None]


class LinkFeatures:
    """Describes links, and makes rows of descriptions, given a topic. A link has the same numbers in any batch."""

    def __init__(self, topic: Topic, vectors: WordVectors, size: int = HEAD) -> None:
        self._vectors = vectors
        self._size = min(size, vectors.dimension)
        self._topic = vectors.topic_vector(topic)[: self._size]
        width = (self._size + 1) // 2
        self.description_type = np.dtype(
            [("flags", np.uint8), ("scale", np.float16, (3,)), ("texts", np.uint8, (3, width))]
        )
        self._address_type = np.dtype([("scale", np.float16), ("text", np.uint8, (width,))])
        self._known_addresses: dict[str, bytes] = {}  # a site's menu is on every page of it

    def describe(self, candidates: Candidates) -> LinkDescriptions:
        """Short vectors of anchor, surrounding words and address; what the page's text and place say otherwise."""
        first, start, end, last = candidates.spans.T
        page = self._vectors.look_up_within(candidates.words, first, last)
        sums = page.sums_between(candidates.spans, self._size)
        sums[:, 2] += sums[:, 0]
        texts = sums[:, 1:]  # the anchor, and what stands before and behind it
        if self._vectors.encoder:
            for place, encoded in enumerate(link_texts(candidates)):
                texts[:, place] = _pointing(texts[:, place], self._vectors.encoder.encode(encoded)[:, : self._size])
        described = np.zeros(len(candidates), dtype=self.description_type)
        described["scale"][:, :2], described["texts"][:, :2] = _shortened(texts)
        addresses = self._addresses(candidates.targets)
        described["scale"][:, 2], described["texts"][:, 2] = addresses["scale"], addresses["text"]
        described["flags"] = (
            candidates.in_main * IN_MAIN
            + candidates.is_internal * IS_INTERNAL
            + (end > start) * HAS_ANCHOR
            + candidates.is_seed * IS_SEED
        )
        return described

    def _addresses(self, urls: Sequence[Url]) -> NDArray[Any]:
        """Short vectors of addresses."""
        known = self._known_addresses
        if len(known) > CACHED_ADDRESSES:
            known.clear()
        new = [url for url in urls if url.text not in known]
        if new:
            short = np.empty(len(new), dtype=self._address_type)
            short["scale"], short["text"] = _shortened(address_sums(new, self._vectors, self._size))
            known.update((url.text, each.tobytes()) for url, each in zip(new, short, strict=True))
        return np.frombuffer(b"".join([known[url.text] for url in urls]), dtype=self._address_type)

    def similarity(self, described: LinkDescriptions) -> NDArray[np.float64]:
        """Mean cosine with the topic of address, anchor and surrounding words: the papers' no-learning score."""
        return self._similarities(self._directions(described)).mean(axis=1)

    def similarity_as_one_text(self, described: LinkDescriptions) -> NDArray[np.float64]:
        """Cosine with the topic of address, anchor and surrounding words written as one text."""
        texts = self._directions(described) * described["scale"].astype(np.float64)[..., None]
        return cosines(texts.sum(axis=1), self._topic)

    def rows(self, described: LinkDescriptions, parents: ParentFacts) -> Rows:
        """All the columns, in the order of `COLUMNS`."""
        directions = self._directions(described)
        similarities = self._similarities(directions).T
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
        meanings = _meanings(directions, described["scale"].astype(np.float64))
        rows = np.zeros((len(described), len(COLUMNS)), dtype=np.float16)
        for column, values in enumerate(scalars):
            rows[:, column] = values
        rows[:, len(SCALARS) : len(SCALARS) + meanings.shape[1]] = meanings
        return rows

    def _similarities(self, directions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Cosines with the topic, one row a link and one column a text. Without BLAS: the same in any batch."""
        squares = np.einsum("ijk,ijk->ij", directions, directions)
        lengths = np.sqrt(squares) * np.sqrt((self._topic * self._topic).sum())
        dots = np.einsum("ijk,k->ij", directions, self._topic, optimize=False)
        return np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)

    def _directions(self, described: LinkDescriptions) -> NDArray[np.float64]:
        """The three vectors of each link as whole numbers."""
        return _HALVES.take(described["texts"]).view(np.float64)[..., : self._size]


_HALVES: Final = np.array(
    [complex((byte >> 4) - ZERO, (byte & 15) - ZERO) for byte in range(256)]
)  # two numbers of each byte


def _shortened(vectors: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return the scale of each vector and its numbers in four bits, two in a byte. Overwrites the vectors."""
    largest = np.abs(vectors).max(axis=-1)
    vectors *= np.divide(LARGEST, largest, out=np.zeros_like(largest), where=largest > 0)[..., None]
    vectors += ZERO
    halves = np.rint(vectors, out=vectors).astype(np.uint8)
    if halves.shape[-1] % 2:
        halves = np.concatenate((halves, np.full_like(halves[..., :1], ZERO)), axis=-1)
    pairs = halves.view("<u2")  # the first of two in the lower byte
    return largest / LARGEST, (pairs << 4 | pairs >> 8).astype(np.uint8)


def _meanings(directions: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """The head of the direction in which a link's words point, the anchor counting twice."""
    sums = np.einsum("ijk,ij->ik", directions, scale * (2.0, 1.0, 1.0), optimize=False)
    lengths = np.sqrt(np.einsum("ik,ik->i", sums, sums))[:, None]
    heads = sums[:, :MEANING]
    return np.divide(heads, lengths, out=np.zeros_like(heads), where=lengths > 0)
