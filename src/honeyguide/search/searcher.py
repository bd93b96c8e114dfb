"""Searching one run or several together.

A page's score is the weighted mean of what is known of it, each part a number from 0 to 1:

    score = (w_text text + w_rank rank + w_topic topic [+ w_meaning meaning]) / (sum of these weights)

`text` is BM25 over title and text, as a share of the most that any page could have for this query (`matching`), `rank`
is PageRank, scaled, `topic` the judge's relevance, and `meaning`, in a semantic search, the cosine of the page's vector
with the query's, 0 where that is negative. Tantivy gives pages in order of text, and the first few thousand are scored
(`choosing`). A semantic search scores every page that has a word of the query or a vector within a right angle.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypedDict

import numpy as np
from tantivy import Query

from honeyguide.errors import InvalidUrl, QueryError, SettingsError, StoreError, VectorsError
from honeyguide.model import Url
from honeyguide.runs import Run, open_run, refuse_strange
from honeyguide.runs.fields import FieldCondition
from honeyguide.runs.ranking import scaled_page_ranks
from honeyguide.search.choosing import choose, count_hidden
from honeyguide.search.facets import count_facets
from honeyguide.search.filters import hiding_filters, read_blocked_words, trap_steps
from honeyguide.search.index_files import load_arrays, reporting_damage, save_arrays
from honeyguide.search.indexing import open_indexes
from honeyguide.search.matching import unmarked
from honeyguide.search.page_index import FOLDER, PAGES
from honeyguide.search.page_table import StepKeys
from honeyguide.search.query import all_words, host_name, parse_query, span
from honeyguide.search.results import SearchResults, make_hits
from honeyguide.search.shard import Nearness, PageFilter, Shard, ShardQuery, Weights, group_together
from honeyguide.search.spelling import SLIP, Speller, is_spelled
from honeyguide.settings import with_overrides
from honeyguide.settings.checks import range_mistakes
from honeyguide.settings.sections import SearchSettings
from honeyguide.text import WORD, WordVectors, open_vectors, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from types import TracebackType
    from typing import Self, TypeAlias, Unpack

    from numpy.typing import NDArray

    from honeyguide.runs import Progress
    from honeyguide.search.matching import Matcher
    from honeyguide.search.query import Moment, Node
    from honeyguide.settings import Settings

    Runs: TypeAlias = "Run | Path | str | Sequence[Run | Path | str]"


_RANKS_FILE: Final = "ranks.npz"
_GROWTH: Final = 1.1
"""Ranks of a run that goes on are computed again when it has grown by this factor."""


class SavedRanks(NamedTuple):
    """`scaled_page_ranks` of a run, and the number of its steps then."""

    step: int
    values: NDArray[np.float32]

    def are_enough(self, progress: Progress) -> bool:
        grows = not progress.stop_reason and self.step <= progress.steps <= self.step * _GROWTH
        return self.step == progress.steps or grows


def saved_page_ranks(run: Run, folder: Path, known: SavedRanks | None = None, *, may_write: bool) -> SavedRanks:
    """Return ranks of a run: those known, or those saved beside the index. May be shorter than the run."""
    progress = run.progress
    if known is not None and known.are_enough(progress):
        return known
    saved = load_arrays(folder / _RANKS_FILE)
    if saved is not None and saved.keys() == {"step", "values"}:
        known = SavedRanks(int(saved["step"]), saved["values"])
        if known.are_enough(progress):
            return known
    known = SavedRanks(progress.steps, scaled_page_ranks(run))
    if may_write:
        save_arrays(folder / _RANKS_FILE, step=np.array(known.step), values=known.values)
    return known


LIKE_TERMS: Final = 25
LAST_PAGE: Final = 1_000_000_000
WORDS_KNOWN: Final = 100_000


SEARCH_SETTINGS: Final = frozenset(
    f"search.{field.name}"
    for field in dataclasses.fields(SearchSettings)
    if field.name not in ("live", "commit_every", "language")  # which are about making the index
)
"""Settings that a search may override."""


class Question(TypedDict, total=False):
    """Options of a search besides the query; see `Searcher.search`."""

    like: str
    hosts: Sequence[str] | str
    since: Moment
    until: Moment
    relevant_only: bool
    semantic: bool
    page: int
    per_page: int
    show_all: bool
    facets: bool
    where: Sequence[str]


class Searcher:
    """Runs opened to be searched, as they were when they were opened or last refreshed. Close it.

    For one thread at a time.
    """

    def __init__(
        self,
        runs: Runs,
        overrides: Mapping[str, Any] | None = None,
        on_progress: Callable[[int, int], None] = lambda *_: None,
        *,
        trust: bool = False,
    ) -> None:
        """Open runs and bring their indexes up to date, of which `on_progress` hears.

        A run that is named twice is searched once. `overrides` are settings of the search by dotted key, over those of
        the first run. A run that was not made here may name a list of blocked words or vectors only with `trust`.
        StoreError for what is no run, SettingsError for a bad setting, QueryError for a list of blocked
        words that cannot be read.
        """
        given = [runs] if isinstance(runs, Run | Path | str) else list(runs)
        if not given:
            raise QueryError("there is no run to search: name one")
        self._opened = ExitStack()
        self._is_closed = False
        self._shards: list[Shard] = []
        self._on_progress = on_progress
        self._is_trusted = trust
        self._ranks: dict[Path, SavedRanks] = {}
        self._vectors_by_place: dict[tuple[str, Path], WordVectors] = {}
        try:
            self._runs = self._opened_once(given)
            self.settings = _checked(self._runs[0].settings, overrides or {})
            self._refuse_strange(self._runs[0], "search.blocked_words", given=overrides or {})
            path = self.settings.search.blocked_words
            self._blocked = read_blocked_words(path) if path.strip() else ()
            self.refresh()
        except BaseException:
            self.close()
            raise

    def refresh(self) -> None:
        """Include what has been crawled since. StoreError where the searcher is closed."""
        self._check_open()
        self._close_shards()
        for run in self._runs:
            with reporting_damage(_index_folders(run)):
                self._shards += self._shards_of(run)
        self._are_grouped = False
        self._speller: Speller | None = None

    @property
    def pages(self) -> int:
        """How many pages are searched."""
        self._check_open()
        return sum(shard.pages for shard in self._shards)

    def search(
        self,
        query: str = "",
        *,
        like: str = "",
        hosts: Sequence[str] | str = (),
        since: Moment = None,
        until: Moment = None,
        relevant_only: bool = False,
        semantic: bool = False,
        page: int = 1,
        per_page: int = 10,
        show_all: bool = False,
        facets: bool = False,
        where: Sequence[str] = (),
    ) -> SearchResults:
        """Return the pages that match a query, or that are `like` the page with a URL, best first.

        `hosts`, one or several, stand for all hosts below them as well. `since` and `until` are about when a page was
        fetched, that moment or all of that day included: a datetime or a date, ISO 8601 text (UTC unless it says
        otherwise), or seconds of the crawl's clock. `semantic` finds pages by their vectors, too: all whose cosine with
        the query is above 0. `show_all` shows pages with the same text one by one. `facets` counts the pages
        that match by host and by period. `where` are conditions on fields, as in `price<100`. QueryError for a query
        or a condition that cannot be read, a URL that is not there, or a page of hits that cannot be; RunDamaged for an
        index that was damaged since it was opened; StoreError after `close`.
        """
        self._check_open()
        check_question(
            query, like=like, hosts=hosts, since=since, until=until, page=page, per_page=per_page, where=where
        )
        with reporting_damage([folder for run in self._runs for folder in _index_folders(run)]):
            if not self._are_grouped:
                group_together(self._shards)
                self._are_grouped = True
            weights = self._weights(semantic=semantic)
            terms: set[str] = set()
            node = None if like else parse_query(query)
            if node is not None:
                queries = self._queries(node, terms, semantic=semantic)
            else:
                like = _canonical(like)
                queries = self._queries_like(like, terms, semantic=semantic)
            conditions = tuple(map(FieldCondition.parse, where))
            wanted = PageFilter(_host_names(hosts), *span(since, until), relevant_only, like, conditions)
            collapses = self.settings.search.collapse and not show_all
            chosen = choose(queries, wanted, weights, page * per_page, collapses=collapses)
            hidden, hidden_by = count_hidden(queries, wanted)
            return SearchResults(
                query=query or like,
                total=chosen.total,
                hits=make_hits(chosen.choices[(page - 1) * per_page : page * per_page], terms),
                page=page,
                per_page=per_page,
                pages_searched=self.pages,
                hidden=hidden,
                hidden_by=hidden_by,
                suggestion=None if node is None else self._suggestion(query, node, chosen.total),
                facets=count_facets(queries, wanted) if facets else None,
            )

    def close(self) -> None:
        """Close the indexes, and the runs that were opened here; may be called twice."""
        self._is_closed = True
        self._close_shards()
        self._opened.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError("this searcher is closed: open the runs with another")

    def _close_shards(self) -> None:
        for shard in self._shards:
            shard.index.close()
        self._shards = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _opened_once(self, given: Sequence[Run | Path | str]) -> list[Run]:
        """Open the runs; one that is named twice, in whatever way, is one."""
        by_folder: dict[Path, Run] = {}
        for each in given:
            folder = (each.path if isinstance(each, Run) else Path(each)).resolve()
            if folder not in by_folder:
                run = each if isinstance(each, Run) else self._opened.enter_context(open_run(each))
                if not run.is_newest:
                    raise StoreError(f"{run.name}: only the newest state of a run can be searched; name {run.path}")
                by_folder[folder] = run
        return list(by_folder.values())

    def _shards_of(self, run: Run) -> list[Shard]:
        indexes = open_indexes(run, self._on_progress)
        ranks = np.empty(0, dtype=np.float32)
        if self.settings.search.rank_weight > 0:
            known = self._ranks.get(run.path)
            known = self._ranks[run.path] = saved_page_ranks(
                run, run.path / FOLDER, known, may_write=indexes.is_written
            )
            ranks = known.values
        traps = trap_steps(run) if self.settings.search.hide_traps else []
        judged = run.judged_steps() if any(run.answers()) else None
        numbers = StepKeys.of(run)
        return [
            Shard(
                run=run,
                index=part.index,
                searcher=part.searcher,
                numbers=numbers,
                rank_by_step=ranks,
                is_in_folder=number == 0 and indexes.is_stored,
                may_write=indexes.is_written,
                hiding=hiding_filters(part.index, self.settings.search, numbers.keys(traps), self._blocked),
                judged=judged,
            )
            for number, part in enumerate(indexes.parts)
        ]

    def _weights(self, *, semantic: bool) -> Weights:
        search = self.settings.search
        by_part = [search.text_weight, search.rank_weight, search.topic_weight]
        by_part += [search.meaning_weight] if semantic else []
        most = max(by_part)
        if most <= 0:
            raise QueryError("all weights are 0: give one of search.text_weight, rank_weight and topic_weight")
        return Weights(*(weight / most for weight in by_part))

    def _queries(self, node: Node, terms: set[str], *, semantic: bool) -> list[ShardQuery]:
        words = words_of(" ".join(each.text for each in all_words(node) if each.field != "host"))
        nearness = self._nearness(words) if semantic else itertools.repeat(None)
        queries = []
        for shard, near in zip(self._shards, nearness, strict=False):
            matcher = self._matcher(shard)
            match = matcher.match(node, words_are_optional=semantic)
            queries.append(ShardQuery(shard, match, near, matcher.optional, matcher.decides))
            terms |= matcher.terms
        if not terms and all(each.match.query is None for each in queries):
            shown = " ".join(words.text for words in all_words(node))
            shown = shown if len(shown) <= 80 else f"{shown[:79]}…"
            raise QueryError(f"the query {shown!r} has no word that can be looked for")
        return queries

    def _queries_like(self, url: str, terms: set[str], *, semantic: bool) -> list[ShardQuery]:
        text = self._text_of(url)
        nearness = self._nearness(words_of(unmarked(text))) if semantic else itertools.repeat(None)
        typical = self._typical_terms(text)
        terms |= set(typical)
        queries = []
        for shard, near in zip(self._shards, nearness, strict=False):
            matcher = self._matcher(shard)
            match = matcher.any_of(typical, words_are_optional=semantic)
            queries.append(ShardQuery(shard, match, near, matcher.optional, matcher.decides))
        return queries

    def _matcher(self, shard: Shard) -> Matcher:
        search = self.settings.search
        return shard.matcher({"title": search.title_boost}, needs_all=search.match == "all")

    def _text_of(self, url: str) -> str:
        for shard in self._shards:
            query = Query.term_query(shard.index.schema, "url", url)
            for _, address in shard.searcher.search(query, 1).hits:
                document = shard.searcher.doc(address)
                return f"{document.get_first('title')} {document.get_first('text')}"
        raise QueryError(f"no page {url} is among the {self.pages:,} searched; give a URL that a hit has")

    def _typical_terms(self, text: str) -> list[str]:
        """Return the terms of a text with the highest tf-idf, over all shards."""
        counts = Counter(self._shards[0].index.analyzer.analyze(text))
        pages = self.pages
        worth = {}
        for term, count in counts.items():
            having = sum(shard.searcher.doc_freq("text", term) for shard in self._shards)
            if having:
                worth[term] = count * np.log1p(pages / having)
        return sorted(worth, key=lambda term: (-worth[term], term))[:LIKE_TERMS]

    def _nearness(self, words: list[str]) -> list[Nearness]:
        """Return by shard how near its pages are to some words, each by the vectors of its run."""
        vectors = [self._vectors_of(shard.run) for shard in self._shards]
        directions = [each.vector(words) for each in vectors]
        if not any(direction.any() for direction in directions):
            raise QueryError("no word of the query has a vector: use other words, or do not search by meaning")
        return [
            Nearness(shard.vectors(each), direction)
            for shard, each, direction in zip(self._shards, vectors, directions, strict=True)
        ]

    def _vectors_of(self, run: Run) -> WordVectors:
        """Return the word vectors that a run began with: those saved beside its index are made from them."""
        chosen = run.settings.chosen_vectors
        self._refuse_strange(run, "vectors.source", "vectors.cache_folder", "judge.language")
        place = (chosen.source, chosen.cache_path)
        if place not in self._vectors_by_place:
            self._vectors_by_place[place] = WordVectors(open_vectors(*place))
        vectors = self._vectors_by_place[place]
        if chosen.digest and vectors.digest and vectors.digest != chosen.digest:
            raise VectorsError(
                f"the vectors of {chosen.source} are not those that {run.path} began with: put the old ones back, or "
                "empty vectors.digest in its settings.toml to search with these"
            )
        return vectors

    def _refuse_strange(self, run: Run, *keys: str, given: Collection[str] = ()) -> None:
        if not self._is_trusted:
            refuse_strange(run.path, run.settings, given, keys)

    def _suggestion(self, query: str, node: Node, total: int) -> str | None:
        """Correct the words of a query that no page has, or whose neighbours far more pages have."""
        places = [
            (words.start + found.start(), words.start + found.end())
            for words in all_words(node)
            if words.field != "host"
            for found in WORD.finditer(query[words.start : words.end])
        ]
        most = 0 if total else self.pages / SLIP  # on more pages, no other word can be worth more
        suggested = query
        for start, end in reversed(places):
            word = query[start:end].lower()
            if self.pages and is_spelled(word) and self._pages_with(word) <= most:
                meant = self._spelling().suggestion(word) or query[start:end]
                suggested = f"{suggested[:start]}{meant}{suggested[end:]}"
        return suggested if suggested != query else None

    def _pages_with(self, word: str) -> int:
        return sum(shard.searcher.doc_freq("vocabulary", word) for shard in self._shards)

    def _spelling(self) -> Speller:
        if self._speller is None:
            pages_by_word: Counter[str] = Counter()
            for shard in self._shards:
                pages_by_word.update(dict(shard.searcher.terms_with_prefix("vocabulary", "", limit=WORDS_KNOWN)))
            self._speller = Speller(pages_by_word.items())
        return self._speller


def search_runs(
    runs: Runs,
    query: str = "",
    overrides: Mapping[str, Any] | None = None,
    on_progress: Callable[[int, int], None] = lambda *_: None,
    **question: Unpack[Question],
) -> SearchResults:
    """Search one run or several together, once; see `Searcher` for the options, and for searching more than once."""
    check_question(query, **question)
    with Searcher(runs, overrides, on_progress) as searcher:
        return searcher.search(query, **question)


def check_question(query: str = "", **question: Unpack[Question]) -> None:
    """QueryError for a search that no run can answer, before one is opened."""
    for name, text in (("query", query), ("like", question.get("like", ""))):
        if not isinstance(text, str):
            raise QueryError(f"{name} is {text!r}: give text")
    page, per_page = question.get("page", 1), question.get("per_page", 10)
    if not (_is_from_1_to(LAST_PAGE, page) and _is_from_1_to(1000, per_page)):
        raise QueryError(
            f"page {page!r} of {per_page!r} hits: pages count from 1 to {LAST_PAGE:,} and have 1 to 1000 hits"
        )
    if not question.get("like"):
        parse_query(query)
    elif query.strip():
        raise QueryError("a query and a page to compare with are given: leave one of them out")
    span(question.get("since"), question.get("until"))
    _host_names(question.get("hosts", ()))
    for text in question.get("where", ()):
        FieldCondition.parse(text)


def _is_from_1_to(last: int, number: object) -> bool:
    return isinstance(number, int) and 1 <= number <= last


def _host_names(hosts: Sequence[str] | str) -> tuple[str, ...]:
    given = [hosts] if isinstance(hosts, str) else hosts
    if not isinstance(given, Sequence) or not all(isinstance(host, str) for host in given):
        raise QueryError(f"hosts is {hosts!r}: give a list of names, as in ['example.org']")
    return tuple(map(host_name, given))


def _index_folders(run: Run) -> list[Path]:
    """Return tantivy's folders of a run."""
    return [folder / FOLDER / PAGES for folder in run.shards() or [run.path]]


def _canonical(url: str) -> str:
    try:
        return Url.parse(url.strip()).text
    except InvalidUrl as error:
        raise QueryError(str(error)) from None


def _checked(settings: Settings, overrides: Mapping[str, Any]) -> Settings:
    chosen = with_overrides(settings, overrides)
    mistakes = [
        f"{key} is no setting of a search: choose one of {', '.join(sorted(SEARCH_SETTINGS))}"
        for key in overrides
        if key not in SEARCH_SETTINGS
    ]
    # Only what a search uses: the strategy or judge of the run may no longer be installed.
    mistakes += range_mistakes(chosen, sorted(SEARCH_SETTINGS))
    if mistakes:
        raise SettingsError(mistakes)
    return chosen
