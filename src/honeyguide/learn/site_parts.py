"""What the parts of a site earn beyond predictions: a bonus for links by the folder and file name of their address.

A part is a folder of a host, or the beginning of the file names in it (`sql-` of `/docs/sql-select.html`). Of its n
pages the sums of rows x and of rewards r are kept, so that what they earned beyond the weights w of today is exact, and
not what seemed so when each of them came:

    surprise(part) = Σ r - w·Σ x.

A mean surprise is drawn with `PULL` pages towards what the part belongs to, all pages, a host, a folder:

    all pages   m   = surprise / n
    host        b_h = (surprise - n·m) / (n + PULL)
    folder      b_f = (surprise - n·(m + b_h)) / (n + PULL)
    beginning   b_b = (surprise - n·(m + b_h + b_f)) / (n + PULL)

and a link is worth x·w + b_f + b_b. The weights know what hosts have in common, so a host's own surprise is no bonus:
it would draw a crawl away from where it began, because first predictions are too high.

Sums are exact and add up over crawls. Waiting links are told of the parts of the page that came, and of all parts
whenever there are `GROWTH` times as many pages as the last time.
"""

from __future__ import annotations

import io
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import xxhash

from honeyguide.columns import grown, release
from honeyguide.errors import StrategyError
from honeyguide.model import Url, weighted_sums
from honeyguide.model.saved_state import load_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

PULL: Final = 5.0
"""Pages that a mean surprise is drawn with. 2, 5 and 15 are alike."""
GROWTH: Final = 1.25
SIGNS: Final = ("folder", "beginning")
OF_A_KIND: Final = 2**16
"""Signs of one kind that are told apart; of more, some share their sums."""
_NOWHERE: Final = -1  # in place of a place
RELEASED_EVERY: Final = 1024  # pages; then sums of parts leave memory, where they are in a file
_KINDS: Final = ("host", *SIGNS)
_ALL, _HOST, _FOLDER, _BEGINNING = -1, 0, 1, 2
FIRST_SIGNS: Final = (_FOLDER * OF_A_KIND, _BEGINNING * OF_A_KIND)
NO_SIGN: Final = len(_KINDS) * OF_A_KIND - 1
"""Of an address without a beginning; such a sign never changes."""
_END_OF_BEGINNING: Final = re.compile(r"[-_.]")


class SiteParts:
    """Keeps sums of rows and rewards by part, and says by how much links are worth more than their rows tell."""

    def __init__(self, row_width: int) -> None:
        self._width = row_width
        self.changed: NDArray[np.int32] | None = None
        """The signs, one a column and -1 for none, of which waiting links are to be told; None: all."""
        self.forget()

    def forget(self) -> None:
        """Go back to the beginning."""
        # One entry a part, after the one for all pages: a part comes after the host and the folder it belongs to.
        self._count = 1
        self._place_by_sign = np.full(len(_KINDS) * OF_A_KIND, _NOWHERE, dtype=np.int32)
        self._sums = np.zeros((64, self._width + 2))  # of rows, of rewards, and how many
        self._sign = np.full(64, _ALL, dtype=np.int32)
        self._above = np.zeros((64, 2), dtype=np.int32)  # places of its host and folder
        self._told = np.zeros(len(_KINDS) * OF_A_KIND)  # bonus by sign
        self._told_pages = 0.0
        self.changed = None

    def signs(self, url: Url) -> tuple[int, int]:
        """Return the signs of an address; they never change."""
        _, folder, beginning = _signs(url.text)
        return folder, beginning

    def bonuses(self, signs: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the bonus of links with these signs, one row each, by what waiting links were told."""
        bonuses: NDArray[np.float64] = np.where(signs == NO_SIGN, 0.0, self._told[signs]).sum(axis=1)
        return bonuses

    def add(self, url: Url, row: NDArray[np.float64], reward: float) -> None:
        """A page has come; `tell` lets waiting links know."""
        places = self._places(url)  # before the sums are named: they may grow
        self._sums[places] += np.concatenate((row, (reward, 1.0)))
        if not self._sums[0, -1] % RELEASED_EVERY:
            release([self._sums])

    def tell(self, url: Url, weights: NDArray[np.float64]) -> None:
        """Let waiting links know what follows for the parts of this page, or for all parts where it is time."""
        if self._sums[0, -1] > GROWTH * self._told_pages:
            self.tell_all(weights)
            return
        places = self._places(url)
        self._tell(places, [(0, 0), (places[1], 0), (places[1], places[2])], weights)
        self.changed = np.array([-1 if sign == NO_SIGN else sign for sign in self.signs(url)], dtype=np.int32)

    def tell_all(self, weights: NDArray[np.float64]) -> None:
        """Let all waiting links know what follows from these weights."""
        self._tell(list(range(self._count)), self._above[1 : self._count].tolist(), weights)
        self._told_pages = float(self._sums[0, -1])
        self.changed = None

    def tell_nothing(self) -> None:
        """No page has come since waiting links were told."""
        self.changed = np.full(len(SIGNS), -1, dtype=np.int32)

    def save(self) -> bytes:
        """The sums, and what waiting links were told."""
        count = self._count
        sign = self._sign[:count]
        buffer = io.BytesIO()
        told = np.append(self._told_pages, self._told[sign[1:]])
        np.savez(buffer, sign=sign, sums=self._sums[:count], above=self._above[:count], told=told)
        release([self._sums])
        return buffer.getvalue()

    def load(self, state: bytes) -> None:
        """Go back to saved sums; StrategyError if they are none."""
        try:
            saved = load_arrays(state)
            sign, sums, above, told = (saved[name] for name in ("sign", "sums", "above", "told"))
        except (ValueError, KeyError) as error:
            raise StrategyError(f"not saved sums of parts of sites: {error}") from error
        count = len(sign)
        shapes = sums.shape == (count, self._width + 2) and above.shape == (count, 2) and told.shape == (count,)
        if not shapes or not count or sign[0] != _ALL or (sign[1:] < 0).any() or (sign >= len(self._told)).any():
            raise StrategyError(f"not saved sums of parts of sites: {sums.shape} sums of {count} parts")
        self.forget()
        self._count = count
        self._place_by_sign[sign[1:]] = np.arange(1, count)
        self._sign, self._above = sign.copy(), np.clip(above, 0, count - 1)
        self._sums = grown(sums, count, fill=0)
        self._told_pages = float(told[0])
        self._told[sign[1:]] = told[1:]

    def _tell(self, places: list[int], above: Iterable[Sequence[int]], weights: NDArray[np.float64]) -> None:
        """Work out the bonuses of these parts; the first is all pages. `above` are host and folder of each other one.

        Number by number, because mostly there are four; without BLAS, so that a resumed crawl repeats it to the last
        bit.
        """
        sums = self._sums[places]
        pages, surprises = sums[:, -1].tolist(), (sums[:, -2] - weighted_sums(sums[:, :-2], weights)).tolist()
        mean = surprises[0] / max(pages[0], 1.0)
        adds: dict[int, float] = {}  # what a part adds to what is expected above it, by its place
        signs = self._sign[places[1:]]
        bonuses = []
        for place, sign, (host, folder), count, surprise in zip(
            places[1:], signs.tolist(), above, pages[1:], surprises[1:], strict=False
        ):
            expected = mean + adds.get(host, 0.0) + adds.get(folder, 0.0)
            adds[place] = (surprise - count * expected) / (count + PULL)
            bonuses.append(0.0 if sign // OF_A_KIND == _HOST else adds[place])
        self._told[signs] = bonuses

    def _places(self, url: Url) -> list[int]:
        """Return where the sums of all pages are, of the host, of the folder and, if there is one, of the beginning."""
        places = [0]
        for sign in _signs(url.text):
            if sign != NO_SIGN:
                if self._place_by_sign[sign] == _NOWHERE:
                    self._begin(sign, places[1:])
                places.append(int(self._place_by_sign[sign]))
        return places

    def _begin(self, sign: int, above: list[int]) -> None:
        place = self._count
        if place == len(self._sums):
            self._sums = grown(self._sums, place + 1, fill=0)
        if place == len(self._sign):
            self._sign = grown(self._sign, place + 1, fill=_ALL)
            self._above = grown(self._above, place + 1, fill=0)
        self._count += 1
        self._place_by_sign[sign] = place
        self._sign[place] = sign
        self._above[place, : len(above)] = above


@lru_cache(maxsize=8192)  # a link is asked about when it begins to wait and when its page has come
def _signs(address: str) -> tuple[int, int, int]:
    """Return the signs of host, folder and beginning of the file name."""
    url = Url(address)
    folder, _, name = url.path_and_query.partition("?")[0].rpartition("/")
    beginning = _END_OF_BEGINNING.split(name)[0].lower()
    is_part = bool(beginning) and beginning != name.lower() and not beginning.isdigit()
    texts = (url.host, f"{url.host}{folder}/", f"{url.host}{folder}/{beginning}-" if is_part else "")
    host, of_folder, of_beginning = (
        min(kind * OF_A_KIND + xxhash.xxh3_64_intdigest(text.encode()) % OF_A_KIND, NO_SIGN - 1) if text else NO_SIGN
        for kind, text in enumerate(texts)
    )
    return host, of_folder, of_beginning
