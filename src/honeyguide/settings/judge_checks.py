"""What the settings of a judge must agree on, in words for the person who wrote them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from honeyguide.domain import Topic
from honeyguide.settings.judge_parts import judge_part
from honeyguide.settings.judge_tables import LADDER_REWARDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from honeyguide.settings.judge_tables import JudgeSettings
    from honeyguide.settings.schema import Settings

WORD_JUDGES: Final = ("keyword", "tfidf", "rake")  # they compare pages with name and keywords alone
PRESET_THRESHOLDS: Final = 2  # every paper's ladder has as many


def judge_mistakes(settings: Settings) -> Iterator[str]:
    """What is at odds with one another in `[judge]`, or with the rest."""
    if settings.judge.reward in LADDER_REWARDS:
        yield from _ladder_mistakes(settings.judge)
    else:
        yield from _no_ladder_mistakes(settings.judge)
    yield from _part_mistakes(settings.judge)
    lower, upper = settings.judge.lower, settings.judge.upper
    if lower >= upper and upper < 1:
        yield f"judge.lower is {lower:g}: it must be below judge.upper, here {upper:g}"
    if settings.judge.reward == "lim2016" and not settings.crawl.strategy.startswith("parse-or-skip"):
        yield (
            "judge.reward is 'lim2016': it counts features that only the strategies parse-or-skip and parse-or-skip-q "
            f"have, and crawl.strategy is {settings.crawl.strategy!r}; choose another reward, as in score"
        )


def topic_word_mistakes(settings: Settings) -> Iterator[str]:
    """What goes by the topic's words, where the topic is told by examples alone and has none.

    A topic that is empty altogether is another matter: nothing is judged relevant then, and nobody expects it.
    """
    judge, topic = settings.judge, settings.topic
    if not topic.like or not Topic(topic.name, topic.keywords).is_empty:
        return
    remedy = "give --topic or --keyword (honeyguide topic suggest proposes some)"
    by_words = "it goes by the topic's words, and there are only examples"
    if judge.kind in WORD_JUDGES:
        yield f"judge.kind is {judge.kind!r}: {by_words}; {remedy}, or judge by embedding"
    for part in judge.parts:
        if judge.kind == "combined" and part.partition(":")[0] in WORD_JUDGES:
            yield f"judge.parts has {part!r}: {by_words}; {remedy}, or leave it out"
    if judge.relevant_when == "word":
        yield f"judge.relevant_when is 'word': {by_words}; {remedy}, or set it to threshold"
    if judge.reward in LADDER_REWARDS:
        yield f"judge.reward is {judge.reward!r}: {by_words}; {remedy}, or choose another reward, as in score"


def _part_mistakes(judge: JudgeSettings) -> Iterator[str]:
    if judge.kind == "combined" and not judge.parts:
        yield 'judge.parts is empty: a combined judge needs some, as in ["embedding:2", "tfidf:1"]'
    if judge.kind != "combined" and judge.parts:
        yield f"judge.parts is given, but judge.kind is {judge.kind!r}: leave them out, or set judge.kind to combined"
    kinds = []
    for text in judge.parts:
        try:
            kinds.append(judge_part(text)[0])
        except ValueError as error:
            yield f"judge.parts has {text!r}: {error}"
    for kind in sorted({kind for kind in kinds if kinds.count(kind) > 1}):
        yield f"judge.parts has {kind} more than once: give it one weight"


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
