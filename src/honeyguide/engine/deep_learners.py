"""Deep Q-learning, made from settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.learn import FeatureStyle, Phases, Scale, TopicAndCategories
from honeyguide.learn.deep_q import (
    DeepQ,
    Dueling,
    Loss,
    OutputDescriptions,
    PairDescriptions,
    QRules,
    TargetRule,
    pytorch,
)

if TYPE_CHECKING:
    from honeyguide.engine.strategies import Ingredients
    from honeyguide.learn.deep_q import Descriptions
    from honeyguide.settings import DqnSettings


def deep_q(given: Ingredients) -> DeepQ:
    """`dqn`, a network from state and link to one value, or `dqn-fixed`, from the state to a value for every link."""
    dqn, strategy = given.settings.dqn, given.settings.crawl.strategy
    torch = pytorch(strategy, dqn.device)
    chance = np.random.default_rng([given.settings.crawl.seed, 2])  # apart from the engine's own and from others
    return DeepQ(torch, _descriptions(given), q_rules(dqn), chance, dqn.device)


def _descriptions(given: Ingredients) -> Descriptions:
    dqn, topic = given.settings.dqn, given.topic
    nearness = TopicAndCategories(topic, topic.categories, given.vectors())
    style, is_scaled = FeatureStyle(Scale(dqn.features)), dqn.inputs == "scaled"
    if given.settings.crawl.strategy == "dqn-fixed":
        return OutputDescriptions(nearness, style, dqn.outputs, is_scaled=is_scaled)
    return PairDescriptions(nearness, style, is_scaled=is_scaled)


def q_rules(dqn: DqnSettings) -> QRules:
    """How the network learns, by the settings."""
    return QRules(
        layers=dqn.layers,
        target_rule=TargetRule(dqn.target),
        dueling=Dueling(dqn.dueling),
        loss=Loss(dqn.loss),
        discount=dqn.discount,
        learning_rate=dqn.learning_rate,
        replay=dqn.replay,
        batch=dqn.batch,
        warm_up=dqn.warm_up,
        train_every=dqn.train_every,
        refresh_every=dqn.refresh_every,
        target_share=dqn.target_share,
        dropout=dqn.dropout,
        weight_penalty=dqn.weight_penalty,
        output_penalty=dqn.output_penalty,
        ends_at_relevant=dqn.ends_at_relevant,
        reprices=dqn.mode == "synchronous",
        draws_pairs=dqn.draws == "pair",
        phases=Phases(dqn.exploration, dqn.exploration_test, dqn.training_steps, dqn.learns_in_test),
    )
