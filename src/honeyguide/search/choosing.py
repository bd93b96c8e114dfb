"""The best pages of several shards, in order, each address once and each text once.

There is one list, whichever part of it is asked for. First come the `LAST_LOOK` best pages of each index by text, in
order of their scores; then, where an index has more that match, all the others in order of text. Pages that say the
same are one hit (`page_table`), whose first page in the list is shown; so hits are counted exactly, however many match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.search.shard import FoundPages, PageFilter, ShardQuery, Weights

LAST_LOOK: Final = 4_096
"""Pages by text that are scored in each index."""
_SORTED_AT_ONCE: Final = 128  # pages beyond twice those asked for
_BY_TEXT: Final = 2.0  # taken from the text part of pages that are not scored, which then come behind all others


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPage:
    """A page chosen to be shown, and those that say the same."""

    found: FoundPages
    row: int
    score: float
    same: list[tuple[FoundPages, int]]


@dataclass(frozen=True, slots=True, eq=False)
class ChosenPages:
    """The first choices, and how many there are in all."""

    choices: list[ChosenPage]
    total: int


def choose(
    queries: Sequence[ShardQuery], wanted: PageFilter, weights: Weights, count: int, *, collapses: bool
) -> ChosenPages:
    """Return the first pages, and how many there are; with `collapses`, pages that say the same are one."""
    ranked = _Ranked([each.find(wanted, LAST_LOOK) for each in queries], weights, collapses=collapses)
    choices = ranked.first(count)
    if ranked.is_all:
        return ChosenPages(choices, ranked.total)
    if len(choices) < count:
        found = [each.find(wanted, each.shard.pages) for each in queries]
        ranked = _Ranked(found, weights, by_score=LAST_LOOK, collapses=collapses)
        return ChosenPages(ranked.first(count), ranked.total)
    rows = [each.shared_rows(wanted, collapses=collapses) for each in queries]
    groups = [each.shard.groups(collapses=collapses).by_row[some] for each, some in zip(queries, rows, strict=True)]
    surplus = sum(map(len, groups)) - _count_distinct(groups)
    return ChosenPages(choices, ranked.matches - surplus)


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


def _count_distinct(groups: Sequence[NDArray[np.int64]]) -> int:
    is_met = np.zeros(max((int(each.max()) + 1 for each in groups if len(each)), default=0), dtype=np.bool_)
    for each in groups:
        is_met[each] = True
    return int(is_met.sum())


class _Ranked:
    """Pages of several shards by score; beyond the first `by_score` of each shard, by text."""

    def __init__(
        self, found: Sequence[FoundPages], weights: Weights, by_score: int | None = None, *, collapses: bool
    ) -> None:
        self._found = found
        by_shard = [each.shard.groups(collapses=collapses).by_row[each.rows] for each in found]
        self.matches = sum(each.total for each in found)
        self.total = _count_distinct(by_shard)  # groups among those that were found
        self.is_all = all(each.is_all for each in found)
        self._firsts = np.cumsum([0, *(len(each.rows) for each in found)])[:-1]
        self._groups = np.concatenate(by_shard or [np.empty(0, dtype=np.int64)])
        self._scores = np.concatenate([each.scores(weights) for each in found] or [np.empty(0)])
        self._standing = self._scores.copy()  # by which they are sorted
        for first, each in zip(self._firsts, found, strict=True):
            if by_score is not None:
                beyond = slice(first + by_score, first + len(each.rows))
                self._standing[beyond] = each.text[by_score:] - _BY_TEXT

    def first(self, count: int) -> list[ChosenPage]:
        """Return the first choices, each with the pages that say the same."""
        count = min(count, self.total)
        if not count:
            return []
        among = 2 * count + _SORTED_AT_ONCE
        while True:
            order = self._best(among)
            _, firsts = np.unique(self._groups[order], return_index=True)
            if len(firsts) >= count:
                return self._choices(order[np.sort(firsts)[:count]])
            among *= 4

    def _best(self, count: int) -> NDArray[np.int64]:
        """Return the places of the best pages in order, at least so many where there are as many."""
        places = np.arange(len(self._standing))
        if count < len(places):
            least = np.partition(self._standing, -count)[-count]
            places = np.flatnonzero(self._standing >= least)
        return self._sorted(places)

    def _sorted(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sort places by score; equal ones by relevance, then by shard and step."""
        topics = np.empty(len(places))
        steps = np.empty(len(places), dtype=np.int64)
        numbers = np.searchsorted(self._firsts, places, side="right") - 1
        for number, (first, found) in enumerate(zip(self._firsts, self._found, strict=True)):
            of_this = numbers == number
            rows = places[of_this] - first
            topics[of_this], steps[of_this] = found.topic[rows], found.steps[rows]
        return places[np.lexsort((steps, numbers, -topics, -self._standing[places]))]

    def _choices(self, shown: NDArray[np.int64]) -> list[ChosenPage]:
        by_group = {
            int(self._groups[place]): ChosenPage(*self._page(place), float(self._scores[place]), [])
            for place in shown.tolist()
        }
        named = {int(group): {choice.found.url_print(choice.row)} for group, choice in by_group.items()}
        others = np.setdiff1d(np.flatnonzero(np.isin(self._groups, list(by_group))), shown)
        for place in self._sorted(others).tolist():
            group, (found, row) = int(self._groups[place]), self._page(place)
            if found.url_print(row) not in named[group]:  # each address once, however many runs have it
                named[group].add(found.url_print(row))
                by_group[group].same.append((found, row))
        return list(by_group.values())

    def _page(self, place: int) -> tuple[FoundPages, int]:
        number = int(np.searchsorted(self._firsts, place, side="right")) - 1
        return self._found[number], place - int(self._firsts[number])
