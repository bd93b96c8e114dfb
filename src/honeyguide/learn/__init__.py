"""Strategies: which of the links seen so far is worth a fetch, learned from what earlier fetches brought.

A strategy describes a link once (`describe`, from `Candidates`), scores the description whenever asked, may skip a link
when its turn has come, and learns from each `Transition`. One file a method, each readable beside its paper; deep
Q-learning has a folder, `deep_q`.

What links and pages look like in numbers: `features` is ours; `han_features` the states and actions of Han and Pertejo,
made from `relevances` and from what the engine knows of parents, which `pair_rows` puts side by side; `url_features`
what an address alone says.
"""

from honeyguide.learn.best_first import Beam, BestFirst
from honeyguide.learn.han_features import FeatureStyle, Scale, TopicAndCategories
from honeyguide.learn.linear_sarsa import LinearSarsa, Mode, SarsaRules
from honeyguide.learn.online_ridge import OnlineRidge
from honeyguide.learn.orders import (
    BreadthFirst,
    DepthFirst,
    IterativeDeepening,
    ModifiedDepthFirst,
    RandomOrder,
    RandomSkip,
)
from honeyguide.learn.parse_or_skip import ParseOrSkip
from honeyguide.learn.parse_or_skip_q import ParseOrSkipQ
from honeyguide.learn.strategy import Exploration, FoundAgain, Order, Phases, Strategy
from honeyguide.learn.url_heuristic import BestAddressFirst
from honeyguide.learn.weighted_breadth_first import WeightedBreadthFirst

__all__ = [
    "Beam",
    "BestAddressFirst",
    "BestFirst",
    "BreadthFirst",
    "DepthFirst",
    "Exploration",
    "FeatureStyle",
    "FoundAgain",
    "IterativeDeepening",
    "LinearSarsa",
    "Mode",
    "ModifiedDepthFirst",
    "OnlineRidge",
    "Order",
    "ParseOrSkip",
    "ParseOrSkipQ",
    "Phases",
    "RandomOrder",
    "RandomSkip",
    "SarsaRules",
    "Scale",
    "Strategy",
    "TopicAndCategories",
    "WeightedBreadthFirst",
]
