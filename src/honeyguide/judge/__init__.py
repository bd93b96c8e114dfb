"""How relevant a page is to the topic, and what reward that earns.

A `Judge` reads the main words of a `Page` and gives a relevance from 0 to 1, with `Evidence` for anyone who asks why.
`Verdicts` is what a crawl talks to: a judge, the rule that makes a page relevant, and the rule that makes its reward.
Some judges keep statistics of the pages seen so far. None looks ahead, and the labels that grade a crawl never come
here. One file a judge, with its settings; a new one gets a line in `honeyguide.registry`.
"""

from honeyguide.judge.classifier import ClassifierJudge, ClassifierSettings, chosen_classifier
from honeyguide.judge.combined import CombinedJudge, CombinedSettings, Part, build_judge, kinds_of
from honeyguide.judge.embeddings import EmbeddingJudge, EmbeddingTfidfJudge
from honeyguide.judge.examples import (
    Examples,
    NeuralJudge,
    VectorModel,
    VectorModelJudge,
    fitted_logistic,
    trained_network,
)
from honeyguide.judge.judge import Judge, JudgeIngredients, LearningJudge, StatelessJudge, check_topic
from honeyguide.judge.keywords import KeywordJudge, TopicPhrases
from honeyguide.judge.learned import LearnedJudge
from honeyguide.judge.questions import next_questions
from honeyguide.judge.rake import RakeJudge, RakeSettings
from honeyguide.judge.tfidf import DocumentFrequencies, IdfSettings, TfidfJudge, idf_of
from honeyguide.judge.verdicts import Ladder, Verdicts, moved_by_answers

__all__ = [
    "ClassifierJudge", "ClassifierSettings", "CombinedJudge", "CombinedSettings", "DocumentFrequencies",
    "EmbeddingJudge", "EmbeddingTfidfJudge", "Examples", "IdfSettings", "Judge", "JudgeIngredients", "KeywordJudge",
    "Ladder", "LearnedJudge", "LearningJudge", "NeuralJudge", "Part", "RakeJudge", "RakeSettings",
    "StatelessJudge", "TfidfJudge", "TopicPhrases", "VectorModel", "VectorModelJudge", "Verdicts", "build_judge",
    "check_topic", "chosen_classifier", "fitted_logistic", "idf_of", "kinds_of", "moved_by_answers", "next_questions",
    "trained_network",
]  # fmt: skip
