"""How links are spread over the vertices of a graph."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def at_least(links: Iterable[int]) -> tuple[tuple[float, float], ...]:
    """For each number of links that occurs, how many vertices have so many or more."""
    counts = Counter(links)
    points, above = [], 0
    for number in sorted(counts, reverse=True):
        above += counts[number]
        points.append((float(number), float(above)))
    return tuple(reversed(points))
