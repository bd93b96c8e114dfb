"""The sections of settings for how pages are judged, who is asked about them, and by which vectors they are read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from honeyguide.registry import JUDGES
from honeyguide.settings.declaring import setting

LANGUAGES: Final = (
    "english", "german", "french", "spanish", "italian", "portuguese", "dutch", "arabic", "armenian", "basque",
    "catalan", "czech", "danish", "esperanto", "estonian", "finnish", "greek", "hungarian", "indonesian", "irish",
    "lithuanian", "norwegian", "persian", "polish", "romanian", "russian", "serbian", "sesotho", "swedish", "turkish",
    "yiddish",
)  # fmt: skip
# Rewards that have a value for each of several thresholds, and those that do not.
LADDER_REWARDS: Final = ("han2018", "pertejo-30-30-20", "pertejo-30-20-10", "pertejo-code")
REWARDS: Final = ("score", "hit", "pertejo-cosine", *LADDER_REWARDS, "lim2016")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """How a page's relevance is judged and rewarded. Settings of one judge alone stand beside its class."""

    kind: str = setting("learned", "how relevance is measured", choices=JUDGES, everyday=True)
    threshold: float = setting(
        0.0, "relevance that makes a page relevant; 0 takes the judge's own", at_least=0, at_most=1, everyday=True
    )
    relevant_when: str = setting(
        "threshold",
        "what makes a page relevant: its relevance, or a topic word in its main text",
        choices=("threshold", "word"),
    )
    stemming: bool = setting(
        default=False,
        meaning="whether rock and rocks are one word to the keyword judge, to relevant_when = word and to the ladders",
    )
    language: str = setting("english", "whose stems and stop words are used", choices=LANGUAGES, everyday=True)
    reward: str = setting("score", "what a judged page earns the strategy", choices=REWARDS, everyday=True)
    reward_values: tuple[float, ...] = setting(
        (), "a ladder's own four values: with a topic word, above each threshold, otherwise; empty takes the paper's"
    )
    digest: str = setting(
        "", "of the files of idf and classifier a run began with, filled in by the program; empty is not checked"
    )


@dataclass(frozen=True, slots=True)
class AskSettings:
    """Questions about pages while the crawl goes on, and who answers them."""

    questions: int = setting(
        0,
        "questions to ask at most; 0 asks none, but 10 where a model answers",
        at_least=0,
        at_most=10_000,
        everyday=True,
    )
    model: str = setting("", "language model that answers; empty asks you, in the terminal", everyday=True)
    url: str = setting(
        "", "OpenAI-compatible server that has the model; empty for http://localhost:11434/v1", everyday=True
    )
    timeout_s: float = setting(30.0, "seconds to wait for a model's answer before the page is skipped", above=0)
    answers: str = setting(
        "",
        "a run, or a CSV file with columns url and answer, whose answers are taken over",
        names_file=lambda value: bool(value.strip()),
        everyday=True,
    )

    @property
    def limit(self) -> int:
        """The number of questions to ask at most."""
        return self.questions or (10 if self.model else 0)

    @property
    def server(self) -> str:
        """The address of the model's server; by default that of Ollama on this machine."""
        return (self.url or "http://localhost:11434/v1").rstrip("/")

    @property
    def key(self) -> str:
        """The key that the model's server wants: from the environment, so that no run ever keeps it."""
        return os.environ.get("HONEYGUIDE_ASK_KEY", "")


BUNDLED_VECTORS: Final = ("bundled", "english", "wordllama")


@dataclass(frozen=True, slots=True)
class VectorSettings:
    """Where the vectors of words come from."""

    source: str = setting(
        "bundled",
        "english, wordllama, bundled for the one that suits judge.language, or a GloVe, word2vec or fastText .vec file",
        names_file=lambda value: bool(value.strip()) and value not in BUNDLED_VECTORS,
        everyday=True,
    )
    encoder: str = setting(
        "",
        "minilm, or a folder with a sentence encoder that also reads pages and links; empty takes none",
        names_file=lambda value: bool(value.strip()) and value != "minilm",
        everyday=True,
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
