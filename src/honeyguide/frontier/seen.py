"""Every URL a run has met, numbered in order of discovery, in about 35 bytes each; of many, the texts are on disk."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.frontier.columns import TextColumn
from honeyguide.model import LinkId, Url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FREE: Final = -1


class SeenUrls:
    """URL text to number and back. Exact: two texts with the same hash still get two numbers.

    A hash table with open addressing finds the numbers of texts: the place of a text is given by its hash, or is the
    next free one after that. Looking up is as fast as in a dictionary, which would take
    another 100 bytes for each URL, because it holds hashes and numbers as objects.
    """

    def __init__(self) -> None:
        self._texts = TextColumn()
        self._hashes = array("Q")  # by number
        self._places = _table(self._hashes, size=1024)  # numbers by hash; at least half are FREE

    def __len__(self) -> int:
        return len(self._hashes)

    def __iter__(self) -> Iterator[Url]:
        return (self.url(LinkId(number)) for number in range(len(self)))

    def find(self, url: Url) -> LinkId | None:
        """Return the number of a URL met before, or None."""
        text = url.text.encode()
        number = self._places[self._place(text, xxhash.xxh3_64_intdigest(text))]
        return None if number == FREE else LinkId(number)

    def add_new(self, urls: Sequence[Url]) -> None:
        """Give the next numbers to URLs of which none was met, and none is there twice; quicker than one by one."""
        texts = [url.text.encode() for url in urls]
        first = len(self)
        self._hashes.extend(map(xxhash.xxh3_64_intdigest, texts))
        self._texts.extend(texts)
        size = len(self._places)
        while 2 * len(self) > size:
            size *= 2
        if size > len(self._places):
            self._places = _table(self._hashes, size=size)
            return
        places, last = self._places, size - 1
        for number in range(first, len(self)):
            place = self._hashes[number] & last
            while places[place] != FREE:
                place = (place + 1) & last
            places[place] = number

    def add(self, url: Url) -> LinkId:
        """Return the number of a URL, a new one if it was never met."""
        text = url.text.encode()
        digest = xxhash.xxh3_64_intdigest(text)
        place = self._place(text, digest)
        number = self._places[place]
        if number != FREE:
            return LinkId(number)
        number = self._places[place] = len(self)
        self._texts.extend([text])
        self._hashes.append(digest)
        if 2 * len(self) > len(self._places):
            self._places = _table(self._hashes, size=2 * len(self._places))
        return LinkId(number)

    def url(self, link: LinkId) -> Url:
        """Return the URL with this number."""
        return Url(self._texts[link].decode())

    def _place(self, text: bytes, digest: int) -> int:
        """Return where in the table the number of a text is, or would be."""
        last = len(self._places) - 1
        place = digest & last
        while (number := self._places[place]) != FREE:
            if self._hashes[number] == digest and self._texts[number] == text:
                break
            place = (place + 1) & last
        return place


def _table(hashes: array[int], *, size: int) -> memoryview[int]:
    """Return a table of `size`, a power of two, with the numbers of these hashes in it."""
    numbers = np.full(size, FREE, dtype=np.int32)
    left = np.arange(len(hashes), dtype=np.int32)
    places = np.array(hashes, dtype=np.uint64) & np.uint64(size - 1)
    while len(left):
        # Where the place is free one of those that want it stays there; the others go on to the next.
        is_free = numbers[places] == FREE
        numbers[places[is_free]] = left[is_free]
        is_left = numbers[places] != left
        left, places = left[is_left], (places[is_left] + np.uint64(1)) & np.uint64(size - 1)
    return numbers.data
