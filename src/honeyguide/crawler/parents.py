"""The pages that link to a page or link: Han et al. (2018), section 3.1, and Pertejo (2021), 3.3.1.

When a page x is fetched, its facts are fixed from its relevance rl(x) and from the parents known by then:

    w_rl(x)     = β rl(x) + (1 - β) max w_rl(parent)        rl(x) where no parent is known
    distance(x) = 0 if x is relevant, else min distance(parent) + 1, at most `farthest`; `farthest` without a parent

and handed down, once, to every link on it. For each link the table keeps how many parents it has, how many of them are
relevant, the sums of both kinds' relevances, the greatest w_rl and the smallest distance: `BYTES_A_LINK` bytes.

A page that was fetched already can get a further parent. Then its own columns change, and so does its state when asked
for again (`change`, `distance`), in the same constant work; the facts that it handed down before stay as they were, and
nothing runs on to its descendants. So the table is a function of the pages in the order in which they were fetched.
Replaying them in that order gives the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.columns import grown, release
from honeyguide.judge import moved_by_answers
from honeyguide.model import LinkContext, PageFacts, ParentRules, ParentStats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from honeyguide.learn import Strategy
    from honeyguide.model import LinkId, Page
    from honeyguide.runs import RefreshedRanks, StoredVisit

_COLUMNS: Final = np.dtype(
    [
        ("parents", np.uint32),
        ("relevant_parents", np.uint32),
        ("relevance", np.float64),  # sum over all parents
        ("relevant_relevance", np.float64),  # sum over the relevant ones
        ("smoothed", np.float64),  # greatest w_rl of a parent
        ("nearness", np.uint8),  # `farthest` minus the smallest distance of a parent
    ]
)
BYTES_A_LINK: Final = _COLUMNS.itemsize
RELEASED_EVERY: Final = 256  # links that got a parent; then cold ones leave memory, where they are in a file
_NONE: Final = np.zeros(1, dtype=_COLUMNS)  # the columns of a link without a parent


class ParentTable:
    """Parents of links by number, in a table that grows with the highest number met. Not thread-safe."""

    def __init__(
        self,
        rules: ParentRules | None = None,
        score: Callable[[float], float] | None = None,
        ranks: RefreshedRanks | None = None,
    ) -> None:
        """`score` gives the relevance that counts, where the rules want it as a reward counts it.

        Where there are `ranks`, links are told with their own.
        """
        self._ranks = ranks
        self.rules = rules or ParentRules()
        self._score = score if score is not None and self.rules.is_newest else float
        self._table = np.zeros(1024, dtype=_COLUMNS)
        self._count = 0  # one more than the highest link that ever had a parent
        self._since_release = 0

    def __len__(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        """Size of the table, in memory or in a file; it doubles when it is full."""
        return self._table.nbytes

    def parents(self, links: Sequence[LinkId] | NDArray[np.int64]) -> ParentStats:
        """Return what is known now of the parents of these links. A link never met has none."""
        numbers = _numbers(links)
        if not len(numbers) or numbers.max() < self._count:
            return self.stats(self._table[numbers], numbers)
        is_known = numbers < self._count
        rows = self._table[np.where(is_known, numbers, 0)]
        rows[~is_known] = 0
        return self.stats(rows, numbers)

    def row(self, link: LinkId) -> np.void:
        """Return the columns of one link as they are now; `stats` says what they mean."""
        return self._table[link].copy() if link < self._count else _NONE[0]

    def stats(
        self, rows: Sequence[np.void] | NDArray[np.void], links: Sequence[LinkId] | NDArray[np.int64]
    ) -> ParentStats:
        """Return what such columns tell of the parents of these links."""
        rows = np.asarray(rows, dtype=_COLUMNS)
        return ParentStats(
            count=rows["parents"].astype(np.int64),
            relevance=_means(rows["relevance"], rows["parents"]),
            relevant_relevance=_means(rows["relevant_relevance"], rows["relevant_parents"]),
            smoothed=rows["smoothed"].copy(),
            distance=self.rules.farthest - rows["nearness"].astype(np.int64),
            importance=None if self._ranks is None else self._ranks.importances(_numbers(links)),
        )

    def facts(self, page: LinkId, relevance: float, newest: float | None = None, *, is_relevant: bool) -> PageFacts:
        """Return the facts that a page of this relevance, fetched now, hands down. Changes nothing.

        Where it was judged again, both judgements count, as they do for its reward.
        """
        rules = self.rules
        relevance = moved_by_answers(self._score(relevance), self._score(relevance if newest is None else newest))
        # As `ParentStats` has it for many, in plain numbers: a run that is answered about is told every page again.
        row = self._table[page] if page < self._count else None
        above, nearness = (float(row["smoothed"]), int(row["nearness"])) if row is not None else (0.0, 0)
        has_parents = row is not None and row["parents"] > 0
        smoothed = rules.smoothing * relevance + (1 - rules.smoothing) * above if has_parents else relevance
        distance = 0 if is_relevant else min(rules.farthest - nearness + rules.click, rules.farthest)
        return PageFacts(page, relevance, is_relevant, smoothed, distance)

    def add_parent(self, links: Sequence[LinkId] | NDArray[np.int64], parent: PageFacts) -> None:
        """A page is now a parent of every link on it, in constant work a link; no other link changes.

        A link named twice in the call gets one parent, and a page is never its own. Call it once a page.
        """
        numbers = _numbers(links)
        facts = parent.relevance, parent.is_relevant, parent.smoothed, parent.distance
        self.add_parents(numbers[numbers != parent.page], *map(np.asarray, facts))

    def add_parents(
        self,
        links: Sequence[LinkId] | NDArray[np.int64],
        relevance: NDArray[np.float64],
        is_relevant: NDArray[np.bool_],
        smoothed: NDArray[np.float64],
        distance: NDArray[np.int64],
    ) -> None:
        """Each of these links has one more parent, with these facts; no link is there twice for two parents."""
        numbers = _numbers(links)
        if not len(numbers):
            return
        self._reach(int(numbers.max()) + 1)
        self._since_release += len(numbers)
        if self._since_release >= RELEASED_EVERY:
            self._since_release = 0
            release([self._table])
        rows = self._table[numbers]
        rows["smoothed"] = np.where(rows["parents"] > 0, np.maximum(rows["smoothed"], smoothed), smoothed)
        rows["nearness"] = np.maximum(rows["nearness"], np.maximum(self.rules.farthest - distance, 0))
        rows["parents"] += 1
        rows["relevance"] += relevance
        rows["relevant_parents"] += is_relevant
        rows["relevant_relevance"] += np.where(is_relevant, relevance, 0.0)
        self._table[numbers] = rows

    def follow_redirect(self, source: LinkId, target: LinkId) -> None:
        """The parents of a link that led elsewhere become parents of where it led.

        A page that links to both counts twice. Parents that the source gets later are not passed on.
        """
        if source == target or source >= self._count or not self._table[source]["parents"]:
            return
        self._reach(target + 1)
        given, taken = self._table[source], self._table[target]
        if taken["parents"]:
            taken["smoothed"] = max(taken["smoothed"], given["smoothed"])
        else:
            taken["smoothed"] = given["smoothed"]
        taken["nearness"] = max(taken["nearness"], given["nearness"])
        for name in ("parents", "relevant_parents", "relevance", "relevant_relevance"):
            taken[name] += given[name]

    def add_visit(self, visit: StoredVisit, newest: float | None = None) -> None:
        """Take in a page or a redirect that a run has stored, as it was taken in when it came.

        `newest` is its relevance by a judgement that is not stored yet. A page of another shard hands down what that
        shard told.
        """
        if visit.is_elsewhere:
            if visit.handed_down is not None:
                self.add_parent(visit.targets, PageFacts(visit.link, *visit.handed_down))
            return
        if not visit.is_redirect:
            newest = visit.newest_relevance if newest is None else newest
            newest = newest if self.rules.is_newest else visit.relevance
            facts = self.facts(visit.link, visit.relevance, newest, is_relevant=visit.is_relevant)
            self.add_parent(visit.targets, facts)
            return
        for target in visit.targets:
            self.follow_redirect(visit.link, target)

    def forget(self) -> None:
        """Begin anew: no link has a parent."""
        self._table[:] = 0
        self._count = 0

    def _reach(self, count: int) -> None:
        self._count = max(self._count, count)
        if count > len(self._table):
            self._table = grown(self._table, count, fill=0)


def link_context(
    table: ParentTable,
    strategy: Strategy,
    page: Page,
    link: LinkId,
    verdict: tuple[float, bool],
    *,
    targets: Sequence[LinkId],
    unvisited: Sequence[LinkId],
) -> LinkContext:
    """Where the unvisited links of a page stand, the page having become a parent of every link on it."""
    relevance, is_relevant = verdict
    state = strategy.describe_page(page, is_relevant=is_relevant, parents=table.parents([link]))
    table.add_parent(targets, table.facts(link, relevance, is_relevant=is_relevant))
    return LinkContext(state, table.parents(unvisited), _numbers(unvisited))


def _numbers(links: Sequence[LinkId] | NDArray[np.int64]) -> NDArray[np.int64]:
    numbers = np.asarray(links, dtype=np.int64)
    if len(numbers) and int(numbers.min()) < 0:
        raise ValueError(f"link {int(numbers.min())} has no number: links are numbered from 0")
    return numbers


def _means(sums: NDArray[np.float64], counts: NDArray[np.uint32]) -> NDArray[np.float64]:
    return sums / np.maximum(counts, 1)  # without a parent both are 0
