"""PageRank of a run's pages, as a number from 0 to 1, kept beside the index.

    standing = log(1 + n rank) / log(1 + n highest rank)        n pages discovered, whose ranks add up to 1

so that a page of average rank stands well below the best, and the best do not drown all others.
"""

from __future__ import annotations

import logging
import os
import zipfile
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.graph import pagerank

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.store import Run

log = logging.getLogger(__name__)

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
        _keep(folder, progress.steps, values)
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
    try:
        with np.load(folder / _FILE) as file:
            return int(file["step"]), file["values"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def _keep(folder: Path, step: int, values: NDArray[np.float32]) -> None:
    draft = folder / f"{_FILE}.{os.getpid()}.draft"
    try:
        with draft.open("wb") as file:
            np.savez(file, step=np.int64(step), values=values)
        draft.replace(folder / _FILE)
    except OSError as error:
        log.info("the ranks of %s are not kept: %s", folder.parent, error)
    finally:
        draft.unlink(missing_ok=True)
