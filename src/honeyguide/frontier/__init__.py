"""Where links wait, and which comes out next.

A URL that was never met gets a number from `SeenUrls`, waits in a `Frontier` with its score and its row, and is taken
when it is the best among the hosts that `HostClocks` calls ready. The host is then held until the answer is in, and
released for the moment `next_request_at` works out. The frontier knows numbers, scores and rows of numbers; what they
mean is the strategy's business.
"""

from honeyguide.frontier.beam import BeamFrontier
from honeyguide.frontier.best_first import BestFirstFrontier
from honeyguide.frontier.by_depth import HeldBackFrontier
from honeyguide.frontier.frontier import Arrivals, Frontier, HostId, NotBefore, Pairs, Scorer, Taken
from honeyguide.frontier.levels import LevelledBeam, LevelledFrontier, LevelledRows, Patience
from honeyguide.frontier.politeness import HostClocks, backoff_s, further_pause_s, longest_pause_s, next_request_at
from honeyguide.frontier.seen import SeenUrls
from honeyguide.frontier.shared_rows import SharedRowsFrontier
from honeyguide.frontier.weighted_queue import WeightedQueue

__all__ = [
    "Arrivals",
    "BeamFrontier",
    "BestFirstFrontier",
    "Frontier",
    "HeldBackFrontier",
    "HostClocks",
    "HostId",
    "LevelledBeam",
    "LevelledFrontier",
    "LevelledRows",
    "NotBefore",
    "Pairs",
    "Patience",
    "Scorer",
    "SeenUrls",
    "SharedRowsFrontier",
    "Taken",
    "WeightedQueue",
    "backoff_s",
    "further_pause_s",
    "longest_pause_s",
    "next_request_at",
]
