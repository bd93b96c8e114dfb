"""Strategies: which of the links seen so far is worth a fetch, learned from what earlier fetches brought.

A strategy describes a link once (`describe`, from `Candidates`), scores the description whenever asked, may skip a link
when its turn has come, and learns from each `Transition`. One file a method, each readable beside its paper; deep
Q-learning has a folder, `deep_q`.

What links and pages look like in numbers: `features` is ours; `han_features` the states and actions of Han and Pertejo,
made from `relevances` and from what the engine knows of parents, which `pair_rows` puts side by side; `url_features`
what an address alone says.
"""

from honeyguide.learn.best_first import Beam, BeamSettings, BestFirst, BestFirstSettings
from honeyguide.learn.han_features import FeatureStyle, Scale, TopicAndCategories
from honeyguide.learn.linear_sarsa import LearnedWeights, LfaSettings, LinearSarsa, Mode, SarsaRules
from honeyguide.learn.online_ridge import OnlineRidge, OnlineRidgeSettings
from honeyguide.learn.orders import (
    BreadthFirst,
    DepthFirst,
    IterativeDeepening,
    ModifiedDepthFirst,
    ModifiedDepthFirstSettings,
    RandomOrder,
    RandomSkip,
    RandomSkipSettings,
)
from honeyguide.learn.parse_or_skip import ParseOrSkip, ParseOrSkipSettings
from honeyguide.learn.parse_or_skip_q import ParseOrSkipQ, ParseOrSkipQSettings
from honeyguide.learn.strategy import (
    Exploration,
    FoundAgain,
    Ingredients,
    Order,
    Phases,
    SavedLearner,
    Strategy,
    Unlearned,
)
from honeyguide.learn.url_heuristic import BestAddressFirst, UrlHeuristicSettings
from honeyguide.learn.weighted_breadth_first import WeightedBreadthFirst, WeightedBreadthFirstSettings

__all__ = [
    "Beam",
    "BeamSettings",
    "BestAddressFirst",
    "BestFirst",
    "BestFirstSettings",
    "BreadthFirst",
    "DepthFirst",
    "Exploration",
    "FeatureStyle",
    "FoundAgain",
    "Ingredients",
    "IterativeDeepening",
    "LearnedWeights",
    "LfaSettings",
    "LinearSarsa",
    "Mode",
    "ModifiedDepthFirst",
    "ModifiedDepthFirstSettings",
    "OnlineRidge",
    "OnlineRidgeSettings",
    "Order",
    "ParseOrSkip",
    "ParseOrSkipQ",
    "ParseOrSkipQSettings",
    "ParseOrSkipSettings",
    "Phases",
    "RandomOrder",
    "RandomSkip",
    "RandomSkipSettings",
    "SarsaRules",
    "SavedLearner",
    "Scale",
    "Strategy",
    "TopicAndCategories",
    "Unlearned",
    "UrlHeuristicSettings",
    "WeightedBreadthFirst",
    "WeightedBreadthFirstSettings",
]
