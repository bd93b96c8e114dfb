"""What two lists have in common: the document's Table 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable


def jaccard(one: Iterable[Hashable], other: Iterable[Hashable]) -> float:
    """Things in both, of all that are in either; order and repetition do not count. 0 for two empty ones."""
    first, second = set(one), set(other)
    either = first | second
    return len(first & second) / len(either) if either else 0.0
