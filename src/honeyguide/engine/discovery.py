"""What becomes of the links on a new page: numbered, described, scored, and let wait.

A link met for the first time starts to wait. One that waits already is found again, and `FoundAgain` says what that
means. One that was fetched, skipped or is in flight adds only an edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.domain import Candidates, LinkState
from honeyguide.frontier import Arrivals
from honeyguide.store import FoundLink, RedirectedLink

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import LinkId, Origin, Page, Row, Rows, Url
    from honeyguide.engine.link_table import LinkTable
    from honeyguide.frontier import Frontier
    from honeyguide.learn import Strategy


class FoundAgain(StrEnum):
    """What counts when a waiting link is found on another page."""

    FIRST = "first"  # the first page it was found on
    BEST = "best"  # the page that gives it the higher score
    MERGE = "merge"  # the mean of its row and the new one


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The links of one page, sorted. Columns run over the unvisited ones, `targets` over all."""

    candidates: Candidates
    rows: Rows
    links: list[LinkId]
    is_new: NDArray[np.bool_]
    targets: tuple[LinkId, ...]


class Discovery:
    """Lets the links of new pages into the frontier."""

    def __init__(self, links: LinkTable, frontier: Frontier, strategy: Strategy, found_again: FoundAgain) -> None:
        self._links = links
        self._frontier = frontier
        self._strategy = strategy
        self._found_again = found_again

    def sort(self, page: Page, origin: Origin) -> Found:
        """Number the links of a page and describe the unvisited ones. New ones do not wait yet."""
        unvisited, numbers, is_new, targets = [], [], [], []
        for link in page.links:
            number, new = self._links.meet(link.target, depth=origin.depth + 1, distance=origin.distance)
            targets.append(number)
            if new or self._links.state(number) is LinkState.WAITING:
                unvisited.append(link)
                numbers.append(number)
                is_new.append(new)
        candidates = Candidates.on_page(page, unvisited, origin)
        rows = self._strategy.describe(candidates)
        return Found(candidates, rows, numbers, np.array(is_new, dtype=np.bool_), tuple(targets))

    def admit(self, found: Found, page: LinkId, origin: Origin) -> tuple[tuple[FoundLink, ...], tuple[FoundLink, ...]]:
        """Let new links wait, and change those found again where that counts; both as records for the store."""
        scores = self._strategy.score(found.rows)
        new = np.flatnonzero(found.is_new)
        numbers = [found.links[row] for row in new.tolist()]
        self._frontier.push(Arrivals(numbers, self._links.hosts(numbers), scores[new], found.rows[new]))
        added = tuple(self._record(found, row, page, origin, float(scores[row])) for row in new.tolist())
        return added, self._take_again(found, scores, page, origin)

    def follow_redirect(self, source: LinkId, row: Row, target_url: Url) -> tuple[LinkId, RedirectedLink | None]:
        """The link that another one leads to takes its place, with its row, unless its own score is as good."""
        links = self._links
        depth, distance, hops = links.depth(source), links.distance(source), links.hops(source) + 1
        target, is_new = links.meet(target_url, depth=depth, distance=distance, hops=hops)
        rows = row[None, :]
        scores = self._strategy.score(rows)
        if is_new:
            self._frontier.push(Arrivals([target], links.hosts([target]), scores, rows))
        elif not self._is_better(target, float(scores[0])):
            return target, None
        else:
            self._frontier.replace([target], scores, rows)
            links.place(target, depth=depth, distance=distance, hops=hops)
        return target, RedirectedLink(source, target, target_url, is_new, hops, float(scores[0]))

    def _is_better(self, target: LinkId, score: float) -> bool:
        if self._found_again is FoundAgain.FIRST or self._links.state(target) is not LinkState.WAITING:
            return False
        return score > float(self._frontier.peek([target])[0][0])

    def _take_again(
        self, found: Found, scores: NDArray[np.float64], page: LinkId, origin: Origin
    ) -> tuple[FoundLink, ...]:
        again = np.flatnonzero(~found.is_new)
        if self._found_again is FoundAgain.FIRST or not len(again):
            return ()
        numbers = [found.links[row] for row in again.tolist()]
        old_scores, old_rows = self._frontier.peek(numbers)
        rows = found.rows
        merged = None
        if self._found_again is FoundAgain.MERGE:
            rows = rows.copy()
            rows[again] = merged = ((old_rows.astype(np.float32) + found.rows[again]) / 2).astype(np.float16)
            scores = scores.copy()
            scores[again] = self._strategy.score(rows[again])
        else:
            again = again[scores[again] > old_scores]
        self._frontier.replace([found.links[row] for row in again.tolist()], scores[again], rows[again])
        for row in again.tolist():
            self._links.place(found.links[row], depth=origin.depth + 1, distance=origin.distance)
        return tuple(
            self._record(found, row, page, origin, float(scores[row]), merged_row=None if merged is None else rows[row])
            for row in again.tolist()
        )

    def _record(
        self, found: Found, row: int, page: LinkId, origin: Origin, score: float, merged_row: Row | None = None
    ) -> FoundLink:
        sighting = found.candidates.sighting(row, origin)
        return FoundLink(found.links[row], sighting.seen_as, page, sighting, score, merged_row)
