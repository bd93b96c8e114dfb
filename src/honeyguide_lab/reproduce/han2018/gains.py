"""Whether the learners beat no learning and get better, as ratios and intervals, and what a task costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide_lab.reproduce.han2018.plan import (
    BEST_BY_TOPIC,
    LEARNERS,
    NO_LEARNING,
    SECONDS,
    STEPS,
    published_gain,
    with_step_size,
)
from honeyguide_lab.reproduce.study import Section, Table, vectors_name
from honeyguide_lab.reproduce.trials import Planner, shares_earned
from honeyguide_lab.statistics import paired_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from honeyguide_lab.reproduce.study import Cell, StudiedWorld, Study
    from honeyguide_lab.reproduce.trials import TimedMethod, Trials
    from honeyguide_lab.reproduce.world_topics import StudiedTopic, WorldTopics

MOST_LAST_TASKS: Final = 5
THRESHOLDS: Final = (0.5, 0.4)  # of the cosine, in Han's reward
REPEATS: Final = 3  # of a crawl that is made for its time
TIMED_TOPIC: Final = "Olympics"

_GAINS: Final = (
    "**Gain** is relevant pages over those of no learning, by the mean of all tasks and trials. The intervals below "
    "are of the relative difference, 95%, by bootstrap over topics and then trials; *clear* is a difference whose "
    "interval leaves out zero over six topics or more. By the topic's word the figures are **self-graded**."
)
_EARNED: Final = (
    "What the pages are that a crawl meets, under Han's reward: 30 for the word, else 30 above a cosine of 0.5 and 20 "
    "above 0.4, -1 otherwise. Where most pages without the word are paid for, the reward hardly says what is counted."
)
_TIMES: Final = (
    "Processor seconds of a whole crawl, from the first step on: choosing, answering, parsing, judging, learning and "
    "storing; vectors are loaded before. The median of {repeats} crawls, scaled to the paper's 10,000 steps. Its "
    "654, 55 and 28 seconds are of one task of topic Olympics; it has none for the moderated form. Synchronous costs "
    "little more here because links with equal rows share one value: see the benchmark of the learners."
)
_TOPICS: Final = (
    "A topic begins at its main page; where the world lacks that, at the page with the topic's word that links to most "
    "others with it. *With word* are pages that can be reached from there."
)


def topics_section(explored: Sequence[WorldTopics], steps: Mapping[str, int]) -> Section:
    """The section of topics: where each was crawled from, and how much there was to find."""
    rows = tuple(
        (
            each.world.name,
            topic.topic.name,
            "paper's" if topic.is_papers else "stands in",
            ", ".join(topic.topic.categories),
            topic.seed_url.text,
            "main page" if topic.is_main_page else "stands in",
            topic.reachable,
            topic.with_word,
            topic.labels,
            topic.labelled,
            "yes" if topic.on_topic is not None else "too few",
            steps[each.world.name],
        )
        for each in explored
        for topic in each.topics
    )
    columns = (
        "world", "topic", "whose", "categories", "begins at", "which is", "pages", "with word", "independent labels",
        "labelled", "graded by them", "steps",
    )  # fmt: skip
    return Section("Topics", (_TOPICS,), (Table("topics", "What there is to find", columns, rows),))


def gains_section(world: StudiedWorld, found: Sequence[Trials]) -> Section:
    """Gains by topic, their intervals, whether tasks improve, and what pages earn."""
    return Section(
        f"Gains over no learning, {world.name}",
        (_GAINS,),
        (
            Table(
                f"gains-{world.slug}",
                "Gain by topic",
                ("vectors", "topic", "grade", "no learning", *(each.name for each in LEARNERS), "random",
                 "online-ridge", "published gain", "best learner", "published best"),
                tuple(_gain_rows(found)),
                most_shown=100,
            ),
            Table(
                f"intervals-{world.slug}",
                "Relative difference to no learning, over all topics",
                ("vectors", "grade", "method", "mean", "low", "high", "clear", "topics", "crawls"),
                tuple(_interval_rows(found)),
            ),
            Table(
                f"improvement-{world.slug}",
                _improvement_title(max(each.self_graded.shape[1] for each in found)),
                ("vectors", "grade", "method", "mean", "low", "high", "clear", "topics"),
                tuple(_improvement_rows(found)),
            ),
            Table(
                f"earned-{world.slug}",
                "What the pages of a crawl are, by Han's reward",
                ("vectors", "topic", "method", "has word", "above 0.5", "above 0.4", "neither", "earns"),
                tuple(_earned_rows(found)),
                note=_EARNED,
                most_shown=100,
            ),
        ),
    )  # fmt: skip


def _cells(found: Sequence[Trials]) -> Iterator[tuple[str, StudiedTopic, dict[str, Trials]]]:
    """Vectors, topic, and what each method found."""
    for source in dict.fromkeys(each.vectors for each in found):
        for name in dict.fromkeys(each.topic.topic.name for each in found):
            here = [each for each in found if each.vectors == source and each.topic.topic.name == name]
            yield source, here[0].topic, {each.method.name: each for each in here}


def _grades(topic: StudiedTopic) -> tuple[tuple[str, bool], ...]:
    both = (("self-graded", False), ("independent", True))
    return both if topic.on_topic is not None else both[:1]


def _gain_rows(found: Sequence[Trials]) -> Iterator[tuple[Cell, ...]]:
    for source, topic, by_method in _cells(found):
        for grade, is_independent in _grades(topic):
            means = {
                name: float(found_by_task(each, is_independent=is_independent).mean())
                for name, each in by_method.items()
            }
            none = means[NO_LEARNING.name]
            gains = {name: round(mean / none, 3) if none else None for name, mean in means.items()}
            best = max((each.name for each in LEARNERS), key=lambda name: means[name])
            yield (
                vectors_name(source),
                topic.topic.name,
                grade,
                none,
                *(gains[each.name] for each in LEARNERS),
                gains.get("random"),
                gains.get("online-ridge"),
                published_gain(topic.topic.name) or None,
                best,
                BEST_BY_TOPIC.get(topic.topic.name),
            )


def _interval_rows(found: Sequence[Trials]) -> Iterator[tuple[Cell, ...]]:
    cells = list(_cells(found))
    methods = [name for name in cells[0][2] if name != NO_LEARNING.name]
    for source in dict.fromkeys(source for source, _, _ in cells):
        for grade, is_independent in (("self-graded", False), ("independent", True)):
            for method in methods:
                differences = [
                    relative_differences(
                        found_by_task(by_method[method], is_independent=is_independent),
                        found_by_task(by_method[NO_LEARNING.name], is_independent=is_independent),
                    )
                    for own, topic, by_method in cells
                    if own == source and (topic.on_topic is not None or not is_independent)
                ]
                differences = [each for each in differences if len(each)]
                if differences:
                    yield vectors_name(source), grade, method, *_interval(differences)


def found_by_task(trials: Trials, *, is_independent: bool = False) -> NDArray[np.float64]:
    """Pages at the end of each task, (trials, tasks)."""
    return trials.curves(is_independent=is_independent)[:, :, -1].astype(np.float64)


def relative_differences(found: NDArray[np.float64], none: NDArray[np.float64]) -> list[float]:
    """By how much each trial's mean task is above no learning, as a share of that; nothing where that found nothing."""
    base = float(none.mean())
    return ((found.mean(axis=1) - base) / base).tolist() if base else []


def _improvement_rows(found: Sequence[Trials]) -> Iterator[tuple[Cell, ...]]:
    for source in dict.fromkeys(each.vectors for each in found):
        for grade, is_independent in (("self-graded", False), ("independent", True)):
            for method in LEARNERS:
                differences = [
                    improvements(found_by_task(each, is_independent=is_independent))
                    for each in found
                    if each.vectors == source
                    and each.method.name == method.name
                    and (each.topic.on_topic is not None or not is_independent)
                    and each.self_graded.shape[1] > 1
                ]
                if differences:
                    mean, low, high, clear, topics, _ = _interval(differences)
                    yield vectors_name(source), grade, method.name, mean, low, high, clear, topics


def last_tasks(tasks: int) -> int:
    """How many of so many tasks in a row are the last."""
    return min(MOST_LAST_TASKS, tasks - 1)


def _improvement_title(tasks: int) -> str:
    last = last_tasks(tasks)
    named = "task" if last == 1 else f"{last} tasks"
    return f"The last {named} of {tasks} against the first, in relevant pages"


def improvements(found: NDArray[np.float64]) -> list[float]:
    """By how much the mean of the last tasks is above the first, for each trial; the first is never among the last."""
    last = last_tasks(found.shape[1])
    return (found[:, -last:].mean(axis=1) - found[:, 0]).tolist()


def _interval(differences: Sequence[Sequence[float]]) -> tuple[float, float, float, str, int, int]:
    result = paired_difference(differences)
    return (
        round(result.mean, 4),
        round(result.low, 4),
        round(result.high, 4),
        "yes" if result.is_clear else "no",
        result.topics,
        result.pairs,
    )


def _earned_rows(found: Sequence[Trials]) -> Iterator[tuple[Cell, ...]]:
    for each in found:
        if each.method.name in ("synchronous", "no learning", "random"):
            word, high, middle, low = shares_earned(each.tasks, THRESHOLDS).tolist()
            earns = 30 * (word + high) + 20 * middle - low
            yield (
                vectors_name(each.vectors), each.topic.topic.name, each.method.name,
                *(round(share, 3) for share in (word, high, middle, low)), round(earns, 2),
            )  # fmt: skip


def timed_methods(study: Study, topics: WorldTopics, source: str, steps: int) -> tuple[TimedMethod, ...]:
    """Plan each method a few times, for the paper's topic where the world has it."""
    topic = next((each for each in topics.topics if each.topic.name == TIMED_TOPIC), topics.topics[0])
    methods = [with_step_size(method, topic) for method in (*LEARNERS, NO_LEARNING)]
    return Planner(study, topics.world).timed(methods, topic, source, steps=steps, repeats=REPEATS)


def times_section(timed: Sequence[Sequence[TimedMethod]]) -> Section:
    """Our times and ratios beside the published ones, for each world."""
    columns = (
        "world", "topic", "vectors", "method", "s for 10,000 steps", "published s", "over no learning",
        "published", "over asynchronous", "published ",
    )  # fmt: skip
    rows = tuple(row for here in timed for row in _time_rows(here))
    table = Table("times", "Computation times", columns, rows)
    return Section("Computation times", (_TIMES.format(repeats=len(timed[0][0].crawls)),), (table,))


def _time_rows(timed: Sequence[TimedMethod]) -> Iterator[tuple[Cell, ...]]:
    seconds = {each.name: STEPS * each.seconds_per_step for each in timed}
    settings = timed[0].settings
    for method, own in seconds.items():
        yield (
            settings.crawl.world,
            settings.topic.name,
            vectors_name(settings.vectors.source),
            method,
            round(own, 1),
            SECONDS.get(method),
            _over(own, seconds[NO_LEARNING.name]),
            _over(SECONDS.get(method), SECONDS["no learning"]),
            _over(own, seconds["asynchronous"]),
            _over(SECONDS.get(method), SECONDS["asynchronous"]),
        )


def _over(one: float | None, other: float) -> float | None:
    return round(one / other, 2) if one is not None and other else None
