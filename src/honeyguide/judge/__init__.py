"""How relevant a page is to the topic, and what reward that earns.

A `Judge` reads the main words of a `Page` and gives a relevance from 0 to 1; `verdict_of` turns it into a verdict with
a threshold and a reward. The labels that grade a crawl never come here.
"""

from honeyguide.judge.embeddings import EmbeddingJudge
from honeyguide.judge.judge import Judge
from honeyguide.judge.keywords import KeywordJudge
from honeyguide.judge.reward import Reward, verdict_of

__all__ = ["EmbeddingJudge", "Judge", "KeywordJudge", "Reward", "verdict_of"]
