"""The results of a search, made from the pages that were chosen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from honeyguide.runs.snippets import Snippet, SnippetMaker
from honeyguide.search.matching import unmarked

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from honeyguide.model import FieldValue
    from honeyguide.search.choosing import ChosenPage
    from honeyguide.search.facets import FacetCounts
    from honeyguide.search.shard import FoundPages

MOST_DUPLICATES: Final = 20


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """The parts of a score, each from 0 to 1."""

    text: float  # how well the words match: BM25 over the most that a page could have
    rank: float  # PageRank, scaled
    topic: float  # relevance to the run's topic
    meaning: float = 0.0  # cosine with the query, in a semantic search


@dataclass(frozen=True, slots=True)
class SearchHit:
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
    fields: Mapping[str, FieldValue] = field(default_factory=dict)  # by name


@dataclass(frozen=True, slots=True)
class SearchResults:
    """One page of hits, best first; of equal ones, the more relevant, then by URL."""

    query: str
    total: int  # hits on all pages of hits together
    hits: tuple[SearchHit, ...]
    page: int
    per_page: int
    pages_searched: int
    hidden: int = 0  # pages that match and were left out by a setting
    hidden_by: Mapping[str, int] = field(default_factory=dict)  # the same by setting; a page may be left out by several
    suggestion: str | None = None  # the query as it was probably meant
    facets: FacetCounts | None = None  # where they were asked for


def make_hits(choices: Sequence[ChosenPage], terms: Collection[str]) -> tuple[SearchHit, ...]:
    """Return the chosen pages with snippets that show these terms of the index."""
    makers: dict[str, SnippetMaker] = {}
    return tuple(_hit(choice, terms, makers) for choice in choices)


def _hit(choice: ChosenPage, terms: Collection[str], makers: dict[str, SnippetMaker]) -> SearchHit:
    found, shard = choice.found, choice.found.shard
    row = int(found.rows[choice.row])
    document = shard.searcher.doc(found.address(choice.row))
    language = shard.index.language
    if language not in makers:
        makers[language] = SnippetMaker(terms, shard.index.analyzer.analyze)
    return SearchHit(
        url=str(document.get_first("url")),
        title=unmarked(str(document.get_first("title"))),
        score=choice.score,
        snippet=makers[language].of(str(document.get_first("text"))),
        run=shard.run.path,
        step=int(shard.table.steps[row]),
        fetched_at=float(shard.table.fetched_at[row]),
        relevance=float(shard.topics[row]),
        is_relevant=shard.is_relevant(row),
        parts=ScoreParts(
            text=round(float(found.text[choice.row]), 6),
            rank=round(float(shard.ranks[row]), 6),
            topic=round(float(shard.topics[row]), 6),
            meaning=round(max(0.0, float(found.meaning[choice.row])), 6),
        ),
        duplicates=tuple(_url(*each) for each in choice.same[:MOST_DUPLICATES]),
        fields=shard.run.fields_of(int(shard.table.steps[row])),
    )


def _url(found: FoundPages, row: int) -> str:
    return str(found.shard.searcher.doc(found.address(row)).get_first("url"))
