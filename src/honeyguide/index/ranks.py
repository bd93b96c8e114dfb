"""PageRank of a run's pages, as a number from 0 to 1, kept beside the index.

    standing = log(1 + n rank) / log(1 + n highest rank)        n pages discovered, whose ranks add up to 1

so that a page of average rank stands well below the best, and the best do not drown all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.graph import pagerank
from honeyguide.index.kept_arrays import keep_arrays, kept_arrays

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.store import Run

_FILE: Final = "ranks.npz"
_GROWTH: Final = 1.1
"""Ranks of a run that still grows are made anew when it has grown by so much; of one that has stopped, always."""


def standings(run: Run, folder: Path, *, may_write: bool) -> NDArray[np.float32]:
    """By step, the standing of the page that it brought; 0 where it brought none. May be shorter than the run."""
    progress = run.progress
    kept = _kept(folder)
    if kept is not None:
        at_step, values = kept
        is_enough = bool(not progress.stop_reason and progress.steps <= at_step * _GROWTH)
        if at_step == progress.steps or is_enough:
            return values
    values = _computed(run)
    if may_write:
        keep_arrays(folder / _FILE, step=np.array(progress.steps), values=values)
    return values


def _computed(run: Run) -> NDArray[np.float32]:
    graph = run.graph()
    ranks = pagerank(graph).values
    by_step = np.zeros(run.progress.steps + 1, dtype=np.float32)
    if not len(ranks):
        return by_step
    relative = np.log1p(ranks * len(ranks)) / np.log1p(float(ranks.max()) * len(ranks))
    number_by_name = graph.number_by_name
    for page in run.pages():
        number = number_by_name.get(page.url.text)
        if number is not None and page.step < len(by_step):
            by_step[page.step] = relative[number]
    return by_step


def _kept(folder: Path) -> tuple[int, NDArray[np.float32]] | None:
    kept = kept_arrays(folder / _FILE)
    if kept is None or kept.keys() != {"step", "values"}:
        return None
    return int(kept["step"]), kept["values"]
