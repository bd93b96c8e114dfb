"""The best pages of several shards, in order, each address once and each text once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from honeyguide.index.matching import Match
    from honeyguide.index.shard import Found, Nearness, Shard, Wanted, Weights

NEAR_BITS: Final = 3
"""Bits in which the fingerprints of nearly equal texts differ at most (Manku et al. 2007)."""
FIRST_LOOK: Final = 128
LAST_LOOK: Final = 4_096
"""Pages by text that are looked at in each index at first, and at most unless a later page of hits asks for more.

Where no index has more that match, all are looked at, so that the hits can be counted.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A question as one shard understands it."""

    shard: Shard
    match: Match
    nearness: Nearness | None = None  # for a search by meaning

    def found(self, wanted: Wanted, limit: int) -> Found:
        """The first so many pages by text; in a search by meaning all."""
        if self.nearness is None:
            return self.shard.find(self.match, wanted, limit)
        return self.shard.find_near(self.match, wanted, self.nearness)

    def hidden(self, wanted: Wanted) -> tuple[int, Counter[str]]:
        """How many pages would be found and are left out, and by which setting; a page may be left out by several."""
        return self.shard.hidden(self.match, wanted, self.nearness)


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """A page chosen to be shown, and those with the same text."""

    found: Found
    row: int
    score: float
    same: list[tuple[Found, int]]


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """The first choices, or all of them, and how many there are: at most so many where that is not exact."""

    choices: list[Choice]
    total: int
    is_exact: bool


def choose(asked: Sequence[Asked], wanted: Wanted, weights: Weights, count: int, *, collapses: bool) -> Chosen:
    """The first so many pages at least. How many there are does not depend on how many are asked for."""
    limit = max(FIRST_LOOK, 2 * count)
    last = max(LAST_LOOK, limit)
    while True:
        found = [each.found(wanted, limit) for each in asked]
        if all(each.total <= LAST_LOOK for each in found):
            if all(each.is_all for each in found):
                choices = _in_order(found, weights, None, collapses=collapses)
                return Chosen(choices, len(choices), is_exact=True)
            limit = LAST_LOOK
            continue
        choices = _in_order(found, weights, count, collapses=collapses)
        beyond = max((each.most_beyond(weights) for each in found), default=-1.0)
        is_enough = len(choices) >= count and choices[count - 1].score > beyond
        if beyond < 0 or is_enough or limit >= last:
            return Chosen(choices, sum(each.total for each in found), is_exact=False)
        limit = min(limit * 8, last)


def _in_order(found: Sequence[Found], weights: Weights, count: int | None, *, collapses: bool) -> list[Choice]:
    """Pages by score, each address once and, if wanted, each text; all of them where no count is given."""
    if not found:
        return []
    scores = np.concatenate([each.scores(weights) for each in found])
    topics = np.concatenate([each.topic for each in found])
    steps = np.concatenate([each.steps for each in found])
    numbers = np.repeat(np.arange(len(found)), [len(each.steps) for each in found])
    rows = np.concatenate([np.arange(len(each.steps)) for each in found])
    choices: list[Choice] = []
    shown = _Shown()
    addresses: set[int] = set()
    for place in np.lexsort((steps, numbers, -topics, -scores)):
        page, row = found[numbers[place]], int(rows[place])
        address = page.url_prints[row]
        if address in addresses:
            continue
        addresses.add(address)
        same = shown.like(page, row) if collapses else None
        if same is not None:
            same.same.append((page, row))
            continue
        if count is not None and len(choices) >= count:
            break
        choices.append(Choice(page, row, float(scores[place]), []))
        if collapses:
            shown.add(choices[-1])
    return choices


class _Shown:
    """The pages chosen by now, by their texts."""

    def __init__(self) -> None:
        self._by_text: dict[int, Choice] = {}
        self._printed: list[tuple[int, Choice]] = []
        self._places_by_band: dict[int, list[int]] = {}

    def add(self, choice: Choice) -> None:
        self._by_text[choice.found.text_prints[choice.row]] = choice
        simhash = _simhash(choice.found, choice.row)
        if simhash:
            for band in bands(simhash):
                self._places_by_band.setdefault(band, []).append(len(self._printed))
            self._printed.append((simhash, choice))

    def like(self, page: Found, row: int) -> Choice | None:
        """The one with the same text as a page, or with nearly the same, as far as the guard has fingerprints."""
        same = self._by_text.get(page.text_prints[row])
        if same is not None:
            return same
        simhash = _simhash(page, row)
        if not simhash:  # none is kept, or it is that of no text
            return None
        perhaps = {place for band in bands(simhash) for place in self._places_by_band.get(band, ())}
        near = [place for place in perhaps if (simhash ^ self._printed[place][0]).bit_count() <= NEAR_BITS]
        return self._printed[min(near)][1] if near else None


def bands(simhash: int) -> tuple[int, int, int, int]:
    """Its four quarters, each with its number above it: of fingerprints three bits apart, one at least is the same."""
    return (
        simhash & 0xFFFF,
        1 << 16 | simhash >> 16 & 0xFFFF,
        2 << 16 | simhash >> 32 & 0xFFFF,
        3 << 16 | simhash >> 48,
    )


def _simhash(page: Found, row: int) -> int:
    return page.shard.simhash(int(page.steps[row]))
