"""What the asynchronous crawler was paid, and which weights it ended with: why it does what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.experiments.reproduce.compared_vectors import vectors_name
from honeyguide.experiments.reproduce.report import Section, Table
from honeyguide.judge.reward import REWARDS, Ladder
from honeyguide.learn import FeatureStyle, Scale

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from honeyguide.experiments.reproduce.pertejo2021.whole_world import Duel
    from honeyguide.experiments.reproduce.report import Cell
    from honeyguide.experiments.reproduce.unkept_crawl import CrawledTask
    from honeyguide.experiments.reproduce.world_topics import WorldTopics

_EXPLAINED: Final = (
    "The weights begin uniform between 0 and 1, 0.5 on average. There is no column that is always one, so that what is "
    "nearly constant has to carry the mean reward: *nearness* is nine less the clicks from a page with the word, and "
    "seldom far from eight."
)


def learned_section(found: WorldTopics, fought: Sequence[Duel]) -> Section:
    """Of the crawls of Table 4.3, with the first vectors."""
    here = [duel for duel in fought if duel.vectors == fought[0].vectors]
    named = vectors_name(fought[0].vectors)
    earned = Table(
        f"earned-{found.world.slug}",
        f"What the pages of the asynchronous crawler earn, {named}",
        ("topic", "30, the word", "30, above 0.6", "20, above 0.5", "-1"),
        tuple((duel.topic.topic.name, *shares_earned(_crawled(duel)).round(4).tolist()) for duel in here),
        note="Shares of all pages fetched; the numbers are cosines of the page with the topic.",
    )
    weights = Table(
        f"weights-{found.world.slug}",
        f"Weights in the end, {named}",
        ("topic", "column", "weight", "±"),
        tuple(row for duel in here for row in _weights(duel)),
        note="Means over trials, ± one standard deviation.",
        most_shown=100,
    )
    return Section(f"What is learned on {found.world.name}", (_EXPLAINED,), (earned, weights))


def shares_earned(tasks: Sequence[CrawledTask]) -> NDArray[np.float64]:
    """How pages divide among the steps of the ladder in his code."""
    ladder = REWARDS["pertejo-code"]
    assert isinstance(ladder, Ladder)
    counts = np.zeros(len(ladder.values))
    for task in tasks:
        cosines, has_word = task.relevance[task.is_page], task.is_relevant[task.is_page]
        below = [cosines <= threshold for threshold in ladder.thresholds]
        counts += np.bincount(np.where(has_word, 0, 1 + np.sum(below, axis=0)), minlength=len(counts))
    shares: NDArray[np.float64] = counts / max(1.0, float(counts.sum()))
    return shares


def _weights(duel: Duel) -> Iterator[tuple[Cell, ...]]:
    style, categories = FeatureStyle(Scale.PERTEJO), duel.topic.topic.categories
    columns = [f"page: {name}" for name in style.state_columns(categories)]
    columns += [f"link: {name}" for name in style.action_columns(categories)]
    ends = np.array([task.weights for task in _crawled(duel)])
    spreads = ends.std(axis=0, ddof=1).tolist() if len(ends) > 1 else [None] * len(columns)
    for column, weight, spread in zip(columns, ends.mean(axis=0).tolist(), spreads, strict=True):
        yield duel.topic.topic.name, column, weight, spread


def _crawled(duel: Duel) -> tuple[CrawledTask, ...]:
    return duel.asynchronous.sequence.crawled()
