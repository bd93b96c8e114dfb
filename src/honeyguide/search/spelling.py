"""Did you mean …? Words of the searched pages that are spelled nearly like one that they do not have.

A noisy channel: a word w that was meant is as likely as the number of pages that have it, and each slip of the finger
(a letter too many, too few, another, or two swapped) makes what was typed `SLIP` times less likely:

    worth(w) = pages(w) / SLIP ** slips(w, typed)

The word with the highest worth is suggested where that is higher than the worth of what was typed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

SLIP: Final = 50.0
FEWEST_LETTERS: Final = 4
"""Shorter words have too many neighbours for any of them to be meant."""
_LONGEST: Final = 24
_LETTERS_FOR_TWO: Final = 6  # from so many letters on, two slips are looked for


class Speller:
    """The words of an index with the number of pages that have each."""

    def __init__(self, pages_by_word: Iterable[tuple[str, int]]) -> None:
        known = [(word, pages) for word, pages in pages_by_word if 2 <= len(word) <= _LONGEST]
        self._pages_by_word = dict(known)
        words = np.array([word for word, _ in known], dtype=f"<U{_LONGEST}")
        self._letters: NDArray[np.uint32] = words.view(np.uint32).reshape(len(words), -1)
        self._lengths = np.char.str_len(words) if len(words) else np.empty(0, dtype=np.int64)
        self._pages = np.array([pages for _, pages in known], dtype=np.float64)
        self._words = words

    def pages(self, word: str) -> int:
        return self._pages_by_word.get(word, 0)

    def suggestion(self, word: str) -> str | None:
        """What was probably meant instead of a lower-cased word; None where nothing better is known."""
        if not FEWEST_LETTERS <= len(word) <= _LONGEST or not word.isalpha():
            return None
        most = 2 if len(word) >= _LETTERS_FOR_TWO else 1
        near = np.flatnonzero(np.abs(self._lengths - len(word)) <= most)
        if not len(near):
            return None
        slips = slips_between(word, self._letters[near], self._lengths[near])
        is_near = (slips > 0) & (slips <= most)
        near, slips = near[is_near], slips[is_near]
        worth = self._pages[near] / SLIP**slips
        if not len(near) or worth.max() <= self.pages(word):
            return None
        best = near[worth == worth.max()]
        return min(str(self._words[number]) for number in best)


def slips_between(word: str, letters: NDArray[np.uint32], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Slips of the finger between a word and each of many (Damerau's distance, no place touched twice).

    `letters` has a word a row, filled up with zeros; the table of the distance is filled for all of them at once.
    """
    width = letters.shape[1]
    before_last: NDArray[np.int64] | None = None
    last = np.broadcast_to(np.arange(width + 1), (len(letters), width + 1)).astype(np.int64)
    for row, letter in enumerate(map(ord, word), 1):
        same = letters == letter
        new = np.empty_like(last)
        new[:, 0] = row
        substituted = last[:, :-1] + ~same
        deleted = last[:, 1:] + 1
        np.minimum(substituted, deleted, out=new[:, 1:])
        if before_last is not None:
            earlier = ord(word[row - 2])
            swapped = same[:, :-1] & (letters[:, 1:] == earlier)
            new[:, 2:] = np.where(swapped, np.minimum(new[:, 2:], before_last[:, :-2] + 1), new[:, 2:])
        for column in range(1, width + 1):  # a letter too few depends on the column before
            np.minimum(new[:, column], new[:, column - 1] + 1, out=new[:, column])
        before_last, last = last, new
    return last[np.arange(len(letters)), lengths]
