"""How relevant a page is to the topic, and what reward that earns.

A `Judge` reads the main words of a `Page` and gives a relevance from 0 to 1, with `Evidence` for anyone who asks why.
`Verdicts` is what a crawl talks to: a judge, the rule that makes a page relevant, and the rule that makes its reward.
Some judges keep statistics of the pages seen so far. None looks ahead, and the labels that grade a crawl never come
here.
"""

from honeyguide.judge.classifier import ClassifierJudge, chosen_classifier
from honeyguide.judge.combined import CombinedJudge, Part
from honeyguide.judge.embeddings import EmbeddingJudge, EmbeddingTfidfJudge
from honeyguide.judge.examples import Examples, VectorModel, VectorModelJudge, fitted_logistic, trained_network
from honeyguide.judge.judge import Judge
from honeyguide.judge.keywords import KeywordJudge, TopicPhrases
from honeyguide.judge.rake import Match, RakeJudge, RakeRules
from honeyguide.judge.tfidf import DocumentFrequencies, TfidfJudge, idf_of
from honeyguide.judge.verdicts import (
    REWARDS,
    Cosine,
    FeatureCount,
    Hit,
    Ladder,
    RelevantWhen,
    RewardRule,
    Rules,
    Score,
    Verdicts,
    reward_rule,
)

__all__ = [
    "REWARDS",
    "ClassifierJudge",
    "CombinedJudge",
    "Cosine",
    "DocumentFrequencies",
    "EmbeddingJudge",
    "EmbeddingTfidfJudge",
    "Examples",
    "FeatureCount",
    "Hit",
    "Judge",
    "KeywordJudge",
    "Ladder",
    "Match",
    "Part",
    "RakeJudge",
    "RakeRules",
    "RelevantWhen",
    "RewardRule",
    "Rules",
    "Score",
    "TfidfJudge",
    "TopicPhrases",
    "VectorModel",
    "VectorModelJudge",
    "Verdicts",
    "chosen_classifier",
    "fitted_logistic",
    "idf_of",
    "reward_rule",
    "trained_network",
]
