"""What a step costs: section 4.5.1."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Final

from honeyguide_lab.reproduce.pertejo2021.trials import (
    ASYNCHRONOUS_CRAWLER,
    BASIC,
    BASIC_CRAWLER,
    MINUTES,
    STEPS,
    SYNCHRONOUS_CRAWLER,
    settings_of,
)
from honeyguide_lab.reproduce.study import Section, Table
from honeyguide_lab.reproduce.timed_crawl import TimedCrawl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide_lab.reproduce.pertejo2021.trials import Tries
    from honeyguide_lab.reproduce.world_topics import WorldTopics

REPEATS: Final = 3
MOST_STEPS: Final = 1000

_EXPLAINED: Final = (
    "He needs about 2.5 minutes for 10,000 steps of the basic crawler and 4 of the asynchronous one, and finds the "
    "synchronous one too slow for the whole dump. Ours is processor time of whole crawls, with pages parsed and "
    f"everything stored, the median of {REPEATS}. The minutes are of other machines: compare the ratios."
)


def timed(tries: Tries, found: WorldTopics, source: str) -> tuple[TimedCrawl, ...]:
    """The three crawlers on the first topic."""
    topic = found.topics[0]
    steps = min(MOST_STEPS, tries.sizes.steps_for(topic.reachable))
    return tuple(
        TimedCrawl(
            tries.study.run_folder(found.world, f"timed/{crawler.name}/{repeat}"),
            settings_of(
                crawler.changed(crawler.name, vectors__source=source),
                found.world,
                topic,
                steps=steps,
                seed=tries.study.seed,
            ),
            crawler.name,
            found.world.name,
        )
        for repeat in range(1 if tries.study.is_quick else REPEATS)
        for crawler in (BASIC_CRAWLER, ASYNCHRONOUS_CRAWLER, SYNCHRONOUS_CRAWLER)
    )


def times_section(found: WorldTopics, measured: Sequence[TimedCrawl]) -> Section:
    """Minutes and ratios beside the published ones."""
    minutes = {
        name: median(each.seconds_per_step or 0.0 for each in measured if each.method == name) * STEPS / 60
        for name in dict.fromkeys(each.method for each in measured)
    }
    basic = minutes[BASIC]
    table = Table(
        f"times-{found.world.slug}",
        f"Minutes for {STEPS:,} steps, at the speed of the first {measured[0].budget:,}",
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
        note=f"Topic {measured[0].settings.topic.name}.",
    )
    return Section(f"Time on {found.world.name} (4.5.1)", (_EXPLAINED,), (table,))
