"""The pages seen recently, and which of them a new page is like.

By count and by age: the document that this guard goes back to compares with recent pages only, because "it is very rare
for a loop to be so big". Memory is constant. A look-up compares one print with all that are kept, in one pass over an
array of 64-bit numbers: microseconds for 500 pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.guard.saving import fields_of

if TYPE_CHECKING:
    from honeyguide.domain import LinkId
    from honeyguide.guard.fingerprint import Fingerprint
    from honeyguide.guard.saving import State

MOST_BITS: Final = 16
"""Prints that differ in more bits are not looked at closer: a quarter of 64 is half of what chance makes."""

_CLOSEST: Final = 8  # candidates compared in full


@dataclass(frozen=True, slots=True)
class Kept:
    """A page in the window."""

    link: LinkId
    address: str
    shape: str
    exact: int
    simhash: int
    title: int
    links: int
    moment: float


@dataclass(frozen=True, slots=True)
class Likeness:
    """The page in the window that a page is most like."""

    kept: Kept
    similarity: float  # 0 to 1
    bits: int  # in which the similar prints differ


def similarity(print_: Fingerprint, shape: str, kept: Kept, bits: int) -> float:
    """How alike two pages are, from 0 to 1: text, and with it the shape of the address and what else is known.

    The text counts for four fifths: 1 for equal prints, 0 at the 32 bits in which unrelated texts differ. Then come the
    shape of the address (a tenth), the title and the number of links (a twentieth each).
    """
    text = max(0.0, 1.0 - bits / 32)
    more, fewer = max(print_.links, kept.links), min(print_.links, kept.links)
    links = 1.0 if more == 0 else fewer / more
    return 0.8 * text + 0.1 * (shape == kept.shape) + 0.05 * (print_.title == kept.title) + 0.05 * links


class Window:
    """At most `pages` pages, none older than `seconds`."""

    def __init__(self, pages: int, seconds: float) -> None:
        self.pages = pages
        self.seconds = seconds
        self._kept: list[Kept | None] = [None] * pages
        self._prints = np.zeros(pages, dtype=np.uint64)
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
        self._is_free[slot] = False
        self._slot_of[kept.exact] = slot
        self._next += 1

    def equal(self, exact: int) -> Kept | None:
        """The newest page with this very text."""
        slot = self._slot_of.get(exact)
        return None if slot is None else self._kept[slot]

    def nearest(self, print_: Fingerprint, shape: str) -> Likeness | None:
        """The page most similar to this one; None where none has a text that is anywhere near."""
        if not len(self):
            return None
        bits = np.bitwise_count(self._prints ^ np.uint64(print_.simhash))
        bits[self._is_free] = 255
        close = np.flatnonzero(bits <= MOST_BITS)
        if not len(close):
            return None
        if len(close) > _CLOSEST:
            close = close[np.argsort(bits[close], kind="stable")[:_CLOSEST]]
        found = [(slot, int(bits[slot]), self._kept[slot]) for slot in close.tolist()]
        likenesses = [Likeness(kept, similarity(print_, shape, kept, bit), bit) for _, bit, kept in found if kept]
        return max(likenesses, key=lambda likeness: (likeness.similarity, likeness.kept.link))

    def state(self) -> State:
        """What `restore` takes."""
        pages = [self._page(number) for number in range(self._oldest, self._next)]
        return self._oldest, [fields_of(kept) for kept in pages]

    def restore(self, state: State) -> None:
        """Back to a saved state, slot for slot: with many equally near pages, order decides which are looked at."""
        oldest, pages = state
        self.__init__(self.pages, self.seconds)  # type: ignore[misc] # as new
        self._oldest = self._next = oldest
        for fields in pages:
            self.add(Kept(*fields))

    def _page(self, number: int) -> Kept:
        kept = self._kept[number % self.pages]
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
