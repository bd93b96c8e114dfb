"""Strategies: which of the links seen so far is worth a fetch, learned from what earlier fetches brought.

A strategy describes a link once (`describe`, from `Candidates`), scores the description whenever asked, may skip a link
when its turn has come, and learns from each `Transition`. One file a method, each readable beside its paper.
"""

from honeyguide.learn.best_first import BestFirst
from honeyguide.learn.breadth_first import BreadthFirst
from honeyguide.learn.online_ridge import OnlineRidge
from honeyguide.learn.random_order import RandomOrder
from honeyguide.learn.strategy import FoundAgain, Order, Strategy
from honeyguide.learn.weighted_breadth_first import WeightedBreadthFirst

__all__ = [
    "BestFirst",
    "BreadthFirst",
    "FoundAgain",
    "OnlineRidge",
    "Order",
    "RandomOrder",
    "Strategy",
    "WeightedBreadthFirst",
]
