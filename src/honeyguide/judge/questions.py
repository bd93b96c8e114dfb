"""Which pages to ask a person about.

The likeliest come first: a yes there says most about what is wanted, a no most about what only looks like it. None is
a near-duplicate of a page asked about. Rules that prefer uncertain pages, or pages unlike those asked about, are no
better (`benchmarks/judge_quality.py`).

Asking ends when answers no longer change anything: neither yes nor no about any of the next `LOOKED_AT` pages would
change the relevances of the run's pages by more than `SMALLEST_CHANGE` of their sum.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.model import weighted_sums

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from honeyguide.judge.judge import LearningJudge

ALIKE: Final = 0.98  # cosine of descriptions from which two pages are near-duplicates
LOOKED_AT: Final = 3
SMALLEST_CHANGE: Final = 0.02


def next_questions(
    judge: LearningJudge,
    descriptions: NDArray[np.float16],
    answers: Sequence[tuple[int, bool]],
    skipped: Collection[int] = (),
    count: int = 1,
) -> list[int]:
    """Return the places of up to `count` pages to ask about, the most useful first.

    `descriptions` are those of all pages of the run, `answers` those that the judge was taught, and `skipped` pages are
    not asked about again. None is returned when answers no longer change anything, or when no page is left.
    """
    asked = [*(place for place, _ in answers), *skipped]
    chosen = _chosen(judge.relevances(descriptions), descriptions, asked, max(count, LOOKED_AT))
    if answers and not any(_changes(judge, descriptions, answers, place) for place in chosen[:LOOKED_AT]):
        return []
    return chosen[:count]


def _chosen(
    relevances: NDArray[np.float64], descriptions: NDArray[np.float16], asked: Sequence[int], count: int
) -> list[int]:
    """Return the places of the likeliest pages, none of them like one asked about or chosen before."""
    rows = descriptions.astype(np.float64)
    rows /= np.maximum(np.sqrt((rows * rows).sum(axis=1)), 1e-9)[:, None]
    is_open: NDArray[np.bool_] = np.asarray(descriptions.any(axis=1))

    def close(place: int) -> None:
        is_open[place] = False
        is_open[weighted_sums(rows, rows[place]) >= ALIKE] = False

    for place in asked:
        close(place)
    found: list[int] = []
    for place in np.argsort(-relevances, kind="stable").tolist():
        if len(found) == count:
            break
        if is_open[place]:
            found.append(place)
            close(place)
    return found


def _changes(
    judge: LearningJudge, descriptions: NDArray[np.float16], answers: Sequence[tuple[int, bool]], place: int
) -> bool:
    """Whether an answer about this page would change what the judge says of the others."""
    before = judge.relevances(descriptions)
    changed = np.delete(np.arange(len(before)), place)
    for answer in (True, False):
        taught = copy.copy(judge)
        taught.teach(descriptions, [*answers, (place, answer)])
        moved = np.abs(taught.relevances(descriptions) - before)[changed].sum()
        if moved > SMALLEST_CHANGE * before[changed].sum():
            return True
    return False
