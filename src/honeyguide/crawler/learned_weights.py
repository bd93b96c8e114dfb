"""The weights that linear SARSA has learned in a run: to be read by people, and carried from crawl to crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.crawler.journal import split_snapshot
from honeyguide.errors import StrategyError
from honeyguide.learn import LearnedWeights, SavedLearner
from honeyguide.learn.linear_sarsa import MODES
from honeyguide.runs import open_run

if TYPE_CHECKING:
    from pathlib import Path

LINEAR_STRATEGIES: Final = tuple(MODES)


def learned_weights(run: Path | str) -> LearnedWeights:
    """Return the newest weights that a run holds. StrategyError if its strategy has none."""
    try:
        return LearnedWeights.of(learner_of(run))
    except StrategyError as error:
        raise StrategyError(f"{run}: {error}") from error


def learner_of(run: Path | str) -> SavedLearner:
    """Return the newest snapshot of a run's strategy. StrategyError if there is none."""
    with open_run(run) as opened:
        settings, snapshot = opened.settings, opened.learner_snapshot()
    if snapshot is None:
        raise StrategyError("it was killed before its first step and has no weights; resume it first")
    return SavedLearner(settings, split_snapshot(snapshot.state)[0], snapshot.step)
