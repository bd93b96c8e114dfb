"""How relevant a page is to the topic, and what reward that earns.

A `Judge` reads the main words of a `Page` and gives a relevance from 0 to 1, with `Evidence` for anyone who asks why.
`Verdicts` is what a crawl talks to: a judge, the rule that makes a page relevant, and the rule that makes its reward.
Some judges keep statistics of the pages seen so far. None looks ahead, and the labels that grade a crawl never come
here.
"""

from honeyguide.judge.classifier import ClassifierJudge, chosen_classifier
from honeyguide.judge.combined import CombinedJudge, Part
from honeyguide.judge.embedding_tfidf import EmbeddingTfidfJudge
from honeyguide.judge.embeddings import EmbeddingJudge
from honeyguide.judge.examples import Examples
from honeyguide.judge.idf import DocumentFrequencies, idf_of
from honeyguide.judge.judge import Judge
from honeyguide.judge.keywords import KeywordJudge
from honeyguide.judge.logistic import fitted_logistic
from honeyguide.judge.neural import trained_network
from honeyguide.judge.rake import Match, RakeJudge, RakeRules
from honeyguide.judge.reward import REWARDS, Cosine, FeatureCount, Hit, Ladder, RewardRule, Score, reward_rule
from honeyguide.judge.tfidf import TfidfJudge
from honeyguide.judge.topic_phrases import TopicPhrases
from honeyguide.judge.vector_model import VectorModel, VectorModelJudge
from honeyguide.judge.verdicts import RelevantWhen, Rules, Verdicts

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
