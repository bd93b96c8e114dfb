"""What a run keeps, and how it is searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from honeyguide.settings.declaring import setting
from honeyguide.settings.judge_tables import LANGUAGES

ARCHIVES: Final = ("store", "warc", "none")
INDEX_LANGUAGES: Final = (
    "judge", "none", *LANGUAGES, "arabic", "danish", "finnish", "greek", "hungarian", "norwegian", "romanian",
    "russian", "swedish", "tamil", "turkish",
)  # fmt: skip
INDEXED_LIVE: Final = ("auto", "on", "off")
MOST_WEIGHT: Final = 1000


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """What a run folder keeps."""

    archive: str = setting(
        "store",
        "where bodies are kept: in the store, packed; as WARC files with everything else that was answered; nowhere",
        choices=ARCHIVES,
    )
    archive_file_megabytes: float = setting(1000.0, "megabytes after which a new WARC file is begun", above=0)
    snapshot_every: int = setting(200, "steps between two snapshots of the learner", at_least=1)


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The full-text index of a run, how its pages are ordered for a query, and which of them are left out."""

    live: str = setting(
        "auto",
        "whether pages go into the index while they are crawled: on, off, or auto, where pages come over HTTP",
        choices=INDEXED_LIVE,
    )
    commit_every: int = setting(500, "pages after which those in the index are made safe and found", at_least=1)
    language: str = setting(
        "judge", "whose stems the index knows; judge takes judge.language, none keeps words as they are",
        choices=INDEX_LANGUAGES,
    )  # fmt: skip
    match: str = setting("all", "whether a page must have all words of a query or any", choices=("all", "any"))
    text_weight: float = setting(
        1.0, "how much the words of the page count for its place", at_least=0, at_most=MOST_WEIGHT
    )
    rank_weight: float = setting(0.1, "how much the links to it count (PageRank)", at_least=0, at_most=MOST_WEIGHT)
    topic_weight: float = setting(
        0.2, "how much its relevance to the run's topic counts", at_least=0, at_most=MOST_WEIGHT
    )
    meaning_weight: float = setting(
        1.0, "how much its vector counts, in a semantic search", at_least=0, at_most=MOST_WEIGHT
    )
    title_boost: float = setting(
        1.0, "times that a word in the title counts as much as one in the text", at_least=0, at_most=MOST_WEIGHT
    )
    collapse: bool = setting(default=True, meaning="whether pages with the same text, or nearly so, are shown as one")
    hide_traps: bool = setting(
        default=False, meaning="whether pages are left out that the guard took for a trap, relevant ones too"
    )
    min_quality: float = setting(
        0.0, "quality of the text below which a page is left out; 0 leaves out none", at_least=0, at_most=1
    )
    blocked_words: str = setting(
        "", "a file of words and phrases, one a line: pages that have one of them are left out; empty for none"
    )
