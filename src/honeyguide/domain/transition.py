"""What a strategy is told: each decision when it is made, and what came of each fetch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.domain.rows import Row, Rows
    from honeyguide.domain.url import Url


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """A link was followed from where it stood, and this came of it.

    `row` is what the strategy knew of the link (its own description of state and action), `next_rows` what it knows of
    the unvisited links on the new page. `next_rows` is empty when the fetch gave no page.
    """

    step: int
    url: Url
    row: Row
    reward: float
    relevance: float  # 0 when the fetch gave no page
    is_relevant: bool
    next_rows: Rows


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """A link's turn had come, and it was fetched or skipped."""

    url: Url
    row: Row
    is_skipped: bool
