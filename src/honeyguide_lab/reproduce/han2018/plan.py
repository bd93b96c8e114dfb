"""The figures that Han, Wuillemin and Senellart (2018) report, and the plan of the crawls to set beside them.

Their figures have no numbers on them. Their sizes are 10,000 steps, 100 tasks and 10 trials on a dump of some 100,000
articles. Here a task visits as large a share of the pages that can be reached, one in sixteen, and at most a quarter
where more is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide_lab.reproduce.study import vector_sources
from honeyguide_lab.reproduce.trials import Method, Planner
from honeyguide_lab.reproduce.world_topics import at_most_a_quarter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide_lab.reproduce.study import Study
    from honeyguide_lab.reproduce.task_sequence import CrawledTask
    from honeyguide_lab.reproduce.trials import Trials
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
INTERVALS: Final = 10  # of the cosine in figure 2
PROFILE: Final = "han2018"

# The baseline has the one number that the learners have of a link's own words, and nothing else.
NO_LEARNING: Final = Method(
    "no learning", "best-first", PROFILE, (("best_first.as_one_text", True),), learns=False, is_chancy=False
)
SYNCHRONOUS: Final = Method("synchronous", "lfa-sync", PROFILE)
ASYNCHRONOUS: Final = Method("asynchronous", "lfa-async", PROFILE)
MODERATED: Final = Method("moderated", "lfa-moderated", PROFILE)
LEARNERS: Final = (SYNCHRONOUS, ASYNCHRONOUS, MODERATED)
RANDOM: Final = Method("random", "random", PROFILE, is_papers=False, learns=False)
RIDGE: Final = Method("online-ridge", "online-ridge", PROFILE, is_papers=False, learns=False, is_chancy=False)
METHODS: Final = (*LEARNERS, NO_LEARNING, RANDOM, RIDGE)


@dataclass(frozen=True, slots=True)
class HanSizes:
    """How much is crawled."""

    steps: int
    tasks: int
    trials: int

    @classmethod
    def for_world(cls, study: Study, topics: WorldTopics) -> HanSizes:
        """Choose as large ones as the world allows, unless a person says otherwise."""
        reachable = min(each.reachable for each in topics.topics)
        usual = QUICK if study.is_quick else FULL
        asked = study.options
        steps = asked.steps or min(STEPS, max(1, reachable // SHARE_OF_PAGES))
        return cls(at_most_a_quarter(steps, reachable), asked.tasks or usual["tasks"], asked.trials or usual["trials"])


def plan_all(study: Study, topics: WorldTopics, sizes: HanSizes) -> tuple[Trials, ...]:
    """Every crawl of a world, those with the same vectors and topic next to one another: they share most pages."""
    return tuple(
        plan_trials(study, topics, topic, method, source, sizes)
        for source in vector_sources(study)
        for topic in topics.topics
        for method in METHODS
    )


def plan_trials(
    study: Study, topics: WorldTopics, topic: StudiedTopic, method: Method, source: str, sizes: HanSizes
) -> Trials:
    """Plan the trials of a method; what neither learns nor leaves anything to chance is crawled once."""
    return Planner(study, topics.world).trials(
        with_step_size(method, topic),
        topic,
        source,
        steps=sizes.steps,
        trials=sizes.trials,
        tasks=sizes.tasks if method.learns else 1,
        # Seeds of tasks count up from that of their trial; no two crawls of a method share one.
        first_seed=1_000_000 * study.seed,
        seed_step=1_000,
    )


def with_step_size(method: Method, topic: StudiedTopic) -> Method:
    """A method with the step size that section 4 has for a topic, unless it has one of its own."""
    has_own = any(key == "lfa.step_size" for key, _ in method.changes)
    return method if has_own else method.changed(method.name, lfa__step_size=topic.step_size)


def pages_by_interval(tasks: Sequence[CrawledTask]) -> NDArray[np.float64]:
    """Pages with the topic's word a task, by the tenth in which their cosine with the topic lies; 1 is in the last."""
    counts = np.zeros(INTERVALS)
    for task in tasks:
        cosines = task.relevance[task.is_relevant & task.is_page].astype(np.float64)
        counts += np.bincount(np.minimum(cosines * INTERVALS, INTERVALS - 1).astype(np.int64), minlength=INTERVALS)
    return counts / max(1, len(tasks))
