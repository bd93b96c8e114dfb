"""How relevant a page is to the topic, and what reward that earns.

A `Judge` reads the main words of a `Page` and gives a relevance from 0 to 1, with `Evidence` for anyone who asks why.
`Verdicts` is what a crawl talks to: a judge, the rule that makes a page relevant, and the rule that makes its reward.
Some judges keep statistics of the pages seen so far. None looks ahead, and the labels that grade a crawl never come
here.
"""

from honeyguide.judge.embeddings import EmbeddingJudge
from honeyguide.judge.judge import Judge
from honeyguide.judge.keywords import KeywordJudge
from honeyguide.judge.reward import REWARDS, Cosine, Hit, Ladder, RewardRule, Score, reward_rule
from honeyguide.judge.topic_phrases import TopicPhrases
from honeyguide.judge.verdicts import RelevantWhen, Rules, Verdicts

__all__ = [
    "REWARDS",
    "Cosine",
    "EmbeddingJudge",
    "Hit",
    "Judge",
    "KeywordJudge",
    "Ladder",
    "RelevantWhen",
    "RewardRule",
    "Rules",
    "Score",
    "TopicPhrases",
    "Verdicts",
    "reward_rule",
]
