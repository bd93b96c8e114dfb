"""Which pages to ask a person about.

A page is worth asking about if it is likely to be relevant or uncertain, and unlike the pages asked about before: the
answer then says something new about pages that matter. The worth of a question about a page of relevance p is

    p (1 - p) · √(1 - greatest cosine of the page's description with one asked about).

While no page is more likely relevant than not, the likeliest come first; later the uncertain ones. Questions are chosen
one after another, each counted as asked for the next, so they are spread over what was found, and none is about a
near-duplicate of another. `benchmarks/judge_quality.py` compares this with the likeliest pages and with random ones.

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
    """Return the places of the questions of most worth, in the order in which they are chosen."""
    rows = descriptions.astype(np.float64)
    rows /= np.maximum(np.sqrt((rows * rows).sum(axis=1)), 1e-9)[:, None]
    nearest = np.zeros(len(rows))
    for place in asked:
        np.maximum(nearest, weighted_sums(rows, rows[place]), out=nearest)
    is_open: NDArray[np.bool_] = np.asarray(descriptions.any(axis=1))
    is_open[list(asked)] = False
    found: list[int] = []
    while len(found) < count:
        worth = np.where(
            is_open & (nearest < ALIKE), relevances * (1 - relevances) * np.sqrt(1 - nearest.clip(0, 1)), -1.0
        )
        if not len(worth) or worth.max() <= 0:
            break
        best = int(np.argmax(worth))
        found.append(best)
        is_open[best] = False
        np.maximum(nearest, weighted_sums(rows, rows[best]), out=nearest)
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
