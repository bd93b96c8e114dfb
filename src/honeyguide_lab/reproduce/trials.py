"""A method tried on a topic of a world, several times: which crawls that takes, and what they found by two grades.

The papers pay their crawlers for pages with the topic's word and count such pages afterwards: the crawler is graded by
its own teacher. That grade is kept, so that figures can be compared, and is called self-graded wherever it is shown.
The other grade is by labels that nobody in the crawl sees.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab.crawl_task import CrawlTask
from honeyguide_lab.plots import Line
from honeyguide_lab.reproduce.study import vectors_slug
from honeyguide_lab.reproduce.task_sequence import TaskSequence
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.settings import Settings
    from honeyguide_lab.reproduce.study import StudiedWorld, Study
    from honeyguide_lab.reproduce.task_sequence import CrawledTask
    from honeyguide_lab.reproduce.world_topics import StudiedTopic

POINTS: Final = 101  # of a curve in a plot


@dataclass(frozen=True, slots=True)
class Method:
    """A way to crawl that is compared: a profile and a strategy, and what is changed of their settings."""

    name: str
    strategy: str
    profile: str
    changes: tuple[tuple[str, Any], ...] = ()
    is_papers: bool = True
    learns: bool = True  # carries what it has learned from task to task
    is_chancy: bool = True  # two crawls may differ; one that leaves nothing to chance is made once

    def changed(self, name: str, **changes: object) -> Method:
        """Return the same method with other settings, named as `section__key`."""
        more = tuple((key.replace("__", "."), value) for key, value in changes.items())
        return replace(self, name=name, changes=(*self.changes, *more))

    def settings(self, world: StudiedWorld, topic: StudiedTopic, vectors: str, *, steps: int, seed: int) -> Settings:
        """Return the settings of one crawl of a topic."""
        common = settings_from(
            {
                "topic": {"name": topic.topic.name, "categories": list(topic.topic.categories)},
                "crawl": {
                    "profile": self.profile,
                    "world": world.name,
                    "strategy": self.strategy,
                    "seed": seed,
                    "seed_urls": [topic.seed_url.text],
                },
                "vectors": {"source": vectors},
                "budget": {"fetches": steps},
            }
        )
        return with_overrides(common, LABORATORY | dict(self.changes))


@dataclass(frozen=True, eq=False)
class Trials:
    """A method on a topic with one kind of word vectors: independent trials, each of one or more tasks in a row."""

    method: Method
    topic: StudiedTopic
    vectors: str  # the source
    sequences: tuple[TaskSequence, ...]  # one a trial

    @property
    def steps(self) -> int:
        return self.sequences[0].settings.budget.fetches

    @cached_property
    def crawled(self) -> tuple[tuple[CrawledTask, ...], ...]:
        """The tasks of each trial; read once, when all of them have been crawled."""
        return tuple(sequence.crawled()[: sequence.tasks] for sequence in self.sequences)

    @property
    def tasks(self) -> list[CrawledTask]:
        """The tasks of all trials."""
        return [task for tasks in self.crawled for task in tasks]

    @cached_property
    def self_graded(self) -> NDArray[np.int64]:
        """Pages with the topic's word after 0, 1, 2, … fetches: (trials, tasks, steps + 1)."""
        return np.array([[count_hits(task, self.steps) for task in tasks] for tasks in self.crawled])

    @cached_property
    def independent(self) -> NDArray[np.int64] | None:
        """Labelled pages, likewise; None where there are too few labelled pages to grade by."""
        on_topic = self.topic.on_topic
        if on_topic is None:
            return None
        return np.array([[count_hits(task, self.steps, on_topic) for task in tasks] for tasks in self.crawled])

    def curves(self, *, is_independent: bool = False) -> NDArray[np.int64]:
        """One of the two grades. Ask for `independent` only where there is one."""
        curves = self.independent if is_independent else self.self_graded
        assert curves is not None
        return curves

    def found(self, after: int = -1, task: int = 0) -> NDArray[np.int64]:
        """Pages with the word after so many fetches of a task, or in the end, of each trial."""
        return self.self_graded[:, task, after]

    def labelled(self, after: int = -1, task: int = 0) -> NDArray[np.int64] | None:
        """Labelled pages, likewise."""
        return None if self.independent is None else self.independent[:, task, after]

    def line(self, name: str = "", *, steps: int | None = None) -> Line:
        """The mean of all trials, up to where the longest ended."""
        last = min(max(task.fetches for task in self.tasks), steps or self.steps)
        return mean_line(name or self.method.name, self.self_graded[:, 0, : last + 1])


def count_hits(task: CrawledTask, budget: int, on_topic: frozenset[str] | None = None) -> NDArray[np.int64]:
    """Pages with the topic's word, or those `on_topic`, after 0, 1, 2, … fetches, over the whole budget."""
    hits = task.is_relevant
    if on_topic is not None:
        hits = np.fromiter((url in on_topic for url in task.urls), dtype=np.bool_, count=task.fetches)
    curve = np.zeros(budget + 1, dtype=np.int64)
    curve[1 : task.fetches + 1] = (hits & task.is_page)[:budget]
    return np.cumsum(curve)


@dataclass(frozen=True, slots=True)
class Planner:
    """Plans the crawls of a world. The same trial asked for twice has the same folder, and is crawled once."""

    study: Study
    world: StudiedWorld

    def trials(
        self,
        method: Method,
        topic: StudiedTopic,
        vectors: str,
        *,
        steps: int,
        trials: int,
        tasks: int = 1,
        share: float = 1.0,
        first_seed: int | None = None,
        seed_step: int = 1,
    ) -> Trials:
        """Plan independent trials of tasks in a row; the seeds of trials are `seed_step` apart."""
        first_seed = self.study.seed if first_seed is None else first_seed
        there = method
        if share < 1:
            there = method.changed(method.name, scope__share=share, scope__share_seed=self.study.seed)
        parts = (vectors_slug(vectors), f"share-{share:g}" if share < 1 else "whole", topic.slug, method.name)
        folder = self.study.run_folder(self.world, "/".join(map(_slug, parts)))
        return Trials(
            method,
            topic,
            vectors,
            tuple(
                TaskSequence(
                    folder / f"{trial}",
                    there.settings(self.world, topic, vectors, steps=steps, seed=first_seed + seed_step * trial),
                    tasks,
                )
                for trial in range(trials if method.is_chancy else 1)
            ),
        )

    def timed(
        self, methods: Sequence[Method], topic: StudiedTopic, vectors: str, *, steps: int, repeats: int
    ) -> tuple[TimedMethod, ...]:
        """Plan whole crawls, run folder and all, that are made for their time."""
        return tuple(
            TimedMethod(
                method.name,
                tuple(
                    CrawlTask(
                        self.study.run_folder(self.world, f"timed/{_slug(method.name)}/{number}"),
                        method.settings(self.world, topic, vectors, steps=steps, seed=number),
                    )
                    for number in range(repeats)
                ),
            )
            for method in methods
        )


@dataclass(frozen=True, slots=True)
class TimedMethod:
    """A method crawled several times for its processor time, because crawls of a reproduction run side by side."""

    name: str
    crawls: tuple[CrawlTask, ...]

    @property
    def settings(self) -> Settings:
        return self.crawls[0].settings

    @property
    def seconds_per_step(self) -> float:
        return median(each.processor_s_per_step for each in self.crawls)


def mean_line(name: str, curves: NDArray[np.int64]) -> Line:
    """The mean of curves by fetches, and one standard deviation around it."""
    places = np.unique(np.linspace(0, curves.shape[1] - 1, POINTS).astype(int))
    means = curves.mean(axis=0)[places]
    around = curves.std(axis=0, ddof=1)[places] if len(curves) > 1 else np.zeros(0)
    points = tuple((int(place), round(float(height), 3)) for place, height in zip(places, means, strict=True))
    return Line(name, points, spread=tuple(around.round(3).tolist()))


def shares_earned(tasks: Sequence[CrawledTask], thresholds: Sequence[float]) -> NDArray[np.float64]:
    """How pages divide among the steps of a reward: the topic's word, else a cosine above each threshold, or none."""
    counts = np.zeros(len(thresholds) + 2)
    for task in tasks:
        cosines, has_word = task.relevance[task.is_page], task.is_relevant[task.is_page]
        below = [cosines <= threshold for threshold in thresholds]
        counts += np.bincount(np.where(has_word, 0, 1 + np.sum(below, axis=0)), minlength=len(counts))
    shares: NDArray[np.float64] = counts / max(1.0, float(counts.sum()))
    return shares


def gains(tried: NDArray[np.int64], basic: NDArray[np.int64]) -> list[float]:
    """How much more each trial found than the basic crawler, as a share of that; empty where that found nothing."""
    return [float(each / basic[0] - 1) for each in tried] if basic[0] else []


def spread(values: NDArray[np.int64] | list[float] | None) -> float | None:
    """The standard deviation between trials; none of a single one."""
    return float(np.std(values, ddof=1)) if values is not None and len(values) > 1 else None


def mean(values: NDArray[np.int64] | list[float] | None) -> float | None:
    return float(np.mean(values)) if values is not None and len(values) else None


def _slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-")
