"""What a crawling task costs by each method: whole crawls through the engine, run folder and all.

Processor time, because crawls of a reproduction run side by side. The paper's seconds are of one task of 10,000 steps
on another machine: the ratios can be compared.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from honeyguide_lab.reproduce.han2018.plan import LEARNERS, NO_LEARNING, SECONDS, STEPS, task_settings
from honeyguide_lab.reproduce.study import Section, Table, vectors_name
from honeyguide_lab.reproduce.timed_crawl import TimedCrawl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide_lab.reproduce.study import Cell, Study
    from honeyguide_lab.reproduce.world_topics import StudiedTopic, WorldTopics

REPEATS: Final = 3
PUBLISHED_TOPIC: Final = "Olympics"

_EXPLAINED: Final = (
    "Processor seconds of a whole crawl, from the first step on: choosing, answering, parsing, judging, learning and "
    "storing; vectors are loaded before. The median of {repeats} crawls, scaled to the paper's 10,000 steps. Its "
    "654, 55 and 28 seconds are of one task of topic Olympics; it has none for the moderated form. Synchronous costs "
    "little more here because links with equal rows share one value: see the benchmark of the learners."
)


def timed_crawls(study: Study, topics: WorldTopics, source: str, steps: int) -> tuple[TimedCrawl, ...]:
    """Each method a few times, for the paper's topic where the world has it."""
    topic = _topic(topics.topics)
    return tuple(
        TimedCrawl(
            study.run_folder(topics.world, f"timed/{method.slug}/{number}"),
            task_settings(topics.world.name, topic, method, source, steps=steps, seed=number),
            method.name,
            topics.world.name,
        )
        for number in range(REPEATS)
        for method in (*LEARNERS, NO_LEARNING)
    )


def _topic(topics: Sequence[StudiedTopic]) -> StudiedTopic:
    return next((each for each in topics if each.topic.name == PUBLISHED_TOPIC), topics[0])


def times_section(timed: Sequence[TimedCrawl]) -> Section:
    """Our times and ratios beside the published ones."""
    columns = (
        "world", "topic", "vectors", "method", "s for 10,000 steps", "published s", "over no learning",
        "published", "over asynchronous", "published ",
    )  # fmt: skip
    table = Table("times", "Computation times", columns, tuple(_rows(timed)))
    return Section("Computation times", (_EXPLAINED.format(repeats=_repeats(timed)),), (table,))


def _repeats(timed: Sequence[TimedCrawl]) -> int:
    first = timed[0]
    return sum((each.world, each.method) == (first.world, first.method) for each in timed)


def _rows(timed: Sequence[TimedCrawl]) -> Iterator[tuple[Cell, ...]]:
    for world in dict.fromkeys(each.world for each in timed):
        here = [each for each in timed if each.world == world]
        seconds = {
            method: STEPS * median(each.seconds_per_step or 0.0 for each in here if each.method == method)
            for method in dict.fromkeys(each.method for each in here)
        }
        for method, own in seconds.items():
            yield (
                world,
                here[0].settings.topic.name,
                vectors_name(here[0].settings.vectors.source),
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
