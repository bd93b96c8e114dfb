"""What the learner of a run has found to pay, for people: nothing is fetched and nothing changes.

How much a column counts is its weight times its spread among the links that the crawl has met: what a usual difference
between two links does to their scores. A large weight of a column that is the same everywhere decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.explaining import RunExplainer
from honeyguide.crawler.learned_weights import hands_on
from honeyguide.errors import StrategyError
from honeyguide.learn import MEANINGS, OTHER_MEANING, in_words
from honeyguide.learn.dead_ends import KINDS, sign_texts
from honeyguide.model import weighted_sums
from honeyguide.runs import open_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.learn import DeadEnds, Strategy
    from honeyguide.model import Rows
    from honeyguide.runs import CrawledStep, Run
    from honeyguide.text import WordVectors

LINKS_LOOKED_AT: Final = 1000
FETCHES_LOOKED_AT: Final = 20_000
PARTS: Final = 10
_FEWEST_ASKED: Final = 3
"""Links of one sign before its share of answers says anything."""
_FEWEST_TO_CORRELATE: Final = 5


@dataclass(frozen=True, slots=True)
class ColumnEffect:
    """What one thing about a link does to its expected reward."""

    words: str
    effect: float  # of a usual difference between two links: weight times spread, with the sign of the weight
    weight: float | None  # None for several columns together, whose effect has no sign
    spread: float | None  # standard deviation among the links looked at


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well rewards were foreseen in one part of the crawl."""

    first_step: int
    last_step: int
    fetches: int  # that brought something to learn from
    expected: float  # mean of their scores when they were chosen
    came: float  # mean reward
    correlation: float | None  # None where it cannot be told


@dataclass(frozen=True, slots=True)
class AnswersBySign:
    """How many links with something in common brought a page."""

    kind: str  # host, section, shape or word, as `honeyguide.learn.dead_ends` has them
    sign: str
    asked: float
    pages: float  # a redirect to something new counts as a half


@dataclass(frozen=True, slots=True)
class WhatPays:
    """What a run has learned, in words."""

    run: str
    strategy: str
    step: int  # after which it was saved
    links: int  # that spreads are taken from
    columns: tuple[ColumnEffect, ...]  # the greatest effect first; empty where scores add up no weights
    agreement: tuple[Agreement, ...]  # by parts of the crawl, in order
    failing: tuple[AnswersBySign, ...]  # that brought a page less than half of the time, most links lost first
    answering: tuple[AnswersBySign, ...]  # hosts that brought a page otherwise, the most pages first
    is_of_one_shard: bool  # the one with the most steps: in this run each shard has learned by itself


def what_pays(run: Path | str, *, vectors: WordVectors | None = None, trust: bool = False) -> WhatPays:
    """Say what the learner of a run has found to pay. StrategyError where that of its strategy cannot be shown.

    A run that was not made here may name code and files outside of it only with `trust`.
    """
    explainer = RunExplainer(run, vectors=vectors, trust=trust)
    with open_run(run) as opened, opened.at_one_moment():
        name = opened.settings.crawl.strategy
        strategy, step = explainer.strategy_now(opened)
        if strategy.told_weights is None and not hands_on(name):
            raise StrategyError(
                f"{run} was crawled by {name}, and honeyguide learner does not show what that has learned; "
                "honeyguide stats and explain tell of such runs"
            )
        rows = explainer.rows_now(opened, list(opened.some_links(LINKS_LOOKED_AT)))
        fetches = [each for each in opened.steps() if each.reward is not None]
        if strategy.dead_ends is not None:  # scores are rewards of pages; whether one comes is foreseen apart
            fetches = [each for each in fetches if each.outcome == "fetched"]
        failing, answering = ((), ()) if strategy.dead_ends is None else _answers(opened, strategy.dead_ends)
        return WhatPays(
            run=str(run),
            strategy=name,
            step=step,
            links=0 if rows is None else len(rows),
            columns=() if rows is None else tuple(_effects(strategy, rows)),
            agreement=tuple(_agreement(fetches)),
            failing=tuple(failing),
            answering=tuple(answering),
            is_of_one_shard=bool(opened.shards()) and not strategy.begin_sharing(),
        )


def _effects(strategy: Strategy, rows: Rows) -> list[ColumnEffect]:
    weights, names = strategy.told_weights, strategy.columns
    if weights is None or not len(rows):
        return []
    spreads = rows.astype(np.float64).std(axis=0)
    is_meaning = np.array([name.startswith(MEANINGS) for name in names])
    effects = [
        ColumnEffect(in_words(name), float(weight * spread), float(weight), float(spread))
        for name, weight, spread, joined in zip(names, weights, spreads, is_meaning, strict=True)
        if not joined and weight * spread
    ]
    if is_meaning.any():
        together = weighted_sums(rows, np.where(is_meaning, weights, 0.0)).std()
        effects.append(ColumnEffect(OTHER_MEANING, float(together), None, None))
    return sorted(effects, key=lambda each: (-abs(each.effect), each.words))


def _agreement(fetches: Sequence[CrawledStep]) -> Iterator[Agreement]:
    """Compare scores with rewards in ten parts of equal length; in fewer where there are fewer fetches."""
    for part in np.array_split(np.arange(len(fetches)), min(PARTS, len(fetches))) if fetches else ():
        steps = [fetches[place] for place in part]
        expected = np.array([each.score for each in steps])
        came = np.array([each.reward for each in steps], dtype=np.float64)
        yield Agreement(
            steps[0].step,
            steps[-1].step,
            len(steps),
            float(expected.mean()),
            float(came.mean()),
            _correlation(expected, came),
        )


def _correlation(expected: NDArray[np.float64], came: NDArray[np.float64]) -> float | None:
    if len(came) < _FEWEST_TO_CORRELATE or not expected.std() or not came.std():
        return None
    return float(np.corrcoef(expected, came)[0, 1])


def _answers(run: Run, dead_ends: DeadEnds) -> tuple[list[AnswersBySign], list[AnswersBySign]]:
    """Return the signs that fail and the hosts that answer, of the newest fetches."""
    found: dict[tuple[int, str], AnswersBySign] = {}
    for fetch in islice(run.steps(newest=FETCHES_LOOKED_AT), FETCHES_LOOKED_AT):
        for kind, sign in enumerate(sign_texts(fetch.url)):
            if sign and (kind, sign) not in found:
                found[kind, sign] = AnswersBySign(KINDS[kind], sign, *dead_ends.told(fetch.url, kind))
    known = [each for each in found.values() if each.asked >= _FEWEST_ASKED]
    failing = [each for each in known if each.pages < each.asked / 2]
    failing.sort(key=lambda each: (each.pages - each.asked, each.kind, each.sign))
    answering = [each for each in known if each.kind == KINDS[0] and each not in failing]
    answering.sort(key=lambda each: (-each.pages, each.sign))
    return failing, answering
