"""About how many links wait, for a strategy that is not told.

A strategy sees the rows of the unvisited links on every page, new ones and old ones alike. With a hash of its address
in the row, a link that was seen before can be known again, and different links can be counted by linear counting
(Whang, Vander-Zanden and Taylor 1990): mark one of m places for each link; when a share v of them is still unmarked,
about -m ln v different links were seen. With a million places the count is off by some 10 in 10,000 and by some 4,000
in 3 million. At 14 million all places are marked, and the count stays there.
"""

from __future__ import annotations

import base64
import math
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import Rows, Url

_SIDE: Final = 1024  # half-precision numbers hold whole ones up to 2,048 exactly
PLACES: Final = _SIDE * _SIDE
COLUMNS: Final = 2


def columns(urls: Sequence[Url]) -> Rows:
    """The place of each address, in two numbers to be put into its link's row."""
    places = [xxhash.xxh3_64_intdigest(url.text.encode()) % PLACES for url in urls]
    return np.stack(np.divmod(np.array(places, dtype=np.int64), _SIDE), axis=1).astype(np.float16)


class LinksMet:
    """Counts different links, roughly. The same links in any order, however often, give the same count."""

    def __init__(self) -> None:
        self._is_marked: NDArray[np.bool_] = np.zeros(PLACES, dtype=np.bool_)
        self._unmarked = PLACES

    def note(self, links: Rows) -> None:
        """Take in links by their `columns`."""
        one, other = links.astype(np.int64).T
        places = np.unique(one * _SIDE + other)
        self._unmarked -= int(np.count_nonzero(~self._is_marked[places]))
        self._is_marked[places] = True

    def count(self) -> float:
        """About how many different links were taken in."""
        return -PLACES * math.log(max(self._unmarked, 1) / PLACES)

    def saved(self) -> str:
        """All of it, as JSON takes it."""
        return base64.b64encode(zlib.compress(np.packbits(self._is_marked).tobytes(), level=1)).decode()

    @classmethod
    def loaded(cls, saved: str) -> LinksMet:
        """ValueError or TypeError where `saved` is nothing of the kind."""
        try:
            marks = np.frombuffer(zlib.decompress(base64.b64decode(saved, validate=True)), dtype=np.uint8)
        except zlib.error as error:
            raise ValueError(f"the marks of links met are damaged: {error}") from error
        if len(marks) * 8 != PLACES:
            raise ValueError(f"there are {len(marks) * 8} marks of links met instead of {PLACES}")
        met = cls()
        met._is_marked = np.unpackbits(marks).astype(np.bool_)
        met._unmarked = PLACES - int(np.count_nonzero(met._is_marked))
        return met
