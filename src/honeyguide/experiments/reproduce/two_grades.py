"""One crawl, graded twice: by the topic's own word, as the papers do, and by labels that nobody in the crawl sees.

The papers pay their crawlers for pages with the topic's word and count such pages afterwards: the crawler is graded by
its own teacher. That grade is kept, so that figures can be compared, and is called self-graded wherever it is shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.experiments.reproduce.unkept_crawl import CrawledTask


@dataclass(frozen=True, slots=True, eq=False)
class TwoGrades:
    """Pages found after 0, 1, 2, … fetches, over the whole budget."""

    self_graded: NDArray[np.int64]  # with the topic's word
    independent: NDArray[np.int64] | None  # on topic by the labels; None where there are too few of them to grade by


def two_grades(task: CrawledTask, budget: int, on_topic: frozenset[str] | None) -> TwoGrades:
    """Grade a crawl whose judge calls a page relevant that has the topic's word. `on_topic` are URLs of pages."""
    labelled = None
    if on_topic is not None:
        hits = np.fromiter((url in on_topic for url in task.urls), dtype=np.bool_, count=task.fetches)
        labelled = _added_up(hits & task.is_page, budget)
    return TwoGrades(_added_up(task.is_relevant & task.is_page, budget), labelled)


def _added_up(hits: NDArray[np.bool_], budget: int) -> NDArray[np.int64]:
    """What a crawl leaves unspent of its budget brings nothing."""
    curve = np.zeros(budget + 1, dtype=np.int64)
    curve[1 : len(hits) + 1] = hits[:budget]
    return np.cumsum(curve)
