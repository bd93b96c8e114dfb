"""What a search gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from honeyguide.search.snippets import Snippet


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """What a score is made of, each from 0 to 1."""

    text: float  # how well the words match: BM25 over the most that a page could have
    rank: float  # PageRank, as `ranks` scales it
    topic: float  # relevance to the run's topic
    meaning: float = 0.0  # cosine with the query, in a semantic search


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found."""

    url: str
    title: str
    score: float
    snippet: Snippet
    run: Path
    step: int
    fetched_at: float  # on the crawl's clock: Unix time where it was live
    relevance: float
    is_relevant: bool
    parts: ScoreParts
    duplicates: tuple[str, ...] = ()  # pages with the same text that are not shown


@dataclass(frozen=True, slots=True)
class SearchResults:
    """One page of hits, best first; of equal ones, the more relevant, then by URL."""

    query: str
    total: int  # hits on all pages of hits together
    hits: tuple[Hit, ...]
    page: int
    per_page: int
    pages_searched: int
    hidden: int = 0  # pages that match and were left out by a setting
    hidden_by: Mapping[str, int] = field(default_factory=dict)  # the same by setting; a page may be left out by several
    is_total_exact: bool = True  # or there may be fewer: too many match for equal pages to be told apart
    suggestion: str | None = None  # the query as it was probably meant
