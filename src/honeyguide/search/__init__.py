"""Full-text search over runs.

Pages go into an index in the run folder (`page_index`), while they are crawled or when somebody searches (`indexing`).
A query is parsed into a tree (`query`), which each index turns into what it looks up (`matching`, `shard`). A
`Searcher` blends what it finds with PageRank, topic and, if asked, vectors, shows pages with the same text once
(`choosing`), leaves out what settings ask it to (`filters`), and suggests what was perhaps meant (`spelling`). The
index is derived: it may be deleted at any time. Tantivy is imported here and nowhere else.
"""

from honeyguide.runs import Snippet
from honeyguide.search.facets import FacetCounts, HostCount, PeriodCount
from honeyguide.search.results import ScoreParts, SearchHit, SearchResults
from honeyguide.search.searcher import Question, Searcher, check_question, search_runs

__all__ = [
    "FacetCounts",
    "HostCount",
    "PeriodCount",
    "Question",
    "ScoreParts",
    "SearchHit",
    "SearchResults",
    "Searcher",
    "Snippet",
    "check_question",
    "search_runs",
]
