"""Lists of the first k vertices by some figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.graph.link_graph import LinkGraph


class RankedPage(NamedTuple):
    """A vertex by its name, with the figure it is ranked by."""

    url: str
    value: float


def top(graph: LinkGraph, values: NDArray[np.number], count: int) -> list[RankedPage]:
    """The vertices with the highest values; of equal ones, those with the lower numbers, first discovered, come first.

    Vertices without a name are left out, so there may be fewer than `count`.
    """
    named = values[: len(graph.names)]
    kept = min(count, len(named))
    if kept <= 0:
        return []
    bound = np.partition(named, len(named) - kept)[len(named) - kept]
    candidates = np.flatnonzero(named >= bound)
    first = candidates[np.argsort(-named[candidates], kind="stable")][:kept]
    return [RankedPage(graph.names[number], named[number].item()) for number in first.tolist()]


def place_of(values: NDArray[np.number], number: int) -> int:
    """Which place a vertex has in the list of all, from 1."""
    own = values[number]
    return 1 + int((values > own).sum()) + int((values[:number] == own).sum())
