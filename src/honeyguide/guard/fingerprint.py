"""Fingerprints of a page's text: hashes that are equal for equal texts, and one that is near for similar texts.

Four prints of the main text (of all text, where a page has hardly any main text):

- `exact`: of the words in order. Equal texts have equal prints; different ones do not, but for one chance in 2**64.
- `plain`: the same without numbers and without the words that stand in the page's own address. An answer that only
  repeats what was asked for ("there is no page lava-tubes") has the same one at every address.
- `simhash` (Charikar 2002; Manku et al. 2007 for web pages): 64 bits, each the majority vote of the distinct shingles
  of three words, digits left out. Texts that share most shingles differ in few bits, unrelated ones in 32 on average.
- `sketch`: the few shingles with the smallest hashes, a fair sample that is the same wherever a shingle stands. How
  many of them a host has shown before tells how much of the page is new there.

Words are not hashed one by one: with a prefix sum P of byte * B**i in wrapping 64-bit arithmetic, the bytes from s up
to e have the polynomial hash (P[e] - P[s]) * B**-s.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import unquote

import numpy as np
import xxhash

from honeyguide.errors import GuardError
from honeyguide.text import WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Page

    Hashes = NDArray[np.uint64]

SHINGLE_WORDS: Final = 3
SKETCH_SIZE: Final = 8
LONGEST_TEXT: Final = 1 << 19
"""Bytes of text that the similar prints look at: longer pages are compared by their beginnings."""

LEAST_WORDS: Final = 20
"""A main text with fewer words is taken for a heading, and all of the page is looked at; a page with fewer is not
compared, because short texts are equal by chance."""

NO_TITLE: Final = xxhash.xxh32_intdigest(b"")
"""The print of an empty title."""

_LAYOUT: Final = struct.Struct(f"<QQQIIHB{SKETCH_SIZE}I")
_SIMHASH_AT: Final = 16  # bytes from the beginning of that
_MOST_LINKS: Final = 0xFFFF
_DIGITS: Final = b"0123456789"
_SPACE: Final = 32
_FACTOR: Final = 0x9E3779B97F4A7C15  # odd, so it has an inverse


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Prints of one page, and the few numbers of it that are compared with them."""

    exact: int  # 64 bits
    plain: int  # 64 bits
    simhash: int  # 64 bits
    title: int  # 32 bits, of the title without digits
    words: int  # words that were looked at
    links: int  # distinct links, 65,535 at most
    sketch: tuple[int, ...]  # up to SKETCH_SIZE numbers of 32 bits, rising

    def pack(self) -> bytes:
        """The same in a few bytes, to be stored."""
        padded = self.sketch + (0,) * (SKETCH_SIZE - len(self.sketch))
        return _LAYOUT.pack(
            self.exact, self.plain, self.simhash, self.title, self.words, self.links, len(self.sketch), *padded
        )

    @classmethod
    def unpack(cls, packed: bytes) -> Self:
        """Return the fingerprint that was packed. GuardError if the bytes are not one."""
        try:
            exact, plain, simhash, title, words, links, size, *sketch = _LAYOUT.unpack(packed)
        except struct.error:
            raise GuardError(
                f"a fingerprint of {len(packed)} bytes is not one of {_LAYOUT.size}: begin the run anew"
            ) from None
        return cls(exact, plain, simhash, title, words, links, tuple(sketch[:size]))


def simhashes_of(packed: Sequence[bytes]) -> NDArray[np.uint64]:
    """Return the simhashes of packed fingerprints. GuardError if one is none."""
    if any(len(each) != _LAYOUT.size for each in packed):
        raise GuardError(f"a fingerprint does not have {_LAYOUT.size} bytes: begin the run anew")
    joined = b"".join(packed)
    return np.ndarray(len(packed), dtype="<u8", buffer=joined, offset=_SIMHASH_AT, strides=(_LAYOUT.size,)).copy()


def fingerprint_of(page: Page) -> Fingerprint:
    """The prints of a page. A function of its words, title, address and number of links."""
    words = page.main_words
    if len(words) < LEAST_WORDS:
        words = page.words
    text = " ".join(words).encode("utf-8", "surrogatepass")
    shingles = _shingles(text[:LONGEST_TEXT].translate(None, _DIGITS))
    return Fingerprint(
        exact=xxhash.xxh3_64_intdigest(text),
        plain=_plain_print(words, page.url.text),
        simhash=_majority(shingles),
        title=_title_print(page.title),
        words=min(len(words), 0xFFFFFFFF),
        links=min(len(page.links), _MOST_LINKS),
        sketch=tuple((shingles[:SKETCH_SIZE] >> np.uint64(32)).tolist()),
    )


def _plain_print(words: tuple[str, ...], address: str) -> int:
    asked_for = set(WORD.findall(unquote(address, errors="replace").lower()))
    left = " ".join([word for word in words if word not in asked_for])
    return xxhash.xxh3_64_intdigest(left.encode("utf-8", "surrogatepass").translate(None, _DIGITS))


def _title_print(title: str) -> int:
    return xxhash.xxh32_intdigest(title.lower().encode("utf-8", "surrogatepass").translate(None, _DIGITS))


def _shingles(text: bytes) -> Hashes:
    """The distinct shingles of a text of words between spaces, as hashes in rising order."""
    letters = np.frombuffer(text, dtype=np.uint8)
    inside = np.zeros(len(letters) + 2, dtype=np.bool_)
    np.not_equal(letters, _SPACE, out=inside[1:-1])
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = edges[0::2], edges[1::2]
    if not len(starts):
        return np.empty(0, dtype=np.uint64)
    span = min(SHINGLE_WORDS, len(starts))
    starts, ends = starts[: len(starts) - span + 1], ends[span - 1 :]
    powers, inverses = _powers(len(letters))
    sums = np.zeros(len(letters) + 1, dtype=np.uint64)
    np.cumsum(letters * powers, out=sums[1:])
    hashes = (sums[ends] - sums[starts]) * inverses[starts]
    hashes = np.sort(_mixed(hashes))
    return hashes[np.append(True, hashes[1:] != hashes[:-1])]  # a quarter of the time that np.unique takes


def _majority(shingles: Hashes) -> int:
    """64 bits, each set where more than half of the hashes have it; 0 of no hashes."""
    if not len(shingles):
        return 0
    bits = np.unpackbits(shingles.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    votes = bits.sum(axis=0, dtype=np.uint32) * 2 > len(shingles)
    return int(np.packbits(votes, bitorder="little").view("<u8")[0])


def _mixed(hashes: Hashes) -> Hashes:
    """Every bit of the result depends on every bit of the hash (the finaliser of splitmix64)."""
    hashes = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    hashes = (hashes ^ (hashes >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return hashes ^ (hashes >> np.uint64(31))


class _PowerTable:
    """Powers of the factor and of its inverse, modulo 2**64, made longer when a longer text asks for them."""

    def __init__(self) -> None:
        self._powers = self._inverses = np.ones(1, dtype=np.uint64)

    def up_to(self, count: int) -> tuple[Hashes, Hashes]:
        if count > len(self._powers):
            length = 1 << max(16, (count - 1).bit_length())
            self._powers = _powers_of(_FACTOR, length)
            self._inverses = _powers_of(pow(_FACTOR, -1, 1 << 64), length)
        return self._powers[:count], self._inverses[:count]


def _powers_of(factor: int, length: int) -> Hashes:
    factors = np.full(length, factor, dtype=np.uint64)
    factors[0] = 1
    return np.cumprod(factors)


_powers = _PowerTable().up_to
