"""What a strategy is told after each fetch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.domain.rows import Row, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """A link was followed from where it stood, and this came of it.

    `row` is what the strategy knew of the link (its own description of state and action), `next_rows` what it knows of
    the unvisited links on the new page. `next_rows` is empty when the fetch gave no page.
    """

    step: int
    row: Row
    reward: float
    is_relevant: bool
    next_rows: Rows
