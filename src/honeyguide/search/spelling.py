"""Did you mean …? Words of the searched pages that are spelled nearly like one that they do not have.

A noisy channel: a word w is as likely to be meant as the number of pages that have it, and each typing error (a letter
too many, too few, another, or two swapped) makes what was typed `SLIP` times less likely:

    worth(w) = pages(w) / SLIP ** slips(w, typed)

The word with the highest worth is suggested where that is higher than the worth of what was typed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.search.matching import marked

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

SLIP: Final = 50.0
FEWEST_LETTERS: Final = 4
"""Shorter words have too many neighbours for any of them to be meant."""
_LONGEST: Final = 24  # letters of a word
_LETTERS_FOR_TWO: Final = 6  # from so many letters on, two slips are looked for


def is_spelled(word: str) -> bool:
    """Say whether a lower-cased word can be misspelled: it has letters of an alphabet, neither few nor many."""
    return FEWEST_LETTERS <= len(word) <= _LONGEST and word.isalpha() and marked(word) == word


class Speller:
    """The words of an index with the number of pages that have each."""

    def __init__(self, pages_by_word: Iterable[tuple[str, int]]) -> None:
        known = [(word, pages) for word, pages in pages_by_word if 2 <= len(word) <= _LONGEST]
        self._pages_by_word = dict(known)
        self._words = np.array([word for word, _ in known], dtype=f"<U{_LONGEST}")
        self._lengths = np.char.str_len(self._words) if known else np.empty(0, dtype=np.int64)
        self._pages = np.array([pages for _, pages in known], dtype=np.float64)
        self._letters = letters_in(self._words)

    def pages(self, word: str) -> int:
        return self._pages_by_word.get(word, 0)

    def suggestion(self, word: str) -> str | None:
        """Return what was probably meant instead of a lower-cased word; None where nothing better is known."""
        if not is_spelled(word):
            return None
        most = 2 if len(word) >= _LETTERS_FOR_TWO else 1
        is_near = np.abs(self._lengths - len(word)) <= most
        is_near &= self._pages > SLIP * self.pages(word)  # or it is worth less, with one slip already
        # A slip brings one letter into a word and takes one out of it at most.
        differing = np.bitwise_count(self._letters ^ letters_in(np.array([word], dtype=f"<U{_LONGEST}")))
        near = np.flatnonzero(is_near & (differing <= 2 * most))
        slips = slips_between(word, self._words[near])
        is_near = (slips > 0) & (slips <= most)
        near, slips = near[is_near], slips[is_near]
        worth = self._pages[near] / SLIP**slips
        if not len(near) or worth.max() <= self.pages(word):
            return None
        best = near[worth == worth.max()]
        return min(str(self._words[number]) for number in best)


def letters_in(words: NDArray[np.str_]) -> NDArray[np.uint64]:
    """Return the set of letters of each word as 64 bits, of which letters of large alphabets share some."""
    codes = words.view(np.uint32).reshape(len(words), _LONGEST)
    bits = np.where(codes > 0, np.uint64(1) << (codes & 63).astype(np.uint64), np.uint64(0))
    found: NDArray[np.uint64] = np.bitwise_or.reduce(bits, axis=1)
    return found


def slips_between(word: str, others: NDArray[np.str_]) -> NDArray[np.int8]:
    """Return the typing errors between a word and each of many (optimal string alignment distance).

    The table of the distance is filled for all of them at once, a row for each letter of the word, a column at a time:
    a few milliseconds for 100,000 words.
    """
    if not len(others):
        return np.empty(0, dtype=np.int8)
    lengths = np.char.str_len(others)
    width = int(lengths.max())
    by_place = others.view(np.uint32).reshape(len(others), -1)[:, :width]
    letters = np.ascontiguousarray(by_place.T)
    before_last, last = None, np.repeat(np.arange(width + 1, dtype=np.int8)[:, None], len(others), axis=1)
    for row, letter in enumerate(map(ord, word), 1):
        new = np.empty_like(last)
        new[0] = row
        is_same = letters == letter
        was_same = letters == ord(word[row - 2]) if row > 1 else None
        for column in range(1, width + 1):
            best = np.minimum(last[column - 1] + ~is_same[column - 1], np.minimum(last[column], new[column - 1]) + 1)
            if column > 1 and was_same is not None and before_last is not None:
                is_swapped = is_same[column - 2] & was_same[column - 1]
                best = np.where(is_swapped, np.minimum(best, before_last[column - 2] + 1), best)
            new[column] = best
        before_last, last = last, new
    found: NDArray[np.int8] = last[lengths, np.arange(len(others))]
    return found
