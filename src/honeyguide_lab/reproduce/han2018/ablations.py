"""Why a gain appears or not: the synchronous learner with one thing changed at a time, and other baselines.

A variant is crawled on every topic with the first vectors, fewer tasks and trials than the rest, and set beside the
same tasks of the same trials of the synchronous learner as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from honeyguide_lab.reproduce.han2018.gains import found_by_task
from honeyguide_lab.reproduce.han2018.plan import NO_LEARNING, PROFILE, SYNCHRONOUS, HanSizes, plan_trials
from honeyguide_lab.reproduce.study import Section, Table, vector_sources, vectors_name
from honeyguide_lab.reproduce.trials import Method
from honeyguide_lab.statistics import paired_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide_lab.reproduce.study import Cell, Study
    from honeyguide_lab.reproduce.trials import Trials
    from honeyguide_lab.reproduce.world_topics import StudiedTopic, WorldTopics

MOST_TASKS: Final = 6
MOST_TRIALS: Final = 2

_EXPLAINED: Final = (
    "The synchronous learner with one thing changed, and other baselines, by the mean of the first {tasks} tasks of "
    "{trials} trials with {vectors}. *Over no learning* and *over synchronous* are relative differences, the latter "
    "with its 95% interval over topics and trials (**self-graded**)."
)


@dataclass(frozen=True, slots=True)
class Variant:
    """One change, and the question it answers."""

    question: str
    name: str
    overrides: tuple[tuple[str, Any], ...] = ()
    strategy: str = SYNCHRONOUS.strategy
    step_size_times: float = 1.0  # of the topic's own
    has_categories: bool = True

    def method(self, topic: StudiedTopic) -> Method:
        size = (("lfa.step_size", topic.step_size * self.step_size_times),) if self.step_size_times != 1 else ()
        categories: tuple[tuple[str, Any], ...] = () if self.has_categories else (("topic.categories", []),)
        learns = self.strategy == SYNCHRONOUS.strategy
        return Method(
            f"{self.question} {self.name}", self.strategy, PROFILE, (*self.overrides, *size, *categories),
            is_papers=False, learns=learns, is_chancy=learns,
        )  # fmt: skip


def _lfa(question: str, name: str, **settings: object) -> Variant:
    return Variant(question, name, tuple((f"lfa.{key}", value) for key, value in settings.items()))


VARIANTS: Final = (
    Variant("baseline", "mean of three cosines", strategy="best-first"),
    Variant("baseline", "breadth-first", strategy="breadth-first"),
    _lfa("discount", "0", discount=0.0),
    _lfa("discount", "0.5", discount=0.5),
    Variant("step size", "a tenth", step_size_times=0.1),
    Variant("step size", "tenfold", step_size_times=10.0),
    Variant("reward", "30 for the word alone", (("judge.reward_values", [30.0, -1.0, -1.0, -1.0]),)),
    Variant("reward", "the cosine", (("judge.reward", "pertejo-cosine"),), step_size_times=10.0),
    Variant(
        "reward and discount",
        "word alone and 0",
        (("judge.reward_values", [30.0, -1.0, -1.0, -1.0]), ("lfa.discount", 0.0)),
    ),
    _lfa("exploration", "none", exploration=0.0, exploration_end=0.0),
    _lfa("exploration", "draws links", draws="link"),
    _lfa("start", "uniform weights", starts_at="uniform"),
    _lfa("features", "Pertejo's", features="pertejo"),
    _lfa("features", "continuous", features="continuous"),
    Variant("features", "no categories", has_categories=False),
    _lfa("episodes", "go on after a relevant page", ends_at_relevant=False),
)


@dataclass(frozen=True, slots=True)
class Ablations:
    """The crawls of all variants on one world."""

    sizes: HanSizes
    vectors: str
    trials_by_variant: tuple[tuple[Variant, tuple[Trials, ...]], ...]  # one `Trials` a topic

    @property
    def trials(self) -> tuple[Trials, ...]:
        return tuple(each for _, trials in self.trials_by_variant for each in trials)


def ablations(study: Study, topics: WorldTopics, sizes: HanSizes) -> Ablations:
    """Plan the crawls of every variant, with at most `MOST_TASKS` tasks and `MOST_TRIALS` trials."""
    fewer = replace(sizes, tasks=min(sizes.tasks, MOST_TASKS), trials=min(sizes.trials, MOST_TRIALS))
    source = vector_sources(study)[0]
    return Ablations(
        fewer,
        source,
        tuple(
            (
                variant,
                tuple(
                    plan_trials(study, topics, topic, variant.method(topic), source, fewer) for topic in topics.topics
                ),
            )
            for variant in VARIANTS
        ),
    )


def ablation_section(world: str, slug: str, planned: Ablations, found: Sequence[Trials]) -> Section:
    """Every variant against no learning and against the learner as it is."""
    tasks, trials = planned.sizes.tasks, planned.sizes.trials
    table = Table(
        f"ablations-{slug}",
        "One thing changed at a time",
        ("what", "variant", "pages a task", "over no learning", "over synchronous", "low", "high", "clear",
         "last task", "topics better"),
        tuple(_rows(planned, [each for each in found if each.vectors == planned.vectors])),
    )  # fmt: skip
    by_topic = Table(
        f"ablations-by-topic-{slug}",
        "Pages a task by topic",
        ("what", "variant", *(each.topic.topic.name for each in planned.trials_by_variant[0][1])),
        tuple(_rows_by_topic(planned, found)),
    )
    text = _EXPLAINED.format(tasks=tasks, trials=trials, vectors=vectors_name(planned.vectors))
    return Section(f"Reasons, {world}", (text,), (table, by_topic))


def _rows(planned: Ablations, found: Sequence[Trials]) -> Iterator[tuple[Cell, ...]]:
    base = _found_by_topic(found, SYNCHRONOUS, planned.sizes)
    none = {topic: float(pages.mean()) for topic, pages in _found_by_topic(found, NO_LEARNING, planned.sizes).items()}
    yield "as it is", "synchronous", *_row(base, base, none)
    for variant, trials in planned.trials_by_variant:
        own = {each.topic.topic.name: found_by_task(each) for each in trials}
        yield variant.question, variant.name, *_row(own, base, none)


def _rows_by_topic(planned: Ablations, found: Sequence[Trials]) -> Iterator[tuple[Cell, ...]]:
    here = [each for each in found if each.vectors == planned.vectors]
    for method in (NO_LEARNING, SYNCHRONOUS):
        pages = _found_by_topic(here, method, planned.sizes)
        yield "as it is", method.name, *(round(float(each.mean()), 1) for each in pages.values())
    for variant, trials in planned.trials_by_variant:
        yield variant.question, variant.name, *(round(float(found_by_task(each).mean()), 1) for each in trials)


def _found_by_topic(found: Sequence[Trials], method: Method, sizes: HanSizes) -> dict[str, NDArray[Any]]:
    """Pages of the first trials and tasks, (trials, tasks)."""
    return {
        each.topic.topic.name: found_by_task(each)[: sizes.trials, : sizes.tasks]
        for each in found
        if each.method.name == method.name
    }


def _row(own: dict[str, NDArray[Any]], base: dict[str, NDArray[Any]], none: dict[str, float]) -> tuple[Cell, ...]:
    means = {topic: float(pages.mean()) for topic, pages in own.items()}
    gains = [means[topic] / none[topic] - 1 for topic in own if none[topic]]
    differences = [
        ((pages.mean(axis=1) - base[topic].mean(axis=1)[: len(pages)]) / base[topic].mean()).tolist()
        if len(pages) > 1
        else ((pages.mean() - base[topic].mean(axis=1)) / base[topic].mean()).tolist()
        for topic, pages in own.items()
        if base[topic].mean()
    ]
    result = paired_difference(differences)
    last = sum(float(pages[:, -1].mean()) for pages in own.values()) / len(own)
    better = sum(means[topic] > none[topic] for topic in own)
    return (
        round(sum(means.values()) / len(means), 1),
        round(sum(gains) / len(gains), 3) if gains else None,
        round(result.mean, 3),
        round(result.low, 3),
        round(result.high, 3),
        "yes" if result.is_clear else "no",
        round(last, 1),
        f"{better} of {len(own)}",
    )
