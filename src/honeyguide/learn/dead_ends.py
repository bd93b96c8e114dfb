"""How probable it is that a link brings a page: failures, refusals and redirects, counted by the signs of links.

A sign is what a link has in common with others: its host, the section of its host, the shape of its path, the last word
of its address, its place on the page, its clicks from a seed, how many pages show it. Of each sign are counted the
links that were asked for and the pages that came; a redirect to something new counts as half a page, because it takes
two fetches to get one. A small count is drawn towards what it is a part of:

    all links     a₀ = (pages + M·START) / (asked + M)
    new hosts     the first link of every host that was asked, drawn towards a₀
    host          drawn towards new hosts: a host of which nothing is known is one of them
    section       drawn towards its host
    other signs   a, drawn towards a₀

and signs add up in log-odds, each weighed because they tell much the same:

    logit P(answers) = logit section + Σ WEIGHT · (logit a - logit a₀).

Counts are exact sums. Waiting links are told only of counts that have grown by `GROWTH`, those of all links and of
places on a page less often than those of an address, so that the chances of a million links are not worked out at
every step.
"""

from __future__ import annotations

import io
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.errors import StrategyError
from honeyguide.model import Url
from honeyguide.model.saved_state import load_arrays

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.model import Rows

START: Final = 0.9
"""Of links, before any was asked for."""
PULL: Final = 2.0
"""Links that a count is drawn with towards what it is a part of."""
WEIGHT: Final = 0.5
GROWTH: Final = 1.25
KINDS: Final = ("host", "section", "shape", "word")
HOST, SECTION, SHAPE, WORD = range(len(KINDS))
OF_A_KIND: Final = 2**16
"""Signs of one kind that are told apart; of more, some share a count."""
ALL, NEW_HOST = 0, 1
_FIRST_OF_ROW: Final = np.array([8, 16, 24])  # of places on a page, of depths, of how many pages show a link
_BITS: Final = np.array([1, 2, 4])
_LOG_2: Final = np.log(2.0)
_FIRST_OF_ADDRESS: Final = 64
_DEEPEST: Final = 7
SIZE: Final = _FIRST_OF_ADDRESS + len(KINDS) * OF_A_KIND
FIRST_SIGNS: Final = tuple(range(_FIRST_OF_ADDRESS, SIZE, OF_A_KIND))
"""Of each kind."""

_NUMBERS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_ENDING: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}$")


class DeadEnds:
    """Counts answers by signs, and says how probable one is. The columns of a row that it reads are given."""

    def __init__(self, *, same_host: int, in_main: int, has_anchor: int, nearness: int, shown_by: int) -> None:
        """`nearness` is 1 / (1 + clicks from a seed), `shown_by` log(1 + pages that show the link)."""
        self._columns_read = np.array([same_host, in_main, has_anchor, nearness, shown_by])
        self._asked = np.zeros(SIZE)
        self._pages = np.zeros(SIZE)
        self._told_asked = np.zeros(SIZE)  # as waiting links were told
        self._told_pages = np.zeros(SIZE)
        self.others = (np.empty(0, dtype=np.int32), np.empty((2, 0)))  # of the counts, what other shards have told
        self.changed: NDArray[np.int32] | None = None
        """The signs of an address, one a column and -1 for none, of which waiting links are to be told; None: all."""

    def signs(self, urls: Sequence[Url]) -> NDArray[np.int32]:
        """Return the signs of addresses, one row each. They never change."""
        return np.array([_signs(url.text) for url in urls], dtype=np.int32).reshape(-1, len(KINDS))

    def chances(self, signs: NDArray[np.int32], rows: Rows) -> NDArray[np.float64]:
        """Return how probable an answer to each link is, above 0 and below 1, by what waiting links were told."""
        every = np.empty((len(signs), len(KINDS) + 3), dtype=np.int64)
        every[:, : len(KINDS)] = signs
        every[:, len(KINDS) :] = self._row_signs(rows)
        asked, pages = self._told_asked[every], self._told_pages[every]
        of_all = _drawn(self._told_pages[ALL], self._told_asked[ALL], START)
        of_new = _drawn(self._told_pages[NEW_HOST], self._told_asked[NEW_HOST], of_all)
        towards = np.full(pages[:, SECTION:].shape, of_all)
        towards[:, 0] = _drawn(pages[:, HOST], asked[:, HOST], of_new)
        logits = _logit(_drawn(pages[:, SECTION:], asked[:, SECTION:], towards))
        odds = logits[:, 0] + WEIGHT * (logits[:, 1:] - _logit(of_all)).sum(axis=1)
        chances: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-odds))
        return chances

    def told(self, url: Url, kind: int = HOST) -> tuple[float, float]:
        """Return how many links with this sign of an address were asked for, and how many pages came."""
        sign = _signs(url.text)[kind]
        return float(self._asked[sign]), float(self._pages[sign])

    def observe(self, url: Url, row: NDArray[np.floating], answered: float) -> None:
        """A link was asked for, and brought a page (1), sent the crawl on (a half) or brought nothing (0)."""
        of_address = _signs(url.text)
        is_new_host = not self._asked[of_address[HOST]]
        of_row = self._row_signs(np.asarray(row)[None, :])[0].tolist()
        for sign in {ALL, *of_address, *of_row, *([NEW_HOST] if is_new_host else [])}:
            self._asked[sign] += 1.0
            self._pages[sign] += answered
        if self._is_to_be_told(ALL):
            self._told_asked[:] = self._asked
            self._told_pages[:] = self._pages
            self.changed = None
            return
        due = [sign if self._is_to_be_told(sign) else -1 for sign in of_address]
        for sign in due:
            if sign >= 0:
                self._told_asked[sign], self._told_pages[sign] = self._asked[sign], self._pages[sign]
        self.changed = np.array(due, dtype=np.int32)

    def save(self) -> bytes:
        """The counts that are not 0."""
        signs = np.flatnonzero(self._asked)
        counts = np.stack([each[signs] for each in self._columns])
        buffer = io.BytesIO()
        np.savez(buffer, signs=signs.astype(np.int32), counts=counts)
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        """Go back to saved counts; StrategyError if they are none."""
        try:
            saved = load_arrays(state)
            signs, counts = saved["signs"], saved["counts"]
        except (ValueError, KeyError) as error:
            raise StrategyError(f"not a saved count of dead ends: {error}") from error
        if counts.shape != (len(self._columns), len(signs)) or (signs < 0).any() or (signs >= SIZE).any():
            raise StrategyError(f"not a saved count of dead ends: {counts.shape} counts of {len(signs)} signs")
        for column, values in zip(self._columns, counts, strict=True):
            column[:] = 0.0
            column[signs] = values
        self.changed = None

    def own_counts(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Signs, and what was asked here of links that have them; hosts and sections are nobody else's business."""
        signs = np.flatnonzero(self._asked > 0)  # truths are looked through sooner than numbers
        kind = (signs - _FIRST_OF_ADDRESS) // OF_A_KIND
        signs = signs[(signs < _FIRST_OF_ADDRESS) | ((kind != HOST) & (kind != SECTION))]
        counts = np.stack([self._asked[signs], self._pages[signs]])
        told, places, of_told = np.intersect1d(signs, self.others[0], return_indices=True)
        if len(told):
            counts[:, places] -= self.others[1][:, of_told]
        is_own = counts[0] > 0
        return signs[is_own].astype(np.int32), counts[:, is_own]

    def take_others(self, signs: NDArray[np.int32], counts: NDArray[np.float64]) -> None:
        """Count what other shards have asked, in place of what was told of them before."""
        for (theirs, asked), sign in ((self.others, -1.0), ((signs, counts), 1.0)):
            self._asked[theirs] += sign * asked[0]
            self._pages[theirs] += sign * asked[1]
        self.others = (signs, counts)
        self._told_asked[:], self._told_pages[:] = self._asked, self._pages
        self.changed = None

    @property
    def _columns(self) -> tuple[NDArray[np.float64], ...]:
        return self._asked, self._pages, self._told_asked, self._told_pages

    def _is_to_be_told(self, sign: int) -> bool:
        return bool(self._asked[sign] > GROWTH * self._told_asked[sign])

    def _row_signs(self, rows: NDArray[np.floating]) -> NDArray[np.int64]:
        """Return the signs that the place of a link gives: where on the page, how deep, shown by how many pages."""
        read = rows[:, self._columns_read].astype(np.float64)
        signs = np.empty((len(rows), 3))
        signs[:, 0] = (read[:, :3] > 0) @ _BITS
        signs[:, 1] = np.rint(1.0 / np.maximum(read[:, 3], 1e-3) - 1.0)
        signs[:, 2] = read[:, 4] / _LOG_2  # cut to a whole number below
        return _FIRST_OF_ROW + np.minimum(signs, _DEEPEST).astype(np.int64)


def _drawn(
    pages: NDArray[np.float64], asked: NDArray[np.float64], towards: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    return (pages + PULL * towards) / (asked + PULL)


def _logit(chance: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(chance) - np.log1p(-chance)


@lru_cache(maxsize=8192)  # a link is asked about when it begins to wait, is moved and is answered
def _signs(address: str) -> tuple[int, ...]:
    return tuple(_sign(kind, text) for kind, text in enumerate(sign_texts(Url(address))))


def sign_texts(url: Url) -> tuple[str, ...]:
    """Return the signs of an address as texts, in the order of `KINDS`; a number in a path is #, other parts are *."""
    host, (path, _, query) = url.host, url.path_and_query.partition("?")
    parts = path.split("/")[1:]
    ending = _ENDING.search(parts[-1])
    tail = ending.group().lower() if ending else ""
    shape = "/".join(_folded(part) for part in parts[:-1])
    words = _WORD.findall(parts[-1].removesuffix(tail) or (parts[-2] if len(parts) > 1 else ""))
    return (
        host,
        f"{host}/{parts[0] if len(parts) > 1 else ''}",
        f"{shape}/{_folded(parts[-1].removesuffix(tail))}{tail}{'?' if query else ''}",
        f"{words[-1].lower() if words else ''}{tail}",
    )


def _folded(part: str) -> str:
    return "" if not part else "#" if _NUMBERS.fullmatch(part) else "*#" if _NUMBERS.search(part) else "*"


def _sign(kind: int, text: str) -> int:
    return _FIRST_OF_ADDRESS + kind * OF_A_KIND + xxhash.xxh3_64_intdigest(text.encode()) % OF_A_KIND
