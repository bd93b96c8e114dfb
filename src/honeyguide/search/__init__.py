"""Full-text search over runs: the index, the query engine, and what is left out of its results.

Pages go into an index in the run folder (`page_index`), while they are crawled (`live`) or when somebody searches
(`catching_up`). A query is read into a tree (`query`), which each index turns into what it looks up (`matching`,
`shard`); a `Searcher` blends what it finds with PageRank (`ranks`), topic and, if asked, vectors (`meanings`), shows
pages with the same text once, and says what was found where (`snippets`) and what was perhaps meant (`spelling`).
The index is derived: it may be deleted at any time. Tantivy is imported here and nowhere else.
"""

from honeyguide.runs import Snippet
from honeyguide.search.results import Hit, ScoreParts, SearchResults
from honeyguide.search.searcher import Question, Searcher, check_question, search_runs

__all__ = [
    "Hit",
    "Question",
    "ScoreParts",
    "SearchResults",
    "Searcher",
    "Snippet",
    "check_question",
    "search_runs",
]
