"""The best pages of several shards, in order, each address once and each text once.

There is one list, whichever part of it is asked for. First come the `LAST_LOOK` best pages of each index by text, in
order of their scores; then, where an index has more that match, all the others in order of text. The beginning of the
list is found without a look at the rest wherever no page that was not looked at could come into it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.search.shard import FoundPages, PageFilter, ShardQuery, Weights

NEAR_BITS: Final = 3
"""Bits in which the fingerprints of nearly equal texts differ at most (Manku et al. 2007)."""
_QUARTERS: Final = 4


def shown_under(text_prints: NDArray[np.int64], simhashes: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return, by place in the list, the place of the page under which each is shown; its own if it is shown itself.

    A page goes under the one shown before it that has the same text, else the first of nearly the same. A simhash of 0
    stands for none. Only pages that have something in common with another are compared one by one.
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
    """Return the four quarters of each: of fingerprints three bits apart, one at least is the same."""
    return [simhashes >> np.uint64(16 * number) & np.uint64(0xFFFF) for number in range(_QUARTERS)]


def _occur_again(values: NDArray[np.int64] | NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Say of each value whether it occurs more than once."""
    _, which, times = np.unique(values, return_inverse=True, return_counts=True)
    again: NDArray[np.bool_] = times[which] > 1
    return again


FIRST_LOOK: Final = 128
LAST_LOOK: Final = 4_096
"""Pages by text that are scored in each index at first, and at most.

Where no index has more that match, all are scored, so that the hits can be counted.
"""


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPage:
    """A page chosen to be shown, and those with the same text."""

    found: FoundPages
    row: int
    score: float
    same: list[tuple[FoundPages, int]]


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPages:
    """The first choices, and how many there are in all: at most so many where that is not exact."""

    choices: list[ChosenPage]
    total: int
    is_exact: bool


def choose(
    queries: Sequence[ShardQuery], wanted: PageFilter, weights: Weights, count: int, *, collapses: bool
) -> ChosenPages:
    """Return the first pages. How many there are in all does not depend on how many are asked for."""
    limit = min(max(FIRST_LOOK, 2 * count), LAST_LOOK)
    while True:
        found = [each.find(wanted, limit) for each in queries]
        if all(each.total <= LAST_LOOK for each in found):
            if all(each.is_all for each in found):
                choices, total = _Ranked(found, weights).chosen(count, collapses=collapses)
                return ChosenPages(choices, total, is_exact=True)
            limit = LAST_LOOK
            continue
        total = sum(each.total for each in found)
        choices = _Ranked(found, weights).first(count, collapses=collapses)
        beyond = max((each.most_beyond(weights) for each in found), default=-1.0)
        is_enough = len(choices) >= count and (limit >= LAST_LOOK or choices[count - 1].score > beyond)
        if beyond < 0 or is_enough:
            return ChosenPages(choices, total, is_exact=False)
        if limit >= LAST_LOOK:
            break
        limit = min(limit * 8, LAST_LOOK)
    everything = [each.find(wanted, each.shard.pages) for each in queries]
    choices = _Ranked(everything, weights, by_score=LAST_LOOK).first(count, collapses=collapses)
    return ChosenPages(choices, total, is_exact=False)


def count_hidden(queries: Sequence[ShardQuery], wanted: PageFilter) -> tuple[int, dict[str, int]]:
    """Count the addresses that match and are not shown, in all and by setting.

    Each counts once, however many runs have it, and not at all where one of them shows it.
    """
    by_setting: dict[str, set[int]] = {}
    for each in queries:
        for setting, addresses in each.hidden(wanted).items():
            by_setting.setdefault(setting, set()).update(addresses.tolist())
    everything = set[int]().union(*by_setting.values())
    if everything and len(queries) > 1:
        for each in queries:
            everything.difference_update(each.url_prints(wanted).tolist())
    return len(everything), {setting: len(addresses & everything) for setting, addresses in by_setting.items()}


class _Ranked:
    """Pages of several shards, each address once, by score; beyond the first `by_score` of each shard, by text."""

    def __init__(self, found: Sequence[FoundPages], weights: Weights, by_score: int | None = None) -> None:
        self._found = found
        scores = np.concatenate([each.scores(weights) for each in found] or [np.empty(0)])
        topics = np.concatenate([each.topic for each in found] or [np.empty(0)])
        steps = np.concatenate([each.steps for each in found] or [np.empty(0, dtype=np.int64)])
        urls = np.concatenate([each.url_prints for each in found] or [np.empty(0, dtype=np.int64)])
        numbers = np.repeat(np.arange(len(found)), [len(each.steps) for each in found])
        rows = np.concatenate([np.arange(len(each.steps)) for each in found] or [np.empty(0, dtype=np.int64)])
        texts = np.concatenate([each.text for each in found] or [np.empty(0)])
        is_by_text = rows >= (len(rows) if by_score is None else by_score)
        order = np.lexsort((steps, numbers, -topics, -np.where(is_by_text, texts, scores), is_by_text))
        _, firsts = np.unique(urls[order], return_index=True)
        order = order[np.sort(firsts)]
        self._scores, self._numbers, self._rows = scores[order], numbers[order], rows[order]

    def chosen(self, count: int, *, collapses: bool, among: int | None = None) -> tuple[list[ChosenPage], int]:
        """Return the first choices, and how many there are among the first `among` pages, or among all.

        With `collapses`, pages with the same text are one choice.
        """
        pages = len(self._rows) if among is None else min(among, len(self._rows))
        under = self._shown_under(pages) if collapses else np.arange(pages)
        shown = np.flatnonzero(under == np.arange(pages))
        by_place = {int(place): self._choice(int(place)) for place in shown[:count]}
        for place in np.flatnonzero(under != np.arange(pages)).tolist():
            if under[place] in by_place:
                by_place[int(under[place])].same.append(self._page(place))
        return list(by_place.values()), len(shown)

    def first(self, count: int, *, collapses: bool) -> list[ChosenPage]:
        """Return the first choices without a look at all pages, which may be very many."""
        among = 2 * count + FIRST_LOOK
        while True:
            choices, _ = self.chosen(count, collapses=collapses, among=among)
            if len(choices) >= count or among >= len(self._rows):
                return choices
            among *= 4

    def _shown_under(self, pages: int) -> NDArray[np.int64]:
        texts = np.empty(pages, dtype=np.int64)
        simhashes = np.empty(pages, dtype=np.uint64)
        for number, found in enumerate(self._found):
            of_this = self._numbers[:pages] == number
            rows = self._rows[:pages][of_this]
            texts[of_this] = found.text_prints[rows]
            simhashes[of_this] = found.shard.simhashes(found.steps[rows])
        return shown_under(texts, simhashes)

    def _choice(self, place: int) -> ChosenPage:
        return ChosenPage(*self._page(place), float(self._scores[place]), [])

    def _page(self, place: int) -> tuple[FoundPages, int]:
        return self._found[self._numbers[place]], int(self._rows[place])
