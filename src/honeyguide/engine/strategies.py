"""Which strategy a name in the settings means, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.engine.deep_learners import deep_q
from honeyguide.engine.learners import linear_sarsa
from honeyguide.errors import SettingsError
from honeyguide.learn import (
    Beam,
    BestAddressFirst,
    BestFirst,
    BreadthFirst,
    DepthFirst,
    IterativeDeepening,
    ModifiedDepthFirst,
    OnlineRidge,
    ParseOrSkip,
    ParseOrSkipQ,
    RandomOrder,
    RandomSkip,
    WeightedBreadthFirst,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.domain import Topic
    from honeyguide.learn import Strategy
    from honeyguide.settings import Settings
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
