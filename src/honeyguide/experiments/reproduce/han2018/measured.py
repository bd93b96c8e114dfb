"""What came of the crawls: curves and counts of every task of every trial, by both grades."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.experiments.reproduce.two_grades import two_grades

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.experiments.reproduce.han2018.plan import Method, Trials
    from honeyguide.experiments.reproduce.unkept_crawl import CrawledTask
    from honeyguide.experiments.reproduce.world_topics import StudiedTopic

INTERVALS: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One method on one topic, with one kind of vectors. Tables run over trials, then tasks, then steps."""

    vectors: str
    topic: StudiedTopic
    method: Method
    self_graded: NDArray[np.int64]  # (trials, tasks, steps + 1)
    independent: NDArray[np.int64] | None
    by_interval: NDArray[np.float64]  # (intervals,): relevant pages a task in each tenth of the cosine
    earned: NDArray[np.float64]  # (4,): shares of pages with the word, and without it above 0.5, above 0.4, below

    def found(self, *, is_independent: bool = False) -> NDArray[np.float64]:
        """Pages at the end of each task, (trials, tasks)."""
        curves = self.independent if is_independent else self.self_graded
        assert curves is not None
        return curves[:, :, -1].astype(np.float64)

    def mean_curve(self, *, is_independent: bool = False) -> NDArray[np.float64]:
        """Over all tasks and trials, as in figure 1."""
        curves = self.independent if is_independent else self.self_graded
        assert curves is not None
        mean: NDArray[np.float64] = curves.mean(axis=(0, 1))
        return mean


def measured(trials: Trials) -> Measured:
    """Read and grade the crawls of a method."""
    crawled = [sequence.crawled() for sequence in trials.sequences]
    graded = [[two_grades(task, trials.steps, trials.topic.on_topic) for task in tasks] for tasks in crawled]
    every = [task for tasks in crawled for task in tasks]
    independent = None
    if trials.topic.on_topic is not None:
        independent = np.array([[each.independent for each in tasks] for tasks in graded])
    return Measured(
        trials.vectors,
        trials.topic,
        trials.method,
        np.array([[each.self_graded for each in tasks] for tasks in graded]),
        independent,
        pages_by_interval(every),
        shares_earned(every),
    )


def pages_by_interval(tasks: Sequence[CrawledTask]) -> NDArray[np.float64]:
    """Pages with the topic's word a task, by the tenth in which their cosine with the topic lies; 1 is in the last."""
    counts = np.zeros(INTERVALS)
    for task in tasks:
        cosines = task.relevance[task.is_relevant & task.is_page].astype(np.float64)
        counts += np.bincount(np.minimum(cosines * INTERVALS, INTERVALS - 1).astype(np.int64), minlength=INTERVALS)
    return counts / max(1, len(tasks))


def shares_earned(tasks: Sequence[CrawledTask]) -> NDArray[np.float64]:
    """How the pages fetched divide among the steps of Han's ladder: word, above 0.5, above 0.4, none of these."""
    counts = np.zeros(4)
    for task in tasks:
        cosines, has_word = task.relevance[task.is_page], task.is_relevant[task.is_page]
        step = np.where(has_word, 0, np.where(cosines > 0.5, 1, np.where(cosines > 0.4, 2, 3)))
        counts += np.bincount(step, minlength=4)
    return counts / max(1.0, float(counts.sum()))
