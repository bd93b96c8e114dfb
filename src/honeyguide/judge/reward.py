"""What a relevance earns the crawler."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from honeyguide.domain import Verdict


class Reward(StrEnum):
    """Named ways to turn relevance into reward."""

    SCORE = "score"  # the relevance itself
    HIT = "hit"  # 1 for a relevant page, 0 for any other


def verdict_of(relevance: float, threshold: float, reward: Reward) -> Verdict:
    """The verdict on a page of this relevance."""
    is_relevant = relevance >= threshold
    match reward:
        case Reward.SCORE:
            earned = relevance
        case Reward.HIT:
            earned = float(is_relevant)
        case _:
            assert_never(reward)
    return Verdict(relevance, is_relevant, earned)
