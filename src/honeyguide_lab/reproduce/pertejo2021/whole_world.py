"""Basic against asynchronous on the whole world (section 4.5.2, Table 4.3 and Figure 4.5), and what was learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.judge.verdicts import LADDERS
from honeyguide.learn import FeatureStyle, Scale
from honeyguide_lab.plots import Panel, PanelPlot
from honeyguide_lab.reproduce.pertejo2021.plan import ASYNCHRONOUS, BASIC, STEPS, WHOLE_DUMP
from honeyguide_lab.reproduce.study import Figure, Section, Table, vectors_name, vectors_slug
from honeyguide_lab.reproduce.trials import gains, mean, shares_earned, spread
from honeyguide_lab.statistics import paired_difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide_lab.reproduce.pertejo2021.plan import OnWorld
    from honeyguide_lab.reproduce.study import Cell
    from honeyguide_lab.reproduce.trials import Trials
    from honeyguide_lab.reproduce.world_topics import StudiedTopic

_EXPLAINED: Final = (
    "The weights begin uniform between 0 and 1, 0.5 on average. There is no column that is always one, so that what is "
    "nearly constant has to carry the mean reward: *nearness* is nine less the clicks from a page with the word, and "
    "seldom far from eight."
)


def learned_section(world: OnWorld, fought: Sequence[Duel]) -> Section:
    """Of the crawls of Table 4.3, with the first vectors."""
    here = [duel for duel in fought if duel.vectors == fought[0].vectors]
    named = vectors_name(fought[0].vectors)
    ladder = LADDERS["pertejo-code"]
    earned = Table(
        f"earned-{world.slug}",
        f"What the pages of the asynchronous crawler earn, {named}",
        ("topic", "30, the word", "30, above 0.6", "20, above 0.5", "-1"),
        tuple(
            (duel.topic.topic.name, *shares_earned(duel.asynchronous.tasks, ladder.thresholds).round(4).tolist())
            for duel in here
        ),
        note="Shares of all pages fetched; the numbers are cosines of the page with the topic.",
    )
    weights = Table(
        f"weights-{world.slug}",
        f"Weights in the end, {named}",
        ("topic", "column", "weight", "±"),
        tuple(row for duel in here for row in _weights(duel)),
        note="Means over trials, ± one standard deviation.",
        most_shown=100,
    )
    return Section(f"What is learned on {world.name}", (_EXPLAINED,), (earned, weights))


def _weights(duel: Duel) -> Iterator[tuple[Cell, ...]]:
    style, categories = FeatureStyle(Scale.PERTEJO), duel.topic.topic.categories
    columns = [f"page: {name}" for name in style.state_columns(categories)]
    columns += [f"link: {name}" for name in style.action_columns(categories)]
    ends = np.array([task.weights for task in duel.asynchronous.tasks])
    spreads = ends.std(axis=0, ddof=1).tolist() if len(ends) > 1 else [None] * len(columns)
    for column, weight, deviation in zip(columns, ends.mean(axis=0).tolist(), spreads, strict=True):
        yield duel.topic.topic.name, column, weight, deviation


PARTS: Final = (0.01, 0.03, 0.06, 0.12, 0.24)
"""Of the pages that can be reached, after which the two crawlers are compared."""

_EXPLAINED_DUEL: Final = (
    f"Each topic is crawled from its own page. He makes {STEPS:,} steps on 323,198 pages, 3% of them; ours stop at a "
    "quarter of the pages that can be reached. **Self-graded** counts pages with the topic's word, for which the "
    "learner is paid as well; **labelled** counts articles in categories of the topic (or the truth of a synthetic "
    "web), which nobody in the crawl sees. *Gain* is how much more the asynchronous crawler found, as a share of what "
    "the basic one did."
)


@dataclass(frozen=True, slots=True)
class Duel:
    """The two crawlers on one topic with one set of vectors."""

    topic: StudiedTopic
    vectors: str
    basic: Trials
    asynchronous: Trials

    @property
    def self_graded_gains(self) -> list[float]:
        return gains(self.asynchronous.found(), self.basic.found())

    @property
    def labelled_gains(self) -> list[float]:
        ours, basic = self.asynchronous.labelled(), self.basic.labelled()
        return [] if ours is None or basic is None else gains(ours, basic)


def duels(world: OnWorld) -> tuple[Duel, ...]:
    """Plan every topic with all vectors."""
    made = []
    for source in world.sources:
        trials = world.sizes.trials if source == world.sources[0] else world.sizes.fewer_trials
        for topic in world.found.topics:
            basic, ours = (world.whole(method, topic, source, trials=trials) for method in (BASIC, ASYNCHRONOUS))
            made.append(Duel(topic, source, basic, ours))
    return tuple(made)


def topics_table(world: OnWorld) -> Table:
    """The table of topics of a world: seed, reachable and labelled pages, steps."""
    return Table(
        f"topics-{world.slug}",
        "Topics",
        ("topic", "categories", "seed", "main page", "reachable", "with word", "labelled", "steps"),
        tuple(
            (
                topic.topic.name,
                ", ".join(topic.topic.categories) or "–",
                topic.seed_url.text,
                "yes" if topic.is_main_page else "stand-in",
                topic.reachable,
                topic.with_word,
                topic.labelled,
                world.sizes.steps_for(topic.reachable),
            )
            for topic in world.found.topics
        ),
        note="Where a world lacks a topic's own page, the page that has its word and links to most others with it "
        "stands in.",
    )


def whole_section(world: OnWorld, fought: Sequence[Duel]) -> Section:
    """The table with his columns beside ours, and a panel a topic."""
    sources = list(dict.fromkeys(duel.vectors for duel in fought))
    by_source = {source: [duel for duel in fought if duel.vectors == source] for source in sources}
    tables = [topics_table(world)]
    for source, here in by_source.items():
        tables += [_table(world, source, here), _gains_on_the_way(world, source, here)]
    figures = tuple(Figure(_plot(world, source, here), (world.name,)) for source, here in by_source.items())
    text = (_EXPLAINED_DUEL, *(_outcome(source, here) for source, here in by_source.items()))
    title = f"Basic against asynchronous on the whole of {world.name} (4.5.2)"
    return Section(title, text, tuple(tables), figures)


def _table(world: OnWorld, source: str, here: Sequence[Duel]) -> Table:
    return Table(
        f"table-4-3-{world.slug}-{vectors_slug(source)}",
        f"Table 4.3, {vectors_name(source)}",
        (
            "topic", "basic", "asynchronous", "±", "gain", "published basic", "published LFA", "published gain",
            "labelled: basic", "labelled: asynchronous", "labelled: ±", "labelled: gain",
        ),
        tuple(map(_row, here)),
        note=f"Self-graded, but for the columns *labelled*. Means over {len(here[0].asynchronous.sequences)} trials "
        "with seeds of their own, ± one standard deviation; the basic crawler leaves nothing to chance.",
    )  # fmt: skip


def _gains_on_the_way(world: OnWorld, source: str, here: Sequence[Duel]) -> Table:
    """The gain after parts of a world: his crawls saw 3% of theirs."""
    rows: list[tuple[Cell, ...]] = []
    for part in PARTS:
        by_topic = []
        for duel in here:
            after = round(part * duel.topic.reachable)
            if 0 < after <= duel.basic.steps:
                by_topic.append(gains(duel.asynchronous.found(after), duel.basic.found(after)))
        known = [each for each in by_topic if each]
        if known:
            result = paired_difference(known)
            rows.append((f"{part:.0%}", len(known), result.mean, result.low, result.high))
    return Table(
        f"gains-on-the-way-{world.slug}-{vectors_slug(source)}",
        f"Gain on the way, {vectors_name(source)}",
        ("part of the world", "topics", "gain", "from", "to"),
        tuple(rows),
        note=f"Self-graded; means over topics and trials, 95% intervals. His {STEPS:,} steps are 3% of his dump.",
    )


def _row(duel: Duel) -> tuple[Cell, ...]:
    published = WHOLE_DUMP.get(duel.topic.slug)
    ours, labelled, basic_labelled = duel.asynchronous.found(), duel.asynchronous.labelled(), duel.basic.labelled()
    return (
        duel.topic.topic.name,
        int(duel.basic.found()[0]),
        mean(ours),
        spread(ours),
        mean(duel.self_graded_gains),
        published.basic if published else None,
        published.asynchronous if published else None,
        published.gain if published else None,
        None if basic_labelled is None else int(basic_labelled[0]),
        mean(labelled),
        spread(labelled),
        mean(duel.labelled_gains),
    )


def _outcome(source: str, here: Sequence[Duel]) -> str:
    """The gain over all topics, by both grades."""
    by_word = describe_gain([each for duel in here if (each := duel.self_graded_gains)])
    by_label = describe_gain([each for duel in here if (each := duel.labelled_gains)])
    published = [each.gain for each in WHOLE_DUMP.values()]
    return (
        f"With {vectors_name(source)} the mean gain over topics is, self-graded, {by_word}; by the labels, {by_label}. "
        f"Published: {np.mean(published):+.0%}, from {min(published):+.0%} to {max(published):+.0%}."
    )


def describe_gain(gains_by_topic: Sequence[Sequence[float]]) -> str:
    """A mean with its interval over topics and trials."""
    if not gains_by_topic:
        return "cannot be told"
    result = paired_difference(gains_by_topic)
    topics = "topic" if result.topics == 1 else "topics"
    interval = f"95% interval {result.low:+.1%} to {result.high:+.1%}, {result.topics} {topics}"
    return f"{result.mean:+.1%} ({interval})"


def _plot(world: OnWorld, source: str, here: Sequence[Duel]) -> PanelPlot:
    return PanelPlot(
        f"whole-{world.slug}-{vectors_slug(source)}",
        "Accumulated relevant pages (Figure 4.5)",
        f"{world.name}, {vectors_name(source)}, self-graded",
        "fetches",
        "pages with the topic's word",
        tuple(Panel(duel.topic.topic.name, (duel.basic.line(), duel.asynchronous.line())) for duel in here),
    )
