"""The discount swept (section 4.3, Table 4.2 and Figure 4.3), and what a step costs (4.5.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide_lab.plots import Panel, PanelPlot
from honeyguide_lab.reproduce.pertejo2021.plan import (
    ASYNCHRONOUS,
    BASIC,
    DISCOUNT,
    MINUTES,
    RELEVANT_BY_DISCOUNT,
    STEPS,
    SYNCHRONOUS,
)
from honeyguide_lab.reproduce.study import Figure, Section, Table, vectors_name
from honeyguide_lab.reproduce.trials import mean, mean_line, spread

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from honeyguide_lab.reproduce.pertejo2021.plan import OnWorld
    from honeyguide_lab.reproduce.trials import Method, TimedMethod, Trials
    from honeyguide_lab.reproduce.world_topics import StudiedTopic

TOPIC: Final = "fiction"
TIMED_REPEATS: Final = 3
TIMED_STEPS: Final = 1000  # at most

_EXPLAINED: Final = (
    "The asynchronous crawler with each discount, on the whole world. His text says that the sweep was made on the "
    "reduced dump. It cannot have been: that one has nothing left after some 4,700 steps, where all crawls have found "
    "the same (4.5.3), while Table 4.2 has different figures after 10,000, and for 0.3 nearly the one of the whole "
    "dump (1,573 here, 1,590 in Table 4.3)."
)

_TIMES: Final = (
    "He needs about 2.5 minutes for 10,000 steps of the basic crawler and 4 of the asynchronous one, and finds the "
    "synchronous one too slow for the whole dump. Ours is processor time of whole crawls, with pages parsed and "
    f"everything stored, the median of {TIMED_REPEATS}. The minutes are of other machines: compare the ratios."
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One topic with every discount."""

    topic: StudiedTopic
    vectors: str
    trials: Mapping[float, Trials]


def with_discount(discount: float) -> Method:
    """The asynchronous crawler; with his own discount it is the one of Table 4.3."""
    if discount == DISCOUNT:
        return ASYNCHRONOUS
    return ASYNCHRONOUS.changed(f"asynchronous, discount {discount:g}", lfa__discount=discount)


def sweep(world: OnWorld) -> Sweep:
    """Plan every discount for his topic."""
    topic = world.topic_named(TOPIC)
    trials = {
        discount: world.whole(
            with_discount(discount),
            topic,
            trials=world.sizes.trials if discount == DISCOUNT else world.sizes.fewer_trials,
        )
        for discount in world.sizes.discounts
    }
    return Sweep(topic, world.sources[0], trials)


def sweep_section(world: OnWorld, swept: Sweep) -> Section:
    """His table with our column, and the curves."""
    figure = Figure(_plot(world, swept), (world.name,))
    table = _table(world, swept)
    return Section(f"The discount on {world.name} (4.3)", (_EXPLAINED,), (table,), (figure,))


def _table(world: OnWorld, swept: Sweep) -> Table:
    is_his = swept.topic.slug == TOPIC
    his = f" (over {world.sizes.trials} for {DISCOUNT:g})" if DISCOUNT in swept.trials else ""
    return Table(
        f"table-4-2-{world.slug}",
        f"Table 4.2: {swept.topic.topic.name} by the discount, {vectors_name(swept.vectors)}",
        ("discount", "relevant", "±", "published", "labelled", "labelled: ±"),
        tuple(
            (
                f"{discount:g}",
                mean(found_by.found()),
                spread(found_by.found()),
                RELEVANT_BY_DISCOUNT.get(discount) if is_his else None,
                mean(found_by.labelled()),
                spread(found_by.labelled()),
            )
            for discount, found_by in swept.trials.items()
        ),
        note=f"Pages with the word, self-graded, after {world.sizes.steps_for(swept.topic.reachable):,} steps: means "
        f"over {world.sizes.fewer_trials} trials{his}, ± one standard deviation. Published: one crawl "
        "each, of 10,000 steps.",
    )


def _plot(world: OnWorld, swept: Sweep) -> PanelPlot:
    by_word = tuple(each.line(f"discount {discount:g}") for discount, each in swept.trials.items())
    by_label = tuple(
        mean_line(f"discount {discount:g}", curves[:, 0])
        for discount, each in swept.trials.items()
        if (curves := each.independent) is not None
    )
    return PanelPlot(
        f"discount-{world.slug}",
        f"{swept.topic.topic.name}: accumulated relevant pages by the discount (Figure 4.3)",
        f"{world.name}, {vectors_name(swept.vectors)}",
        "fetches",
        "pages",
        (Panel("with the topic's word, self-graded", by_word), *([Panel("labelled", by_label)] if by_label else [])),
    )


def timed_methods(world: OnWorld) -> tuple[TimedMethod, ...]:
    """Plan the three crawlers on the first topic, for their time."""
    topic = world.found.topics[0]
    return world.planner.timed(
        (BASIC, ASYNCHRONOUS, SYNCHRONOUS),
        topic,
        world.sources[0],
        steps=min(TIMED_STEPS, world.sizes.steps_for(topic.reachable)),
        repeats=1 if world.study.is_quick else TIMED_REPEATS,
    )


def times_section(world: OnWorld, timed: Sequence[TimedMethod]) -> Section:
    """Minutes and ratios beside the published ones."""
    minutes = {each.name: each.seconds_per_step * STEPS / 60 for each in timed}
    basic, settings = minutes[BASIC.name], timed[0].settings
    table = Table(
        f"times-{world.slug}",
        f"Minutes for {STEPS:,} steps, at the speed of the first {settings.budget.fetches:,}",
        ("crawler", "minutes", "over basic", "published minutes", "published over basic"),
        tuple(
            (
                name,
                taken,
                taken / basic if basic else None,
                MINUTES.get(name),
                MINUTES[name] / MINUTES[BASIC.name] if name in MINUTES else None,
            )
            for name, taken in minutes.items()
        ),
        note=f"Topic {settings.topic.name}.",
    )
    return Section(f"Time on {world.name} (4.5.1)", (_TIMES,), (table,))
