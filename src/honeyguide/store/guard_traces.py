"""What the guard of a run has left that a search goes by; nothing, in a run that had no guard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Select = Callable[..., Iterator[tuple[Any, ...]]]

COPIES: Final = ("duplicate", "near-duplicate", "variant", "session-id", "mirror")
"""Findings about pages that are good, and there twice. All others are about traps."""
_SIMHASH: Final = slice(16, 24)  # of a fingerprint as it is stored: its third number of 64 bits


class GuardTraces:
    """Reads the guard's tables. `select` runs a query."""

    def __init__(self, select: Select) -> None:
        self._select = select
        tables = select("SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('findings', 'prints')")
        self._tables = {name for (name,) in tables}

    def trap_steps(self) -> list[int]:
        """The steps that brought pages which the guard judged part of a trap."""
        if "findings" not in self._tables:
            return []
        marks = ", ".join("?" * len(COPIES))
        rows = self._select(f"SELECT step FROM findings WHERE kind NOT IN ({marks}) ORDER BY step", *COPIES)  # noqa: S608
        return [step for (step,) in rows]

    def simhashes(self, steps: Sequence[int]) -> dict[int, int]:
        """By step, 64 bits that are nearly the same for pages with nearly the same text."""
        if "prints" not in self._tables:
            return {}
        found = {}
        for step in steps:
            for (fingerprint,) in self._select("SELECT print FROM prints WHERE step = ?", step):
                found[step] = int.from_bytes(fingerprint[_SIMHASH], "little")
        return found
