"""Where links wait, and which comes out next.

A URL that was never met gets a number from `SeenUrls`, waits in a `Frontier` with its score and its row, and is taken
when it is the best among the hosts that are ready; `HostReadiness` says which are. The frontier knows numbers, scores
and rows of numbers; what they mean is the strategy's business.
"""

from honeyguide.frontier.beam import BeamFrontier
from honeyguide.frontier.best_first import BestFirstFrontier
from honeyguide.frontier.by_depth import ByDepthFrontier
from honeyguide.frontier.frontier import (
    Arrivals,
    Chances,
    Frontier,
    Haste,
    HostReadiness,
    NotBefore,
    Pairs,
    Resting,
    Scorer,
    Standing,
    Taken,
    worth_of,
)
from honeyguide.frontier.levels import (
    LevelledBeam,
    LevelledFrontier,
    LevelledRows,
    Patience,
    promises_of,
    standing_of,
    worths_of,
)
from honeyguide.frontier.seen import SeenUrls
from honeyguide.frontier.shared_rows import SharedRowsFrontier

__all__ = [
    "Arrivals",
    "BeamFrontier",
    "BestFirstFrontier",
    "ByDepthFrontier",
    "Chances",
    "Frontier",
    "Haste",
    "HostReadiness",
    "LevelledBeam",
    "LevelledFrontier",
    "LevelledRows",
    "NotBefore",
    "Pairs",
    "Patience",
    "Resting",
    "Scorer",
    "SeenUrls",
    "SharedRowsFrontier",
    "Standing",
    "Taken",
    "promises_of",
    "standing_of",
    "worth_of",
    "worths_of",
]
