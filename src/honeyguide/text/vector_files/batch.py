"""Words with their vectors, so many at a time, whatever the format they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

NUMBERS_AT_ONCE: Final = 1 << 17  # some ten megabytes while they are still Python's


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Words in UTF-8, none of them empty, each with a vector of finite numbers."""

    words: list[bytes]
    vectors: NDArray[np.float32]
    skipped: int  # words left out: not UTF-8, or empty

    @classmethod
    def of(cls, words: list[bytes], vectors: NDArray[np.float32]) -> Self:
        """What can be used of these."""
        usable = np.fromiter(map(_is_usable, words), dtype=np.bool_, count=len(words))
        if usable.all():
            return cls(words, vectors, 0)
        kept = [word for word, is_kept in zip(words, usable.tolist(), strict=True) if is_kept]
        return cls(kept, vectors[usable], len(words) - len(kept))


def rows_at_once(dimension: int) -> int:
    """How many words make a batch; it depends on nothing else, so that equal files are converted equally."""
    return max(1, NUMBERS_AT_ONCE // dimension)


def _is_usable(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return bool(word)
