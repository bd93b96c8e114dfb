"""What strategies have learned in runs: to be read by people, and carried from crawl to crawl."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.errors import HoneyguideError, SettingsError, StrategyError
from honeyguide.learn import STARTS, WHAT_TO_GIVE, LearnedWeights, SavedLearner
from honeyguide.registry import STRATEGIES
from honeyguide.runs import open_run
from honeyguide.runs.records import split_snapshot
from honeyguide.settings import SHIPPED_START, table_of

if TYPE_CHECKING:
    from honeyguide.learn import Strategy
    from honeyguide.settings import Settings

log = logging.getLogger(__name__)


def learned_weights(run: Path | str) -> LearnedWeights:
    """Return the newest that a run has learned. StrategyError if its strategy hands nothing on."""
    with open_run(run) as opened:
        settings, snapshot = opened.settings, opened.learner_snapshot()
    strategy = settings.crawl.strategy
    if not hands_on(strategy):
        raise StrategyError(
            f"{run} was crawled by {strategy}, which hands nothing on to other crawls; name a run of {_names()}"
        )
    if snapshot is None:
        raise StrategyError(f"{run} was killed before its first step and has no weights; resume it first")
    saved = SavedLearner(settings, split_snapshot(snapshot.state)[0], snapshot.step)
    try:
        learned: LearnedWeights = STRATEGIES[strategy].learned_in(saved)
    except StrategyError as error:
        raise StrategyError(f"{run}: {error}") from error
    return replace(learned, source=str(run))


def hands_on(strategy: str) -> bool:
    """Return whether another crawl may begin with what a strategy has learned."""
    return strategy in STRATEGIES and bool(STRATEGIES[strategy].hands_on)


def begin_with_earlier(strategy: Strategy, settings: Settings) -> None:
    """Have a new strategy begin with what the runs and files of `crawl.learn_from` hold.

    SettingsError where one holds nothing for it. Columns that it does not have are named in a warning.
    """
    chosen, named = settings.crawl.strategy, settings.crawl.learn_from
    if not hands_on(chosen):
        raise SettingsError(
            [f"crawl.learn_from: {chosen} begins with nothing learned before; leave it out, or choose {_names()}"]
        )
    try:
        earlier = [_learned_from(name, chosen) for name in named]
        strategy.begin_with(earlier)
    except HoneyguideError as error:
        raise SettingsError([f"crawl.learn_from: {error}"]) from error
    for each in earlier:
        dropped = [column for column in each.columns if column not in strategy.columns]
        if dropped:
            log.warning("%s: %s dropped, which this crawl does not have", each.source, ", ".join(dropped))


def _learned_from(name: str, strategy: str) -> LearnedWeights:
    if not name.strip():
        raise StrategyError(f"a name is empty; give {WHAT_TO_GIVE}")
    path = STARTS / f"{table_of(strategy)}.npz" if name == SHIPPED_START else Path(name)
    if name == SHIPPED_START and not path.exists():
        raise StrategyError(f"no start is shipped for {strategy}; name a run, or a file that honeyguide learner wrote")
    return learned_weights(path) if path.is_dir() else LearnedWeights.load(path)


def _names() -> str:
    return ", ".join(name for name in STRATEGIES if hands_on(name))
