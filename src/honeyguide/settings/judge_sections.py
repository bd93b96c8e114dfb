"""The parts of a combined judge, as a user writes them: `embedding:2` is the embedding judge with weight 2.

How relevance is measured and rewarded, and where the vectors of words come from.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from honeyguide.settings.declaring import setting

# Weights far from 1 say no more, and beyond what a float holds their mean is lost.
SMALLEST_WEIGHT: Final = 1e-6
LARGEST_WEIGHT: Final = 1e6


def judge_part(text: str) -> tuple[str, float]:
    """The kind of judge and its weight, 1 where none is written; ValueError says in words what is wrong."""
    kind, colon, written = text.partition(":")
    if kind == "combined":
        raise ValueError("a combined judge has no combined parts")
    if kind not in JUDGES:
        raise ValueError(f"choose one of {', '.join(name for name in JUDGES if name != 'combined')}")
    try:
        weight = float(written) if colon else 1.0
    except ValueError:
        weight = math.nan
    if not SMALLEST_WEIGHT <= weight <= LARGEST_WEIGHT:
        raise ValueError("a weight is a number from 0.000001 to 1000000, as in embedding:2")
    return kind, weight


JUDGES: Final = ("keyword", "tfidf", "embedding", "embedding-tfidf", "rake", "classifier", "neural", "combined")
LANGUAGES: Final = ("english", "german", "french", "spanish", "italian", "portuguese", "dutch")
RAKE_SCORES: Final = ("words", "phrases")
RELEVANT_WHEN: Final = ("threshold", "word")
# Rewards that have a value for each of several thresholds, and those that do not.
LADDER_REWARDS: Final = ("han2018", "pertejo-30-30-20", "pertejo-30-20-10", "pertejo-code")
REWARDS: Final = ("score", "hit", "pertejo-cosine", *LADDER_REWARDS, "lim2016")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How a page's relevance is judged."""

    kind: str = setting("embedding", "how relevance is measured", choices=JUDGES)
    threshold: float = setting(
        0.0, "relevance that makes a page relevant; 0 takes the judge's own", at_least=0, at_most=1
    )
    relevant_when: str = setting(
        "threshold",
        "what makes a page relevant: its relevance, or a topic word in its main text",
        choices=RELEVANT_WHEN,
    )
    stemming: bool = setting(
        default=False,
        meaning="whether rock and rocks are one word to the keyword judge, to relevant_when = word and to the ladders",
    )
    language: str = setting("english", "whose stems and stop words are used", choices=LANGUAGES)
    idf: str = setting(
        "seen", "where idf comes from: seen, the pages crawled so far, or a file that holds a reference collection"
    )
    rake_score: str = setting(
        "words",
        "how RAKE scores keywords: by their words (Rose), or by the candidates that use them (Lim)",
        choices=RAKE_SCORES,
    )
    rake_keywords: int = setting(0, "how many of a page's best keywords rake looks at; 0 is all", at_least=0)
    lower: float = setting(
        2 / 3, "similarity from which on a keyword counts for rake, and a word for specific", at_least=0, at_most=1
    )
    upper: float = setting(
        1.0, "similarity at which a keyword is too near to count; 1 is no such bound", above=0, at_most=1
    )
    specific: bool = setting(
        default=False, meaning="whether a keyword must be as specific as the phrase it counts for, to rake"
    )
    classifier: str = setting(
        "",
        "a classifier of one's own over main texts, module:attribute or a .joblib file; empty learns from the examples",
    )
    digest: str = setting(
        "", "of the files of idf and classifier a run began with, filled in by the program; empty is not checked"
    )
    parts: tuple[str, ...] = setting((), "the judges that combined asks, with weights, as in embedding:2 and tfidf:1")
    reward: str = setting("score", "what a judged page earns the strategy", choices=REWARDS)
    reward_values: tuple[float, ...] = setting(
        (), "a ladder's own values: with a topic word, above each threshold in turn, otherwise; empty takes the paper's"
    )
    reward_thresholds: tuple[float, ...] = setting(
        (), "a ladder's own thresholds of the cosine with the topic, falling; empty takes the paper's"
    )


@dataclass(frozen=True, slots=True)
class VectorSettings:
    """Where the vectors of words come from."""

    source: str = setting(
        "wordllama", "wordllama for those that come with the program, or a GloVe, word2vec or fastText .vec file"
    )
    cache_folder: str = setting(
        "", "where files of vectors are kept converted; empty takes honeyguide/vectors in the user's cache folder"
    )
    digest: str = setting(
        "", "of the vectors a run began with, filled in by the program: it goes on with no others; empty is not checked"
    )

    @property
    def cache_path(self) -> Path:
        """The folder of the cache, where `cache_folder` names none: `$XDG_CACHE_HOME` or `~/.cache` decides."""
        if self.cache_folder:
            return Path(self.cache_folder).expanduser()
        users = os.environ.get("XDG_CACHE_HOME", "")
        # By its own specification, a relative path in the variable counts for nothing.
        return (Path(users) if users.startswith("/") else Path("~/.cache").expanduser()) / "honeyguide" / "vectors"
