"""The composition root's part that knows the judges: settings in, a judge and its rules out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.errors import SettingsError
from honeyguide.judge import EmbeddingJudge, KeywordJudge, RelevantWhen, Rules, TopicPhrases, Verdicts, reward_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.domain import Topic
    from honeyguide.judge import Judge
    from honeyguide.settings import JudgeSettings, Settings
    from honeyguide.text import WordVectors

    LoadVectors = Callable[[], WordVectors]  # called only where a judge compares meanings


def relevance_judge(settings: Settings, topic: Topic, load_vectors: LoadVectors) -> Judge:
    """The judge that the settings name; without a topic, one that finds nothing relevant."""
    if topic.is_empty:
        return KeywordJudge(topic)
    match settings.judge.kind:
        case "keyword":
            return KeywordJudge(topic)
        case "embedding":
            return EmbeddingJudge(topic, load_vectors())
        case unknown:
            raise SettingsError([f"judge.kind is {unknown!r}: no such judge"])


def verdicts(settings: JudgeSettings, judge: Judge, topic: Topic, load_vectors: LoadVectors) -> Verdicts:
    """The judge with the rules that the settings name."""
    rules = Rules(
        reward_rule(settings.reward, settings.reward_values, settings.reward_thresholds),
        RelevantWhen(settings.relevant_when),
        settings.threshold,
    )
    nearness = None
    if rules.need_nearness:
        measuring = judge if isinstance(judge, EmbeddingJudge) else EmbeddingJudge(topic, load_vectors())
        nearness = measuring.nearness
    return Verdicts(judge, TopicPhrases(topic.phrases), rules, nearness)
