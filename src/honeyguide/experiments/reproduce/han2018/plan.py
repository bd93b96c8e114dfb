"""Which crawls are made: every topic by every method, tasks in a row, as often as there are trials.

The paper's sizes are 10,000 steps, 100 tasks and 10 trials on a dump of some 100,000 articles. Here a task visits as
large a share of the pages that can be reached, one in sixteen, and at most a quarter where more is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from honeyguide.experiments.reproduce.compared_vectors import vector_sources, vectors_slug
from honeyguide.experiments.reproduce.han2018.published import STEPS
from honeyguide.experiments.reproduce.task_sequence import TaskSequence
from honeyguide.experiments.reproduce.world_topics import at_most_a_quarter
from honeyguide.experiments.spec import LABORATORY
from honeyguide.settings import settings_from, with_overrides

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.experiments.reproduce.study import Study
    from honeyguide.experiments.reproduce.world_topics import StudiedTopic, WorldTopics
    from honeyguide.settings import Settings

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
