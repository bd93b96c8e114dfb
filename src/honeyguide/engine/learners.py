"""The reinforcement learners of the papers, made from settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.engine.learned_weights import weights_to_start_with
from honeyguide.learn import Exploration, FeatureStyle, LinearSarsa, Mode, SarsaRules, Scale, TopicAndCategories
from honeyguide.learn.linear_sarsa import row_width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.engine.strategies import Ingredients

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
        _start_weights(given, style, chance),
        chance,
    )


def _start_weights(given: Ingredients, style: FeatureStyle, chance: np.random.Generator) -> NDArray[np.float64]:
    lfa, categories = given.settings.lfa, given.topic.categories
    width = row_width(style, len(categories))
    if given.is_restored:
        return np.zeros(width)
    if lfa.start_weights:
        return weights_to_start_with(lfa, width)
    return chance.random(width) if lfa.starts_at == "uniform" else np.zeros(width)
