"""Rows of links: made from what is stored of them, scored, and kept while a link is under way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.frontier import Pairs
from honeyguide.learn import Order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.learn import Strategy
    from honeyguide.model import LinkDescriptions, LinkId, ParentFacts, Row, Rows

LINKS_OF_A_PAGE: Final = 2**20
LINKS_OF_A_LEVEL: Final = 2**32


def scores_of(
    strategy: Strategy,
    rows: Rows,
    links: Sequence[LinkId] | NDArray[np.int64],
    *,
    step: int,
    depth: int | NDArray[np.int64],
) -> NDArray[np.float64]:
    """Score links found together: by the strategy's own score, or by their turn.

    Turns are exact in double precision: a page shows fewer than 2^20 links, a crawl takes fewer than 2^32 steps and
    meets fewer than 2^32 links, none of them 2^20 clicks away.
    """
    match strategy.order:
        case Order.BEST_SCORE:
            return strategy.score(rows)
        case Order.OLDEST:
            return -np.asarray(links, dtype=np.float64)
        case Order.NEWEST:
            # The first link of a page is on top of the stack.
            return step * float(LINKS_OF_A_PAGE) - np.arange(len(links), dtype=np.float64)
        case Order.SHALLOWEST:
            # Whole numbers part the levels, the rest is the turn inside one.
            return -depth - np.asarray(links, dtype=np.float64) / LINKS_OF_A_LEVEL


def description_kind(strategy: Strategy) -> np.dtype[Any]:
    """Return the type of a stored description."""
    return strategy.description_type or np.dtype((np.float16, (strategy.row_width,)))


def described_as(strategy: Strategy, descriptions: Sequence[bytes]) -> LinkDescriptions:
    """Read stored descriptions. ValueError where another strategy has made them."""
    kind = description_kind(strategy)
    if not kind.itemsize:
        return np.empty((len(descriptions), 0), dtype=np.float16)
    if not descriptions:
        return np.empty(0, dtype=kind)
    described = np.frombuffer(b"".join(descriptions), dtype=kind)
    if len(described) != len(descriptions):
        raise ValueError("a link is described otherwise than this strategy does")
    return described


def rows_described(
    strategy: Strategy, descriptions: Sequence[bytes], parents: ParentFacts, merged: Sequence[Row | None]
) -> Rows:
    """Make rows from stored descriptions; those that are merged from several are given."""
    described = described_as(strategy, descriptions)
    if not described.size:
        return np.empty((len(descriptions), strategy.row_width), dtype=np.float16)
    rows = np.array(strategy.rows(described, parents), dtype=np.float16)
    for place, row in enumerate(merged):
        if row is not None:
            rows[place] = row
    return rows if parents.all is None else strategy.with_parents(rows, parents.all)


class RowsUnderWay:
    """The rows of links under way, each row with the last score that any link got with it.

    Where links with equal rows share one score, a link that comes back must bring all its rows and no score of its own:
    a row is worth what the last link that got it was told, also if that was while this one was away.
    """

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
    """Return bytes that are equal for equal rows; there is but one zero."""
    return [row.tobytes() for row in rows + np.float16(0)]
