"""Columns of all pages of an index in memory, by step, and which of them say the same.

Pages with the same address or the same text are one group, and so are pages whose fingerprints differ in few bits from
that of the first page of a group. PageGroups are made once, over everything that is searched together, in the order in
which the pages came. So the hits of any query can be counted: they are its groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import tantivy
from tantivy import Query

from honeyguide.runs.shards import number_of_shard
from honeyguide.search.page_index import STEP_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from honeyguide.runs import Run

    Numbers = NDArray[np.int64]

NEAR_BITS: Final = 3
"""Bits in which the fingerprints of nearly equal texts differ at most (Manku et al. 2007)."""
_QUARTERS: Final = 4
_NEIGHBOURS: Final = 64
"""Fingerprints with the same quarter that each is compared with: the nearest in order, where a site has very many."""
_PRINTS_AT_ONCE: Final = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class StepKeys:
    """The numbers by which an index knows the steps of a run: the same, or with the shard that each was gathered from.

    `by_step` has them by step; where it is empty, a key is the step after the bits of `first`.
    """

    first: int = 0
    by_step: Numbers = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @classmethod
    def of(cls, run: Run) -> StepKeys:
        if not run.shards():
            return cls(number_of_shard(run.path) << STEP_BITS)
        by_step = np.full(run.progress.steps + 1, -1, dtype=np.int64)
        rows = np.array(list(run.steps_in_shards()), dtype=np.int64).reshape(-1, 3)
        rows = rows[rows[:, 0] < len(by_step)]
        by_step[rows[:, 0]] = rows[:, 1] << STEP_BITS | rows[:, 2]
        return cls(by_step=by_step)

    def keys(self, steps: Iterable[int]) -> list[int]:
        """Return the keys of some steps; those without are left out."""
        if not len(self.by_step):
            return [self.first | step for step in steps]
        known = np.array([step for step in steps if step < len(self.by_step)], dtype=np.int64)
        found: list[int] = self.by_step[known].tolist()
        return [key for key in found if key >= 0]

    def steps(self, keys: Numbers) -> Numbers:
        """Return the steps of some keys; -1 for those that the run does not have."""
        if not len(self.by_step):
            return keys - self.first
        order = np.argsort(self.by_step, kind="stable")
        places = order[np.minimum(np.searchsorted(self.by_step, keys, sorter=order), len(order) - 1)]
        return np.where(self.by_step[places] == keys, places, -1)


@dataclass(frozen=True, slots=True, eq=False)
class PageTable:
    """Pages of an index, a row each; steps rise."""

    steps: Numbers
    keys: Numbers  # of the same pages in the index
    by_key: Numbers  # rows in the order of keys
    relevance: NDArray[np.float64]
    is_relevant: NDArray[np.bool_]
    fetched_at: NDArray[np.float64]
    url_prints: Numbers
    text_prints: Numbers
    simhashes: NDArray[np.uint64]  # 0 where the guard has stored none

    @classmethod
    def read(cls, searcher: tantivy.Searcher, run: Run, numbers: StepKeys) -> PageTable:
        """Read all pages of an index that the run has: some 60 ms for 50,000."""
        everything = Query.all_query()
        found = searcher.search(
            everything, max(1, searcher.num_docs), count=False, order_by_field="step", order=tantivy.Order.Asc
        ).hits
        keys = np.array([key for key, _ in found], dtype=np.int64)
        steps = numbers.steps(keys)
        order = np.argsort(steps, kind="stable")
        order = order[steps[order] >= 0]
        keys, steps = keys[order], steps[order]
        addresses = [found[place][1] for place in order.tolist()]

        def column(name: str, kind: type) -> NDArray[Any]:
            return np.array(searcher.fast_field_values(name, addresses) if addresses else [], dtype=kind)

        return cls(
            steps=steps,
            keys=keys,
            by_key=np.argsort(keys, kind="stable"),
            relevance=column("relevance", np.float64),
            is_relevant=column("is_relevant", np.bool_),
            fetched_at=column("fetched_at", np.float64),
            url_prints=column("url_print", np.int64),
            text_prints=column("text_print", np.int64),
            simhashes=_simhashes(run, steps),
        )

    def __len__(self) -> int:
        return len(self.steps)

    def rows(self, keys: Numbers) -> Numbers:
        """Return the rows of pages by their keys; -1 for those that are not here."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        places = np.minimum(np.searchsorted(self.keys, keys, sorter=self.by_key), len(self.keys) - 1)
        rows = self.by_key[places]
        return np.where(self.keys[rows] == keys, rows, -1)


def _simhashes(run: Run, steps: Numbers) -> NDArray[np.uint64]:
    by_row = np.zeros(len(steps), dtype=np.uint64)
    for of_steps, simhashes in run.guard_simhashes(_PRINTS_AT_ONCE):
        rows = np.minimum(np.searchsorted(steps, of_steps), max(0, len(steps) - 1))
        is_here = steps[rows] == of_steps if len(steps) else np.zeros(len(rows), dtype=np.bool_)
        by_row[rows[is_here]] = simhashes[is_here]
    return by_row


@dataclass(frozen=True, slots=True, eq=False)
class PageGroups:
    """The group of each row of a table, and the rows whose groups have several members, here or in another table."""

    by_row: Numbers
    shared: Numbers

    @classmethod
    def of(cls, groups: Numbers, tables: Sequence[PageTable]) -> list[PageGroups]:
        """Split the groups of the rows of all tables, counted together, by table."""
        is_shared = np.bincount(groups)[groups] > 1
        ends = np.cumsum([len(each) for each in tables])[:-1]
        parts = zip(np.split(groups, ends), np.split(is_shared, ends), strict=True)
        return [cls(by_row, np.flatnonzero(shared)) for by_row, shared in parts]


def same_addresses(tables: Sequence[PageTable]) -> list[PageGroups]:
    """Return the groups of the rows of each table where each address is one."""
    return PageGroups.of(_first_with(np.concatenate([each.url_prints for each in tables])), tables)


def same_texts(tables: Sequence[PageTable]) -> list[PageGroups]:
    """Return the same with pages of the same or nearly the same text as one group."""
    columns = zip(*((each.url_prints, each.text_prints, each.simhashes) for each in tables), strict=True)
    return PageGroups.of(group_pages(*(np.concatenate(each) for each in columns)), tables)


def group_pages(urls: Numbers, texts: Numbers, simhashes: NDArray[np.uint64]) -> Numbers:
    """Return, by place, the first page of the group that each page belongs to: its own place where it is the first.

    A page belongs with an earlier one that has its address, else its text, else its fingerprint; else with the first
    group whose first page has nearly its fingerprint. Only pages that have something in common are looked at one by
    one.
    """
    first_by_url, first_by_text = _first_with(urls), _first_with(texts)
    first_by_simhash = np.where(simhashes == 0, np.arange(len(urls)), _first_with(simhashes))
    near = _near_pairs(simhashes)
    places = np.arange(len(urls))
    has_company = (first_by_url != places) | (first_by_text != places) | (first_by_simhash != places)
    has_company[list(near)] = True
    group = places.copy()
    for place in np.flatnonzero(has_company).tolist():
        for first in (first_by_url[place], first_by_text[place], first_by_simhash[place]):
            if first != place:
                group[place] = group[first]
                break
        else:
            group[place] = min((other for other in near.get(place, ()) if group[other] == other), default=place)
    return group


def _first_with(values: Numbers | NDArray[np.uint64]) -> Numbers:
    """Return, by place, the first place with the same value."""
    _, firsts, which = np.unique(values, return_index=True, return_inverse=True)
    found: Numbers = firsts[which]
    return found


def _near_pairs(simhashes: NDArray[np.uint64]) -> dict[int, list[int]]:
    """Return, by place, the earlier places with nearly the same fingerprint; of equal ones only the first counts."""
    values, firsts = np.unique(simhashes, return_index=True)
    firsts, values = firsts[values != 0], values[values != 0]
    near: dict[int, set[int]] = {}
    for number in range(_QUARTERS):  # of fingerprints three bits apart, one quarter at least is the same
        turned = (values << np.uint64(16 * number)) | (values >> np.uint64((64 - 16 * number) % 64))
        order = np.argsort(turned)
        quarters = turned[order] >> np.uint64(48)
        for distance in range(1, min(_NEIGHBOURS, len(order) - 1) + 1):
            is_same = quarters[:-distance] == quarters[distance:]
            if not is_same.any():
                break
            one, other = order[:-distance][is_same], order[distance:][is_same]
            is_near = np.bitwise_count(values[one] ^ values[other]) <= NEAR_BITS
            for pair in zip(firsts[one[is_near]].tolist(), firsts[other[is_near]].tolist(), strict=True):
                near.setdefault(max(pair), set()).add(min(pair))
    return {place: sorted(others) for place, others in near.items()}
