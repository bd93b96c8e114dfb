"""What becomes of the links on a new page: numbered, described, scored, and let wait.

A link met for the first time starts to wait. One that waits already is found again, and `FoundAgain` says what that
means. One that was pruned starts to wait again. One that was fetched, skipped or is in flight adds only an edge. A link
that the scope rules keep out is not met at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.domain import Candidates, LinkState
from honeyguide.engine.turns import scores_of
from honeyguide.frontier import Arrivals
from honeyguide.learn import FoundAgain, Order
from honeyguide.store import FoundLink, RedirectedLink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.domain import LinkId, Origin, Page, Row, Rows, Url
    from honeyguide.engine.link_table import LinkTable
    from honeyguide.engine.scope import Scope
    from honeyguide.frontier import Frontier
    from honeyguide.learn import Strategy

UNVISITED: Final = (LinkState.WAITING, LinkState.PRUNED)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The links of one page, sorted. Columns run over the unvisited ones, `targets` over all that were met."""

    candidates: Candidates
    rows: Rows
    links: list[LinkId]
    is_new: NDArray[np.bool_]
    is_pruned: NDArray[np.bool_]  # met before, but there was no room for it
    targets: tuple[LinkId, ...]
    kept_out: int  # links that the scope rules do not let in


@dataclass(frozen=True, slots=True, eq=False)
class Admitted:
    """What a page's links changed, as records for the store."""

    new: tuple[FoundLink, ...]
    again: tuple[FoundLink, ...]
    pruned: tuple[LinkId, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """Where a redirect led: the link it leads to, the record of what that changed, links that had to make room."""

    target: LinkId
    record: RedirectedLink | None
    pruned: tuple[LinkId, ...]


class Discovery:
    """Lets the links of new pages into the frontier."""

    def __init__(
        self, links: LinkTable, frontier: Frontier, strategy: Strategy, scope: Scope, found_again: FoundAgain
    ) -> None:
        self._links = links
        self._frontier = frontier
        self._strategy = strategy
        self._scope = scope
        self._found_again = found_again

    def sort(self, page: Page, origin: Origin, *, is_expanded: bool) -> Found:
        """Number the links of a page and describe the unvisited ones. New ones do not wait yet.

        A page that is not expanded adds only edges to links met before.
        """
        unvisited, numbers, is_new, targets = [], [], [], []
        kept_out = 0
        for link in page.links:
            is_welcome = is_expanded and self._scope.objection(link.target, depth=origin.depth + 1) is None
            number, new = self._meet(link.target, origin, is_welcome=is_welcome)
            if number is None:
                kept_out += is_expanded
                continue
            targets.append(number)
            if is_welcome and (new or self._links.state(number) in UNVISITED):
                unvisited.append(link)
                numbers.append(number)
                is_new.append(new)
        at_first = self._strategy.reads_first_occurrence
        candidates = Candidates.on_page(page, unvisited, origin, at_first_occurrence=at_first)
        return Found(
            candidates=candidates,
            rows=self._strategy.describe(candidates),
            links=numbers,
            is_new=np.array(is_new, dtype=np.bool_),
            is_pruned=np.array([self._links.state(link) is LinkState.PRUNED for link in numbers], dtype=np.bool_),
            targets=tuple(targets),
            kept_out=kept_out,
        )

    def admit(self, found: Found, page: LinkId, origin: Origin, step: int) -> Admitted:
        """Let new links wait, and change those found again where that counts."""
        own_scores = scores_of(self._strategy, found.rows, found.links, step=step, depth=origin.depth + 1)
        rows, scores, changed = self._found_again_with(found, own_scores)
        self._frontier.replace(_chosen(found.links, changed), scores[changed], rows[changed])
        offered_again = np.flatnonzero(found.is_pruned)
        again = np.concatenate((changed, offered_again))
        for link in _chosen(found.links, again):
            self._links.place(link, depth=origin.depth + 1, distance=origin.distance)
        arriving = np.flatnonzero(found.is_new | found.is_pruned)
        pruned = self._push(_chosen(found.links, arriving), scores[arriving], rows[arriving])

        is_merged = self._found_again is FoundAgain.MERGE  # and cannot be made anew from one sighting

        def record(row: int) -> FoundLink:
            sighting = found.candidates.sighting(row, origin)
            is_kept = self._strategy.keeps_rows or (is_merged and not found.is_new[row])
            kept_row = rows[row] if is_kept else None
            return FoundLink(found.links[row], sighting.seen_as, page, sighting, float(scores[row]), kept_row)

        new = np.flatnonzero(found.is_new)
        return Admitted(tuple(map(record, new.tolist())), tuple(map(record, again.tolist())), pruned)

    def follow_redirect(self, source: LinkId, row: Row, score: float, target_url: Url) -> Followed:
        """The link that another one leads to takes its place, with its row, unless its own score is as good."""
        links = self._links
        depth, distance, hops = links.depth(source), links.distance(source), links.hops(source) + 1
        target, is_new = links.meet(target_url, depth=depth, distance=distance, hops=hops)
        rows = row[None, :]
        scores = self._scores_after_redirect(rows, target, score, depth)
        state = links.state(target)
        pruned: tuple[LinkId, ...] = ()
        if is_new or state is LinkState.PRUNED:
            pruned = self._push([target], scores, rows)
        elif state is LinkState.WAITING and self._counts_more(target, float(scores[0])):
            self._frontier.replace([target], scores, rows)
        else:
            return Followed(target, None, ())
        links.place(target, depth=depth, distance=distance, hops=hops)
        record = RedirectedLink(source, target, target_url, is_new, hops, float(scores[0]))
        return Followed(target, record, pruned)

    def _meet(self, url: Url, origin: Origin, *, is_welcome: bool) -> tuple[LinkId | None, bool]:
        """The number of a URL, and whether it is new; None for one that may not be met."""
        if not is_welcome or not self._scope.has_room(len(self._links)):
            return self._links.find(url), False
        return self._links.meet(url, depth=origin.depth + 1, distance=origin.distance)

    def _push(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> tuple[LinkId, ...]:
        for link in links:
            self._links.set_state(link, LinkState.WAITING)
        pruned = self._frontier.push(Arrivals(links, self._links.hosts(links), scores, rows))
        for link in pruned:
            self._links.set_state(link, LinkState.PRUNED)
        return tuple(pruned)

    def _found_again_with(
        self, found: Found, scores: NDArray[np.float64]
    ) -> tuple[Rows, NDArray[np.float64], NDArray[np.int64]]:
        """Rows and scores that hold from now on, and which of the waiting links they change."""
        again = np.flatnonzero(~found.is_new & ~found.is_pruned)
        if self._found_again is FoundAgain.FIRST or not len(again):
            return found.rows, scores, again[:0]
        old_scores, old_rows = self._frontier.peek(_chosen(found.links, again))
        match self._found_again:
            case FoundAgain.LATEST:
                return found.rows, scores, again
            case FoundAgain.BEST:
                return found.rows, scores, again[scores[again] > old_scores]
            case FoundAgain.MERGE:
                rows, merged_scores = found.rows.copy(), scores.copy()
                rows[again] = ((old_rows.astype(np.float32) + found.rows[again]) / 2).astype(np.float16)
                merged_scores[again] = self._strategy.score(rows[again])
                return rows, merged_scores, again

    def _counts_more(self, target: LinkId, score: float) -> bool:
        match self._found_again:
            case FoundAgain.FIRST:
                return False
            case FoundAgain.LATEST:
                return True
            case FoundAgain.BEST | FoundAgain.MERGE:
                return score > float(self._frontier.peek([target])[0][0])

    def _scores_after_redirect(self, rows: Rows, target: LinkId, score: float, depth: int) -> NDArray[np.float64]:
        if self._strategy.order is Order.NEWEST:
            return np.array([score])  # its place in the stack
        return scores_of(self._strategy, rows, [target], step=0, depth=depth)


def _chosen(links: Sequence[LinkId], which: NDArray[np.int64]) -> list[LinkId]:
    return [links[place] for place in which.tolist()]
