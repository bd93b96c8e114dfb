"""Strategies: which of the links seen so far is worth a fetch, learned from what earlier fetches brought.

A strategy describes a link once (`describe`, from `Candidates`), scores the description whenever asked, may skip a link
when its turn has come, and learns from each `Transition`. One file a method, with its settings, each readable beside
its paper; deep Q-learning has a folder, `deep_q`. `features` has our description of a link in numbers, `han_features`
the states and actions of Han and Pertejo. A new one gets a line in `honeyguide.registry`.
"""

from honeyguide.learn.best_first import Beam, BeamSettings, BestFirst, BestFirstSettings
from honeyguide.learn.dead_ends import DeadEnds
from honeyguide.learn.han_features import FeatureStyle, Scale, TopicAndCategories
from honeyguide.learn.learned import (
    MEANINGS,
    OTHER_MEANING,
    PART_OF_SITE,
    STARTS,
    WHAT_TO_GIVE,
    LearnedWeights,
    in_words,
)
from honeyguide.learn.linear_sarsa import LfaSettings, LinearSarsa, Mode
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
)  # fmt: skip
from honeyguide.learn.parse_or_skip import ParseOrSkip, ParseOrSkipSettings
from honeyguide.learn.parse_or_skip_q import ParseOrSkipQ, ParseOrSkipQSettings
from honeyguide.learn.shared_sums import SharedSums
from honeyguide.learn.site_parts import SiteParts
from honeyguide.learn.strategy import FoundAgain, Ingredients, Order, SavedLearner, Strategy, Unlearned
from honeyguide.learn.url_heuristic import BestUrlFirst
from honeyguide.learn.weighted_breadth_first import WeightedBreadthFirst, WeightedBreadthFirstSettings

__all__ = [
    "MEANINGS", "OTHER_MEANING", "PART_OF_SITE", "STARTS", "WHAT_TO_GIVE", "Beam", "BeamSettings", "BestFirst",
    "BestFirstSettings", "BestUrlFirst", "BreadthFirst", "DeadEnds", "DepthFirst",
    "FeatureStyle", "FoundAgain", "Ingredients", "IterativeDeepening", "LearnedWeights", "LfaSettings", "LinearSarsa",
    "Mode", "ModifiedDepthFirst", "ModifiedDepthFirstSettings", "OnlineRidge", "OnlineRidgeSettings", "Order",
    "ParseOrSkip", "ParseOrSkipQ", "ParseOrSkipQSettings", "ParseOrSkipSettings", "RandomOrder", "RandomSkip",
    "RandomSkipSettings", "SavedLearner", "Scale", "SharedSums", "SiteParts", "Strategy", "TopicAndCategories",
    "Unlearned", "WeightedBreadthFirst", "WeightedBreadthFirstSettings", "in_words",
]  # fmt: skip
