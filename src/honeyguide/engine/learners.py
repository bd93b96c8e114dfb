"""The reinforcement learners of the papers, made from settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.errors import SettingsError
from honeyguide.learn import Exploration, FeatureStyle, LinearSarsa, Mode, SarsaRules, Scale, TopicAndCategories
from honeyguide.learn.linear_sarsa import row_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.engine.strategies import Ingredients
    from honeyguide.settings import LfaSettings

LFA_MODES: Final = {
    "lfa-sync": Mode.SYNCHRONOUS,
    "lfa-async": Mode.ASYNCHRONOUS,
    "lfa-moderated": Mode.MODERATED,
}


def linear_sarsa(given: Ingredients) -> LinearSarsa:
    """One of the three modes of linear SARSA."""
    settings, topic = given.settings, given.topic
    lfa = settings.lfa
    style = FeatureStyle(Scale(lfa.features))
    chance = np.random.default_rng([settings.crawl.seed, 1])  # apart from the engine's own
    return LinearSarsa(
        TopicAndCategories(topic, topic.categories, given.vectors()),
        style,
        SarsaRules(
            mode=LFA_MODES[settings.crawl.strategy],
            step_size=lfa.step_size,
            discount=lfa.discount,
            exploration=Exploration(lfa.exploration, lfa.exploration_end, lfa.exploration_steps),
            ends_at_relevant=lfa.ends_at_relevant,
            learns_without_links=lfa.learns_without_links,
            takes_best_next=lfa.takes_best_next,
            draws_pairs=lfa.draws == "pair",
        ),
        _start_weights(lfa, row_width(style, len(topic.categories)), chance),
        chance,
    )


def _start_weights(lfa: LfaSettings, width: int, chance: np.random.Generator) -> NDArray[np.float64]:
    if lfa.start_weights:
        return _weights_in(Path(lfa.start_weights))
    return chance.random(width) if lfa.starts_at == "uniform" else np.zeros(width)


def _weights_in(path: Path) -> NDArray[np.float64]:
    try:
        weights = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise SettingsError([f"lfa.start_weights is {str(path)!r}: no weights can be read from it ({error})"]) from None
    if not isinstance(weights, np.ndarray) or weights.ndim != 1 or not np.isfinite(weights).all():
        raise SettingsError([f"lfa.start_weights is {str(path)!r}: it holds no row of finite numbers"])
    return weights.astype(np.float64)
