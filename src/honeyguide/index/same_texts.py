"""Which pages of a list say the same as one before them, so that they are shown below it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEAR_BITS: Final = 3
"""Bits in which the fingerprints of nearly equal texts differ at most (Manku et al. 2007)."""
_QUARTERS: Final = 4


def shown_under(text_prints: NDArray[np.int64], simhashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """By place in the list: the place of the page under which each is shown, its own where it is shown itself.

    A page goes under the one shown before it that has the same text, else the first of nearly the same. A simhash of 0
    is that of no text, or none. Only pages that have something in common with another are looked at one by one.
    """
    under = np.arange(len(text_prints))
    quarters = np.array(_quarters(simhashes)).T
    has_company = _occur_again(text_prints)
    known = simhashes != 0
    for column in quarters.T:
        has_company[known] |= _occur_again(column[known])
    place_by_text: dict[int, int] = {}
    places_by_quarter: dict[tuple[int, int], list[int]] = {}
    for place in np.flatnonzero(has_company).tolist():
        text, simhash = int(text_prints[place]), int(simhashes[place])
        keys = list(enumerate(quarters[place].tolist())) if simhash else []
        same = place_by_text.get(text)
        if same is None:
            perhaps = {other for key in keys for other in places_by_quarter.get(key, ())}
            same = min((other for other in perhaps if _are_near(simhash, int(simhashes[other]))), default=None)
        if same is not None:
            under[place] = same
            continue
        place_by_text[text] = place
        for key in keys:
            places_by_quarter.setdefault(key, []).append(place)
    return under


def _are_near(one: int, other: int) -> bool:
    return (one ^ other).bit_count() <= NEAR_BITS


def _quarters(simhashes: NDArray[np.uint64]) -> list[NDArray[np.uint64]]:
    """The four quarters of each: of fingerprints three bits apart, one at least is the same."""
    return [simhashes >> np.uint64(16 * number) & np.uint64(0xFFFF) for number in range(_QUARTERS)]


def _occur_again(values: NDArray[np.int64] | NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether each value stands in more than one place."""
    _, which, times = np.unique(values, return_inverse=True, return_counts=True)
    again: NDArray[np.bool_] = times[which] > 1
    return again
