"""The pages seen recently, and which of them a new page is like.

By count and by age: the document that this guard goes back to compares with recent pages only, because "it is very rare
for a loop to be so big". Memory is constant. A look-up compares one print with all that are kept, in one pass over an
array of 64-bit numbers, and then whatever comes near in every way, again in arrays: microseconds for 500 pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.guard.bounded import fields_of
from honeyguide.guard.url_pattern import hash_of
from honeyguide.model import LinkId

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.guard.bounded import State
    from honeyguide.guard.fingerprint import Fingerprint

MOST_BITS: Final = 16
"""Prints that differ in more bits are not looked at closer: a quarter of 64 is half of what chance makes."""

ELSEWHERE: Final = LinkId(-1)
"""In place of a page that another shard has."""

_BITS: Final = 32  # in which unrelated texts differ
_TEXT, _SHAPE, _TITLE, _LINKS = 0.8, 0.1, 0.05, 0.05  # what each counts for
_MANY: Final = 256  # near pages from which on it pays to find out first which of them can be the most similar
_ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Kept:
    """A page in the window."""

    link: LinkId
    shape: str
    exact: int
    simhash: int
    title: int
    links: int
    moment: float

    @property
    def like(self) -> LinkId | None:
        """The page, for one that is like it; None where another shard has it."""
        return None if self.link == ELSEWHERE else self.link


@dataclass(frozen=True, slots=True)
class Likeness:
    """The page in the window that a page is most like."""

    kept: Kept
    similarity: float  # 0 to 1
    bits: int  # in which the similar prints differ


class Window:
    """At most `pages` pages, none older than `seconds`."""

    def __init__(self, pages: int, seconds: float) -> None:
        self.pages = pages
        self.seconds = seconds
        self._kept: list[Kept | None] = [None] * pages
        self._prints = np.zeros(pages, dtype=np.uint64)
        self._shapes = np.zeros(pages, dtype=np.uint64)  # hashes
        self._titles = np.zeros(pages, dtype=np.uint32)
        self._links = np.zeros(pages, dtype=np.float64)
        self._is_free = np.ones(pages, dtype=np.bool_)
        self._slot_of: dict[int, int] = {}  # by exact print, the newest
        self._next = 0
        self._oldest = 0  # both count pages; the slot is the rest after division

    def __len__(self) -> int:
        return self._next - self._oldest

    def expire(self, moment: float) -> None:
        """Forget what is older than the window is long."""
        while len(self) and self._page(self._oldest).moment < moment - self.seconds:
            self._forget_oldest()

    def add(self, kept: Kept) -> None:
        """Keep a page; where the window is full, the oldest makes room."""
        if len(self) == self.pages:
            self._forget_oldest()
        slot = self._next % self.pages
        self._kept[slot] = kept
        self._prints[slot] = kept.simhash
        self._shapes[slot] = hash_of(kept.shape)
        self._titles[slot] = kept.title
        self._links[slot] = kept.links
        self._is_free[slot] = False
        self._slot_of[kept.exact] = slot
        self._next += 1

    def equal(self, exact: int) -> Kept | None:
        """The newest page with this very text."""
        slot = self._slot_of.get(exact)
        return None if slot is None else self._kept[slot]

    def nearest(self, print_: Fingerprint, shape: str) -> Likeness | None:
        """The page most similar to this one, of several the newest; None where none has a text that is anywhere near.

        Similarity is from 0 to 1. The text counts for four fifths: 1 for equal prints, 0 at the 32 bits in which
        unrelated texts differ. Then come the shape of the address (a tenth), the title and the number of links (a
        twentieth each).
        """
        bits = np.bitwise_count(self._prints ^ np.uint64(print_.simhash))
        near = np.flatnonzero(bits <= MOST_BITS)
        if len(self) < self.pages:
            near = near[~self._is_free[near]]
        if not len(near):
            return None
        bits = bits[near]
        if len(near) > _MANY:
            closest = np.flatnonzero(bits == bits.min())
            reached = self._similarities(print_, shape, near[closest], bits[closest]).max()
            most_bits = (1.0 - reached) * _BITS / _TEXT + _ROUNDING  # were they to agree in all else
            can_be_best = np.flatnonzero(bits <= most_bits)
            near, bits = near[can_be_best], bits[can_be_best]
        similarities = self._similarities(print_, shape, near, bits)
        best = np.flatnonzero(similarities == similarities.max())
        newest = best[np.argmax((near[best] - self._oldest) % self.pages)]
        return Likeness(self._at(int(near[newest])), float(similarities[newest]), int(bits[newest]))

    def state(self) -> State:
        """Return the state, for `restore`."""
        return [fields_of(self._page(number)) for number in range(self._oldest, self._next)]

    def restore(self, state: State) -> None:
        while len(self):
            self._forget_oldest()
        for fields in state:
            self.add(Kept(*fields))

    def _similarities(
        self, print_: Fingerprint, shape: str, slots: NDArray[np.intp], bits: NDArray[np.uint8]
    ) -> NDArray[np.float64]:
        """How alike a page is to those in these slots, whose prints differ from its own in so many bits."""
        links = self._links[slots]
        own = float(print_.links)
        as_many = np.minimum(links, own) / np.maximum(links, own) if own else links == 0
        return (
            _TEXT * (1.0 - bits / _BITS)
            + _SHAPE * (self._shapes[slots] == np.uint64(hash_of(shape)))
            + _TITLE * (self._titles[slots] == print_.title)
            + _LINKS * as_many
        )

    def _page(self, number: int) -> Kept:
        return self._at(number % self.pages)

    def _at(self, slot: int) -> Kept:
        kept = self._kept[slot]
        assert kept is not None
        return kept

    def _forget_oldest(self) -> None:
        slot = self._oldest % self.pages
        kept = self._page(self._oldest)
        if self._slot_of.get(kept.exact) == slot:
            del self._slot_of[kept.exact]
        self._kept[slot] = None
        self._is_free[slot] = True
        self._oldest += 1
