"""Which strategy a name in the settings means, and what it is made of.

The reinforcement learners of the papers, made from settings.

Deep Q-learning, made from settings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from honeyguide.crawler.learned_weights import weights_to_start_with
from honeyguide.errors import SettingsError
from honeyguide.learn import (
    Beam,
    BestAddressFirst,
    BestFirst,
    BreadthFirst,
    DepthFirst,
    Exploration,
    FeatureStyle,
    IterativeDeepening,
    LinearSarsa,
    Mode,
    ModifiedDepthFirst,
    OnlineRidge,
    ParseOrSkip,
    ParseOrSkipQ,
    Phases,
    RandomOrder,
    RandomSkip,
    SarsaRules,
    Scale,
    TopicAndCategories,
    WeightedBreadthFirst,
)
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
from honeyguide.learn.linear_sarsa import row_width

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from honeyguide.learn import Strategy
    from honeyguide.learn.deep_q import Descriptions
    from honeyguide.model import Topic
    from honeyguide.settings import DqnSettings, Settings
    from honeyguide.text import WordVectors


@dataclass(frozen=True, slots=True)
class Ingredients:
    """What strategies are made of; vectors are loaded when one asks for them."""

    settings: Settings
    topic: Topic
    vectors: Callable[[], WordVectors]
    is_restored: bool = False  # a saved state will be loaded, so what a new learner begins with is not needed


def strategy_of(given: Ingredients) -> Strategy:
    """The strategy that the settings name."""
    return _named(given.settings.crawl.strategy, "crawl.strategy", STRATEGY_MAKERS)(given)


def heuristic_of(given: Ingredients, name: str) -> Strategy:
    """A strategy by whose scores another one ranks links."""
    return _named(name, "heuristic", HEURISTIC_MAKERS)(given)


def _named(
    name: str, key: str, makers: dict[str, Callable[[Ingredients], Strategy]]
) -> Callable[[Ingredients], Strategy]:
    if name not in makers:
        raise SettingsError([f"{key} is {name!r}: choose one of {', '.join(makers)}"])
    return makers[name]


def _best_first(given: Ingredients) -> Strategy:
    return BestFirst(given.topic, given.vectors(), as_one_text=given.settings.best_first.as_one_text)


def _url_heuristic(given: Ingredients) -> Strategy:
    return BestAddressFirst(given.topic, given.vectors(), given.settings.url_heuristic)


def _beam(given: Ingredients) -> Strategy:
    return Beam(heuristic_of(given, given.settings.beam.heuristic), given.settings.beam.width)


def _parse_or_skip_q(given: Ingredients) -> Strategy:
    counts_features = given.settings.judge.reward == "lim2016"
    return ParseOrSkipQ(given.topic, given.vectors(), given.settings.parse_or_skip_q, counts_features=counts_features)


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


HEURISTIC_MAKERS: Final[dict[str, Callable[[Ingredients], Strategy]]] = {
    "similarity": _best_first,
    "url": _url_heuristic,
}
STRATEGY_MAKERS: Final[dict[str, Callable[[Ingredients], Strategy]]] = {
    "breadth-first": lambda _: BreadthFirst(),
    "depth-first": lambda _: DepthFirst(),
    "iterative-deepening": lambda _: IterativeDeepening(),
    "modified-depth-first": lambda given: ModifiedDepthFirst(given.settings.modified_depth_first),
    "weighted-breadth-first": lambda given: WeightedBreadthFirst(given.topic, given.settings.weighted_breadth_first),
    "random": lambda _: RandomOrder(),
    "best-first": _best_first,
    "url-heuristic": _url_heuristic,
    "beam": _beam,
    "online-ridge": lambda given: OnlineRidge(given.topic, given.vectors(), given.settings.ridge),
    "lfa-sync": linear_sarsa,
    "lfa-async": linear_sarsa,
    "lfa-moderated": linear_sarsa,
    "dqn": deep_q,
    "dqn-fixed": deep_q,
    "parse-or-skip": lambda given: ParseOrSkip(given.topic, given.vectors(), given.settings.parse_or_skip),
    "parse-or-skip-q": _parse_or_skip_q,
    "random-skip": lambda given: RandomSkip(given.settings.random_skip),
}
