"""What links that are being fetched had waited with, for the case that they have to wait again.

Where links with equal rows share one score, a link that comes back must bring all its rows and no score of its own: a
row is worth what the last link that got it was told, also if that was while this one was away. A resumed crawl reads
the same from its store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.frontier import Pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.domain import LinkId, Rows


class RowsUnderWay:
    """The rows of links under way, each row with the last score that any link got with it."""

    def __init__(self) -> None:
        self._rows_by_link: dict[LinkId, Rows] = {}
        self._score_by_row: dict[bytes, float] = {}

    def hold(self, link: LinkId, pairs: Pairs) -> None:
        """A link is under way; it had these pairs."""
        self._rows_by_link[link] = pairs.rows
        self._score_by_row |= zip(contents(pairs.rows), pairs.scores.tolist(), strict=True)

    def note(self, rows: Rows, scores: NDArray[np.float64]) -> None:
        """Links have got these rows, with these scores."""
        if self._score_by_row:
            for content, score in zip(contents(rows), scores.tolist(), strict=True):
                if content in self._score_by_row:
                    self._score_by_row[content] = score

    def release(self, link: LinkId) -> Pairs:
        """The link is under way no more; gives back its pairs as they stand now."""
        rows, score_by_row = self._rows_by_link.pop(link), self._score_by_row
        kept = (content for others in self._rows_by_link.values() for content in contents(others))
        self._score_by_row = {content: score_by_row[content] for content in kept}
        return Pairs(rows, np.array([score_by_row[content] for content in contents(rows)]))


def contents(rows: Rows) -> list[bytes]:
    """What makes each row equal to another: its numbers, where there is but one zero."""
    return [row.tobytes() for row in rows + np.float16(0)]
