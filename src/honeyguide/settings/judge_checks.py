"""What the settings of a judge must agree on, in words for the person who wrote them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from honeyguide.settings.schema import LADDER_REWARDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.settings.schema import JudgeSettings, Settings

PRESET_THRESHOLDS: Final = 2  # every paper's ladder has as many


def judge_mistakes(settings: Settings) -> Iterator[str]:
    """What is at odds with one another in `[judge]`, or with the rest."""
    if settings.judge.reward in LADDER_REWARDS:
        yield from _ladder_mistakes(settings.judge)
    else:
        yield from _no_ladder_mistakes(settings.judge)
    if settings.judge.reward == "lim2016" and not settings.crawl.strategy.startswith("parse-or-skip"):
        yield (
            "judge.reward is 'lim2016': it counts features that only the strategies parse-or-skip and parse-or-skip-q "
            f"have, and crawl.strategy is {settings.crawl.strategy!r}; choose another reward, as in score"
        )


def _ladder_mistakes(judge: JudgeSettings) -> Iterator[str]:
    thresholds = judge.reward_thresholds
    steps = len(thresholds) or PRESET_THRESHOLDS
    given = len(judge.reward_values) or PRESET_THRESHOLDS + 2
    if given != steps + 2:
        yield (
            f"judge.reward_values has {given} numbers and judge.reward_thresholds {steps}: there must be two more "
            "values than thresholds, with a topic word, above each threshold, otherwise"
        )
    if not all(higher > lower for higher, lower in pairwise(thresholds)):
        yield f"judge.reward_thresholds is {list(thresholds)}: each must be lower than the one before"
    if not all(-1 <= threshold <= 1 for threshold in thresholds):
        yield f"judge.reward_thresholds is {list(thresholds)}: a cosine is from -1 to 1"


def _no_ladder_mistakes(judge: JudgeSettings) -> Iterator[str]:
    given = {"reward_values": judge.reward_values, "reward_thresholds": judge.reward_thresholds}
    for name, numbers in given.items():
        if numbers:
            yield (
                f"judge.{name} is given, but the reward {judge.reward} has no such numbers: "
                f"leave it out, or choose one of {', '.join(LADDER_REWARDS)}"
            )
