"""What linear SARSA has learned in a run: to be read by people, and carried from crawl to crawl."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.snapshot import parted
from honeyguide.errors import HoneyguideError, SettingsError, StrategyError
from honeyguide.learn import FeatureStyle, Scale
from honeyguide.learn.linear_sarsa import columns, saved_weights
from honeyguide.runs import open_run
from honeyguide.settings.strategy_sections import STRATEGIES, table_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.settings import LfaSettings

LINEAR_STRATEGIES: Final = tuple(name for name in STRATEGIES if table_of(name) == "lfa")


@dataclass(frozen=True, slots=True, eq=False)
class LearnedWeights:
    """One weight for each column of a row."""

    strategy: str
    features: str  # the scale of the columns, as in `lfa.features`
    columns: tuple[str, ...]
    weights: NDArray[np.float64]
    step: int  # after which they were saved: the run's last if it was stopped, an earlier one if it was killed


def learned_weights(run: Path | str) -> LearnedWeights:
    """The newest weights that a run holds. StrategyError if its strategy has none."""
    with open_run(run) as opened:
        settings, snapshot = opened.settings, opened.learner_snapshot()
    strategy = settings.crawl.strategy
    if strategy not in LINEAR_STRATEGIES:
        named = ", ".join(LINEAR_STRATEGIES)
        raise StrategyError(f"{run} was crawled by {strategy}, which learns no such weights; name a run of {named}")
    if snapshot is None:
        raise StrategyError(f"{run} was killed before its first step and has no weights; resume it first")
    weights = saved_weights(parted(snapshot.state)[0])
    names = columns(FeatureStyle(Scale(settings.lfa.features)), settings.topic.categories)
    if weights.shape != (len(names),):
        raise StrategyError(
            f"{run} holds {weights.size} weights for {len(names)} columns; restore its settings.toml as it was"
        )
    return LearnedWeights(strategy, settings.lfa.features, names, weights, snapshot.step)


def weights_to_start_with(lfa: LfaSettings, width: int) -> NDArray[np.float64]:
    """Those in `lfa.start_weights`, a run folder or a .npy file; SettingsError if they do not fit."""
    path = Path(lfa.start_weights)
    weights = _of_run(path, lfa) if path.is_dir() else _in_file(path)
    if weights.shape != (width,):
        remedy = "take those of the same lfa.features and as many categories"
        raise SettingsError([f"{_named(path)} has {weights.size} weights and this crawl needs {width}: {remedy}"])
    return weights


def _of_run(path: Path, lfa: LfaSettings) -> NDArray[np.float64]:
    try:
        learned = learned_weights(path)
    except HoneyguideError as error:
        raise SettingsError([f"{_named(path)}: {error}"]) from error
    if learned.features != lfa.features:
        raise SettingsError(
            [f"{_named(path)} was learned with lfa.features {learned.features!r}, not {lfa.features!r}: use the same"]
        )
    return learned.weights


def _in_file(path: Path) -> NDArray[np.float64]:
    try:
        weights = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SettingsError([f"{_named(path)}: it is neither a run nor a .npy file of weights ({error})"]) from None
    is_row = isinstance(weights, np.ndarray) and weights.ndim == 1 and weights.dtype.kind in "iuf"
    if not is_row or not np.isfinite(weights).all():
        raise SettingsError([f"{_named(path)}: it holds no row of finite numbers; write one with honeyguide learner"])
    return weights.astype(np.float64)


def _named(path: Path) -> str:
    return f"lfa.start_weights {str(path)!r}"
