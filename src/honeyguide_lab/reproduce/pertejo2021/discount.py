"""The discount swept: section 4.3, Table 4.2 and Figure 4.3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide_lab import Panel, PanelPlot
from honeyguide_lab.reproduce.pertejo2021.trials import (
    ASYNCHRONOUS_CRAWLER,
    DISCOUNT,
    RELEVANT_BY_DISCOUNT,
    mean,
    mean_line,
    spread,
)
from honeyguide_lab.reproduce.study import Figure, Section, Table, vectors_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide_lab.reproduce.pertejo2021.trials import Crawler, Trials, Tries
    from honeyguide_lab.reproduce.world_topics import StudiedTopic, WorldTopics

TOPIC: Final = "fiction"

_EXPLAINED: Final = (
    "The asynchronous crawler with each discount, on the whole world. His text says that the sweep was made on the "
    "reduced dump. It cannot have been: that one has nothing left after some 4,700 steps, where all crawls have found "
    "the same (4.5.3), while Table 4.2 has different figures after 10,000, and for 0.3 nearly the one of the whole "
    "dump (1,573 here, 1,590 in Table 4.3)."
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """One topic with every discount."""

    topic: StudiedTopic
    vectors: str
    trials: Mapping[float, Trials]


def with_discount(discount: float) -> Crawler:
    """The asynchronous crawler; with his own discount it is the one of Table 4.3."""
    if discount == DISCOUNT:
        return ASYNCHRONOUS_CRAWLER
    return ASYNCHRONOUS_CRAWLER.changed(f"asynchronous, discount {discount:g}", lfa__discount=discount)


def sweep(tries: Tries, found: WorldTopics, source: str) -> Sweep:
    """His topic, or the first that the world has."""
    topic = next((each for each in found.topics if each.slug == TOPIC), found.topics[0])
    steps = tries.sizes.steps_for(topic.reachable)
    trials = {
        discount: tries.of(
            with_discount(discount),
            topic,
            source,
            steps=steps,
            trials=tries.sizes.trials if discount == DISCOUNT else tries.sizes.fewer_trials,
        )
        for discount in tries.sizes.discounts
    }
    return Sweep(topic, source, trials)


def sweep_section(tries: Tries, found: WorldTopics, swept: Sweep) -> Section:
    """His table with our column, and the curves."""
    figure = Figure(_plot(found, swept), (found.world.name,))
    table = _table(tries, found, swept)
    return Section(f"The discount on {found.world.name} (4.3)", (_EXPLAINED,), (table,), (figure,))


def _table(tries: Tries, found: WorldTopics, swept: Sweep) -> Table:
    is_his = swept.topic.slug == TOPIC
    his = f" (over {tries.sizes.trials} for {DISCOUNT:g})" if DISCOUNT in swept.trials else ""
    return Table(
        f"table-4-2-{found.world.slug}",
        f"Table 4.2: {swept.topic.topic.name} by the discount, {vectors_name(swept.vectors)}",
        ("discount", "relevant", "±", "published", "labelled", "labelled: ±"),
        tuple(
            (
                f"{discount:g}",
                mean(found_by.found()),
                spread(found_by.found()),
                RELEVANT_BY_DISCOUNT.get(discount) if is_his else None,
                None if (labelled := found_by.labelled()) is None else mean(labelled),
                None if labelled is None else spread(labelled),
            )
            for discount, found_by in swept.trials.items()
        ),
        note=f"Pages with the word, self-graded, after {tries.sizes.steps_for(swept.topic.reachable):,} steps: means "
        f"over {tries.sizes.fewer_trials} trials{his}, ± one standard deviation. Published: one crawl "
        "each, of 10,000 steps.",
    )


def _plot(found: WorldTopics, swept: Sweep) -> PanelPlot:
    by_word = tuple(each.line(f"discount {discount:g}") for discount, each in swept.trials.items())
    by_label = tuple(
        mean_line(f"discount {discount:g}", curves)
        for discount, each in swept.trials.items()
        if (curves := each.independent()) is not None
    )
    return PanelPlot(
        f"discount-{found.world.slug}",
        f"{swept.topic.topic.name}: accumulated relevant pages by the discount (Figure 4.3)",
        f"{found.world.name}, {vectors_name(swept.vectors)}",
        "fetches",
        "pages",
        (Panel("with the topic's word, self-graded", by_word), *([Panel("labelled", by_label)] if by_label else [])),
    )
