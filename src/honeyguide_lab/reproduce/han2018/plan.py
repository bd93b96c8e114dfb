"""What Han, Wuillemin and Senellart (2018) report, as far as it can be read: their figures have no numbers on them.

Which crawls are made: every topic by every method, tasks in a row, as often as there are trials.

The paper's sizes are 10,000 steps, 100 tasks and 10 trials on a dump of some 100,000 articles. Here a task visits as
large a share of the pages that can be reached, one in sixteen, and at most a quarter where more is asked for.

What came of the crawls: curves and counts of every task of every trial, by both grades.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab.reproduce.study import two_grades, vector_sources, vectors_slug
from honeyguide_lab.reproduce.unkept_crawl import TaskSequence
from honeyguide_lab.reproduce.world_topics import at_most_a_quarter
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide.settings import Settings
    from honeyguide_lab.reproduce.study import Study
    from honeyguide_lab.reproduce.unkept_crawl import CrawledTask
    from honeyguide_lab.reproduce.world_topics import StudiedTopic, WorldTopics

TITLE: Final = "Focused crawling through reinforcement learning: Han et al. (2018), reproduced"
SOURCE: Final = (
    "M. Han, P.-H. Wuillemin, P. Senellart: *Focused Crawling through Reinforcement Learning*. 18th International "
    "Conference on Web Engineering (ICWE), 2018, pp. 261-278."
)

STEPS: Final = 10_000  # pages of a crawling task
TASKS: Final = 100  # that figures 1 and 2 are means of
TRIALS: Final = 10  # that figure 3 is a mean of

SECONDS: Final = {"synchronous": 654.0, "asynchronous": 55.0, "no learning": 28.0}
"""Of one crawling task, topic Olympics; moderated is not told."""

USUAL_GAIN: Final = (1.2, 1.6)
"""Relevant pages over those of no learning, "generally"."""
GAIN_BY_TOPIC: Final = {"Cancer": 2.5}

BEST_BY_TOPIC: Final = {
    "Fiction": "synchronous",
    "Olympics": "synchronous",
    "Cancer": "synchronous",
    "Cameras": "moderated",
    "Geology": "moderated",
    "Poetry": "moderated",
}
"""Figure 3: (a) to (c) are the abundant topics, (d) to (f) the sparse ones, in the order of section 4."""


def published_gain(topic: str) -> str:
    """The gain over no learning that the paper tells for a topic; nothing for a topic that is not the paper's."""
    if topic in GAIN_BY_TOPIC:
        return f"{GAIN_BY_TOPIC[topic]}"
    return f"{USUAL_GAIN[0]} to {USUAL_GAIN[1]}" if topic in BEST_BY_TOPIC else ""


SHARE_OF_PAGES: Final = 16  # a task visits one in so many
FULL: Final = {"tasks": 20, "trials": 5, "topics": 6}
QUICK: Final = {"tasks": 4, "trials": 2, "topics": 2}


@dataclass(frozen=True, slots=True)
class Method:
    """A way to crawl that is compared."""

    name: str
    strategy: str
    overrides: tuple[tuple[str, Any], ...] = ()
    is_papers: bool = True
    learns: bool = True  # carries what it has learned from task to task
    is_chancy: bool = True  # two crawls may differ; one that leaves nothing to chance is made once

    @property
    def slug(self) -> str:
        return self.name.replace(" ", "-")


# The baseline has the one number that the learners have of a link's own words, and nothing else.
NO_LEARNING: Final = Method(
    "no learning", "best-first", (("best_first.as_one_text", True),), learns=False, is_chancy=False
)
SYNCHRONOUS: Final = Method("synchronous", "lfa-sync")
ASYNCHRONOUS: Final = Method("asynchronous", "lfa-async")
MODERATED: Final = Method("moderated", "lfa-moderated")
LEARNERS: Final = (SYNCHRONOUS, ASYNCHRONOUS, MODERATED)
RANDOM: Final = Method("random", "random", is_papers=False, learns=False)
RIDGE: Final = Method("online-ridge", "online-ridge", is_papers=False, learns=False, is_chancy=False)
METHODS: Final = (*LEARNERS, NO_LEARNING, RANDOM, RIDGE)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is crawled."""

    steps: int
    tasks: int
    trials: int

    @classmethod
    def for_world(cls, study: Study, topics: WorldTopics) -> Sizes:
        """As large as the world allows, unless a person says otherwise."""
        reachable = min(each.reachable for each in topics.topics)
        usual = QUICK if study.is_quick else FULL
        asked = study.options
        steps = asked.steps or min(STEPS, max(1, reachable // SHARE_OF_PAGES))
        return cls(
            at_most_a_quarter(steps, reachable),
            asked.tasks or usual["tasks"],
            asked.trials or usual["trials"],
        )

    def of(self, method: Method) -> tuple[int, int]:
        """Tasks and trials of a method: what neither learns nor leaves anything to chance is crawled once."""
        return (self.tasks if method.learns else 1), (self.trials if method.is_chancy else 1)


@dataclass(frozen=True, slots=True)
class Trials:
    """All that one method crawls for one topic, with one kind of word vectors."""

    vectors: str  # the source
    topic: StudiedTopic
    method: Method
    sequences: tuple[TaskSequence, ...]  # one a trial

    @property
    def steps(self) -> int:
        return self.sequences[0].settings.budget.fetches


def planned(study: Study, topics: WorldTopics, sizes: Sizes) -> tuple[Trials, ...]:
    """Every crawl of a world, those with the same vectors and topic next to one another: they share most pages."""
    return tuple(
        trials_of(study, topics, topic, method, source, sizes)
        for source in vector_sources(study)
        for topic in topics.topics
        for method in METHODS
    )


def trials_of(
    study: Study, topics: WorldTopics, topic: StudiedTopic, method: Method, source: str, sizes: Sizes
) -> Trials:
    tasks, trials = sizes.of(method)
    place = f"{vectors_slug(source)}/{topic.slug}/{method.slug}"
    return Trials(
        source,
        topic,
        method,
        tuple(
            TaskSequence(
                study.run_folder(topics.world, f"{place}/{trial}"),
                task_settings(topics.world.name, topic, method, source, steps=sizes.steps, seed=_seed(study, trial)),
                tasks,
            )
            for trial in range(trials)
        ),
    )


def _seed(study: Study, trial: int) -> int:
    """Seeds of tasks count up from that of their trial; no two crawls of a method share one."""
    return 1_000_000 * study.seed + 1_000 * trial


def task_settings(world: str, topic: StudiedTopic, method: Method, source: str, *, steps: int, seed: int) -> Settings:
    """The settings of section 4: what is relevant, what it earns, and the parameters of the learners."""
    told: Mapping[str, Any] = {
        "topic": {"name": topic.topic.name, "categories": list(topic.topic.categories)},
        "crawl": {
            "profile": "han2018",
            "world": world,
            "strategy": method.strategy,
            "seed": seed,
            "seed_urls": [topic.seed_url.text],
        },
        "vectors": {"source": source},
        "lfa": {"step_size": topic.step_size},
        "budget": {"fetches": steps},
    }
    return with_overrides(settings_from(told), {**LABORATORY, **dict(method.overrides)})


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
