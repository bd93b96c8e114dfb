"""What a step costs: section 4.5.1. These crawls are made whole, with pages parsed and everything stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.experiments.crawl_task import CrawlTask
from honeyguide.experiments.reproduce.pertejo2021.crawlers import (
    ASYNCHRONOUS_CRAWLER,
    BASIC,
    BASIC_CRAWLER,
    SYNCHRONOUS_CRAWLER,
    settings_of,
)
from honeyguide.experiments.reproduce.pertejo2021.published import MINUTES, STEPS
from honeyguide.experiments.reproduce.report import Section, Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.experiments.reproduce.pertejo2021.trials import Tries
    from honeyguide.experiments.reproduce.world_topics import WorldTopics

_EXPLAINED: Final = (
    "He needs about 2.5 minutes for 10,000 steps of the basic crawler and 4 of the asynchronous one, and finds the "
    "synchronous one too slow for the whole dump. Ours are timed beside the other crawls of this study, so that the "
    "ratios tell more than the minutes."
)


@dataclass(frozen=True, slots=True)
class Timed:
    """The three crawlers on one topic, as ordinary runs."""

    topic: str
    tasks: Mapping[str, CrawlTask]


def timed(tries: Tries, found: WorldTopics, source: str) -> Timed:
    topic = found.topics[0]
    steps = min(1000, tries.sizes.steps_for(topic.reachable))
    return Timed(
        topic.topic.name,
        {
            crawler.name: CrawlTask(
                tries.study.run_folder(found.world, f"timed/{crawler.name}"),
                settings_of(
                    crawler.changed(crawler.name, vectors__source=source),
                    found.world,
                    topic,
                    steps=steps,
                    seed=tries.study.seed,
                ),
            )
            for crawler in (BASIC_CRAWLER, ASYNCHRONOUS_CRAWLER, SYNCHRONOUS_CRAWLER)
        },
    )


def times_section(found: WorldTopics, measured: Timed) -> Section:
    minutes = {name: task.seconds_per_1000_steps * STEPS / 1000 / 60 for name, task in measured.tasks.items()}
    basic = minutes[BASIC]
    table = Table(
        f"times-{found.world.slug}",
        f"Minutes for {STEPS:,} steps, at the speed of the first {next(iter(measured.tasks.values())).budget:,}",
        ("crawler", "minutes", "over basic", "published minutes", "published over basic"),
        tuple(
            (
                name,
                taken,
                taken / basic if basic else None,
                MINUTES.get(name),
                MINUTES[name] / MINUTES[BASIC] if name in MINUTES else None,
            )
            for name, taken in minutes.items()
        ),
        note=f"{measured.topic}; one crawl each.",
    )
    return Section(f"Time on {found.world.name} (4.5.1)", (_EXPLAINED,), (table,))
