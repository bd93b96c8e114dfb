"""Every URL a run has met, numbered in order of discovery, in some 20 bytes each; of many, the texts are on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import xxhash

from honeyguide.columns import NumbersByHash, TextColumn
from honeyguide.model import LinkId, Url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class SeenUrls:
    """URL text to number and back. Exact: two texts with the same hash still get two numbers."""

    def __init__(self) -> None:
        self._texts = TextColumn()
        self._numbers = NumbersByHash()

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Url]:
        return (self.url(LinkId(number)) for number in range(len(self)))

    def find(self, url: Url) -> LinkId | None:
        """Return the number of a URL met before, or None."""
        text = url.text.encode()
        return self._find(text, xxhash.xxh3_64_intdigest(text))

    def add_new(self, urls: Sequence[Url]) -> None:
        """Give the next numbers to URLs of which none was met, and none is there twice; quicker than one by one."""
        texts = [url.text.encode() for url in urls]
        self._texts.extend(texts)
        self._numbers.extend(map(xxhash.xxh3_64_intdigest, texts))

    def add(self, url: Url) -> LinkId:
        """Return the number of a URL, a new one if it was never met."""
        text = url.text.encode()
        digest = xxhash.xxh3_64_intdigest(text)
        number = self._find(text, digest)
        if number is None:
            number = LinkId(len(self))
            self._texts.extend([text])
            self._numbers.extend([digest])
        return number

    def url(self, link: LinkId) -> Url:
        """Return the URL with this number."""
        return Url(self._texts[link].decode())

    def _find(self, text: bytes, digest: int) -> LinkId | None:
        return next((LinkId(number) for number in self._numbers.having(digest) if self._texts[number] == text), None)
