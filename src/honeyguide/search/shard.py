"""One index among those that are searched together, the vectors of its pages, and a query against it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import tantivy
from tantivy import FieldType, Occur, Query

from honeyguide.search.index_files import load_arrays, save_arrays
from honeyguide.search.matching import Matcher, host_query, schema, unmarked
from honeyguide.search.page_index import FOLDER
from honeyguide.search.page_table import PageGroups, PageTable, StepKeys, same_addresses, same_texts
from honeyguide.text import unit, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.runs import Run
    from honeyguide.runs.fields import FieldCondition
    from honeyguide.search.matching import TextMatch
    from honeyguide.search.page_index import PageIndex
    from honeyguide.text import WordVectors

    Clause = tuple[Occur, tantivy.Query]
    Scored = tuple[float, tantivy.DocAddress]
    NamedFilter = tuple[str, Clause]  # a setting, and what it lets through

_VECTORS_FILE: Final = "meanings.npz"
_ROWS_AT_ONCE: Final = 512  # turned to single precision at a time: more do not fit into a processor's cache
_LARGEST_ENTRY: Final = 127
_STEPS_AT_ONCE: Final = 1 << 17  # pages that are read at a time to be counted
_FEW: Final = 0.1  # share of the pages of an index up to which they are named one by one in a query
_COLUMNS: Final = ("steps", "entries", "scales")
_DIGITS: Final = 6  # of a score: sums in another order must not change the order of pages


@dataclass(frozen=True, slots=True, eq=False)
class PageVectors:
    """Vectors of pages by key, which rises: `text.WordRows.text_vector` at length 1, each entry in 8 bits.

    They are made when somebody first searches by meaning, from the text in the index, and later only for new pages.
    A cosine differs by less than 0.01 from that of the whole vector, and 50,000 take a millisecond or two.
    """

    steps: NDArray[np.int64]
    entries: NDArray[np.int8]
    scales: NDArray[np.float32]  # by page: the vector is its entries times this

    @classmethod
    def of(cls, steps: NDArray[np.int64], vectors: NDArray[np.float64]) -> PageVectors:
        """Round vectors to 8 bits."""
        scales = np.abs(vectors).max(axis=1, initial=0.0) / _LARGEST_ENTRY
        entries = np.rint(vectors / np.where(scales > 0, scales, 1.0)[:, None]).astype(np.int8)
        return cls(steps, entries, scales.astype(np.float32))

    def cosines(self, wanted: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the cosine of each page with a vector."""
        direction = unit(wanted).astype(np.float32)
        cosines = np.empty(len(self.steps), dtype=np.float32)
        for first in range(0, len(cosines), _ROWS_AT_ONCE):
            block = slice(first, first + _ROWS_AT_ONCE)
            cosines[block] = self.entries[block].astype(np.float32) @ direction
        cosines *= self.scales
        return cosines


class Nearness:
    """Cosines of the pages of a shard with what is asked for."""

    def __init__(self, vectors: PageVectors, wanted: NDArray[np.float64]) -> None:
        self._steps = vectors.steps
        self._cosines = vectors.cosines(wanted)

    def of(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosines of these pages; 0 for pages without a vector."""
        if not len(self._steps):
            return np.zeros(len(steps))
        if np.array_equal(self._steps, steps):
            return self._cosines.astype(np.float64)
        places = np.minimum(np.searchsorted(self._steps, steps), len(self._steps) - 1)
        return np.where(self._steps[places] == steps, self._cosines[places], 0.0).astype(np.float64)


def page_vectors(
    searcher: tantivy.Searcher, keys: NDArray[np.int64], words: WordVectors, folder: Path | None, *, may_write: bool
) -> PageVectors:
    """Return the vectors of all pages of an index, whose keys rise.

    `folder` is where they are saved, None for an index in memory.
    """
    saved = _load_vectors(folder, words) if folder is not None else None
    known = saved or PageVectors.of(np.empty(0, dtype=np.int64), np.empty((0, words.dimension)))
    added = _vectors_of(searcher, np.setdiff1d(keys, known.steps), words)
    if not len(added.steps):
        return known
    order = np.argsort(np.concatenate((known.steps, added.steps)))
    columns = {name: np.concatenate((getattr(known, name), getattr(added, name)))[order] for name in _COLUMNS}
    if folder is not None and may_write:
        save_arrays(folder / _VECTORS_FILE, digest=np.array(words.digest), **columns)
    return PageVectors(**columns)


def _vectors_of(searcher: tantivy.Searcher, keys: NDArray[np.int64], words: WordVectors) -> PageVectors:
    blocks = [PageVectors.of(np.empty(0, dtype=np.int64), np.empty((0, words.dimension)))]
    for first in range(0, len(keys), _ROWS_AT_ONCE):
        those = Query.term_set_query(schema(), "step", keys[first : first + _ROWS_AT_ONCE].tolist())
        some = searcher.search(those, _ROWS_AT_ONCE, order_by_field="step", order=tantivy.Order.Asc).hits
        documents = [searcher.doc(address) for _, address in some]
        texts = (unmarked(f"{each.get_first('title')} {each.get_first('text')}") for each in documents)
        rows = np.array([unit(words.vector(words_of(text))) for text in texts])
        blocks.append(PageVectors.of(np.array([number for number, _ in some], dtype=np.int64), rows))
    return PageVectors(**{name: np.concatenate([getattr(each, name) for each in blocks]) for name in _COLUMNS})


def _load_vectors(folder: Path, words: WordVectors) -> PageVectors | None:
    saved = load_arrays(folder / _VECTORS_FILE)
    if saved is None or saved.keys() != {"digest", *_COLUMNS}:
        return None
    is_ours = words.digest and str(saved["digest"]) == words.digest
    is_complete = (
        saved["entries"].shape == (len(saved["steps"]), words.dimension) == (len(saved["scales"]), words.dimension)
    )
    return PageVectors(*(saved[name] for name in _COLUMNS)) if is_ours and is_complete else None


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each part of a score counts."""

    text: float
    rank: float
    topic: float
    meaning: float = 0.0

    @property
    def total(self) -> float:
        return self.text + self.rank + self.topic + self.meaning


JudgedSteps: TypeAlias = "Mapping[int, tuple[float, bool]]"
"""By the step that brought a page: its relevance by the newest judgement, and whether it is relevant."""


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Conditions on pages besides the query."""

    hosts: tuple[str, ...] = ()
    since: float | None = None
    until: float | None = None  # inclusive
    relevant_only: bool = False
    excluded_url: str = ""
    where: tuple[FieldCondition, ...] = ()

    def clauses(
        self, schema: tantivy.Schema, run: Run, numbers: StepKeys, judged: JudgedSteps | None = None
    ) -> list[Clause]:
        """Return the conditions for tantivy; `judged` are newer judgements than those of the index."""
        clauses: list[Clause] = []
        if self.hosts:
            hosts = [(Occur.Should, host_query(schema, host)) for host in self.hosts]
            clauses.append((Occur.Must, Query.boolean_query(hosts)))
        if self.since is not None or self.until is not None:
            when = Query.range_query(schema, "fetched_at", FieldType.Float, self.since, self.until)
            clauses.append((Occur.Must, when))
        if self.relevant_only:
            relevant = Query.term_query(schema, "is_relevant", 1)
            if judged is not None:
                steps = (step for step, (_, is_relevant) in judged.items() if is_relevant)
                relevant = Query.term_set_query(schema, "step", numbers.keys(steps))
            clauses.append((Occur.Must, relevant))
        if self.excluded_url:
            clauses.append((Occur.MustNot, Query.term_query(schema, "url", self.excluded_url)))
        if self.where:
            keys = numbers.keys(run.steps_where(*self.where))
            clauses.append((Occur.Must, Query.term_set_query(schema, "step", keys)))
        return clauses


@dataclass(frozen=True, slots=True, eq=False)
class FoundPages:
    """Pages of one shard with the parts of their scores; where they are not all that match, the best by text first."""

    shard: Shard
    rows: NDArray[np.int64]  # of the shard's table
    addresses: Sequence[tantivy.DocAddress] | None  # of these, where they are known
    text: NDArray[np.float64]
    meaning: NDArray[np.float64]
    total: int  # pages that match

    @property
    def is_all(self) -> bool:
        """Whether these are all that match."""
        return len(self.rows) >= self.total

    @property
    def steps(self) -> NDArray[np.int64]:
        return self.shard.table.steps[self.rows]

    @property
    def rank(self) -> NDArray[np.float64]:
        return self.shard.ranks[self.rows]

    @property
    def topic(self) -> NDArray[np.float64]:
        return self.shard.topics[self.rows]

    def url_print(self, row: int) -> int:
        return int(self.shard.table.url_prints[self.rows[row]])

    def address(self, row: int) -> tantivy.DocAddress:
        """Return where the index has a page."""
        if self.addresses is not None:
            return self.addresses[row]
        key = int(self.shard.table.keys[self.rows[row]])
        query = Query.term_query(self.shard.index.schema, "step", key)
        ((_, address),) = self.shard.searcher.search(query, 1, count=False).hits
        return address

    def scores(self, weights: Weights) -> NDArray[np.float64]:
        """Return the score of each page."""
        score = weights.text * self.text + weights.rank * self.rank
        score += weights.topic * self.topic + weights.meaning * np.maximum(self.meaning, 0.0)
        rounded: NDArray[np.float64] = np.round(score / weights.total, _DIGITS)
        return rounded


@dataclass(eq=False)
class Shard:
    """An index of a run as it was when it was opened."""

    run: Run
    index: PageIndex
    searcher: tantivy.Searcher
    numbers: StepKeys
    rank_by_step: NDArray[np.float32]
    is_in_folder: bool  # or in memory
    may_write: bool
    hiding: tuple[NamedFilter, ...] = ()  # settings that leave pages out
    judged: JudgedSteps | None = None  # where answers have changed what the index says of relevance
    _groups: tuple[PageGroups, PageGroups] | None = None
    _vectors: PageVectors | None = None

    @property
    def pages(self) -> int:
        return self.searcher.num_docs

    @cached_property
    def table(self) -> PageTable:
        return PageTable.read(self.searcher, self.run, self.numbers)

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """PageRank by row."""
        steps, ranks = self.table.steps, np.zeros(len(self.table))
        is_ranked = steps < len(self.rank_by_step)
        ranks[is_ranked] = self.rank_by_step[steps[is_ranked]]
        return ranks

    @cached_property
    def topics(self) -> NDArray[np.float64]:
        """Relevance by row, by the newest judgement."""
        topics = self.table.relevance
        if self.judged is not None:
            known = zip(self.table.steps.tolist(), topics.tolist(), strict=True)
            topics = np.array([self.judged[step][0] if step in self.judged else old for step, old in known])
        return np.clip(topics, 0.0, 1.0)

    def groups(self, *, collapses: bool) -> PageGroups:
        """Return the groups that pages are shown in: with others that say the same, or of one address alone."""
        if self._groups is None:
            group_together([self])
        assert self._groups is not None
        return self._groups[collapses]

    def is_relevant(self, row: int) -> bool:
        """Whether a page is relevant by the newest judgement."""
        step = int(self.table.steps[row])
        known = self.judged is not None and step in self.judged
        return self.judged[step][1] if self.judged is not None and known else bool(self.table.is_relevant[row])

    def matcher(self, boosts: Mapping[str, float], *, needs_all: bool) -> Matcher:
        return Matcher(self.searcher, self.index.schema, self.index.analyzer, boosts, needs_all)

    def vectors(self, words: WordVectors) -> PageVectors:
        """Return the vectors of its pages, made where they are missing."""
        if self._vectors is None:
            folder = self.run.path / FOLDER if self.is_in_folder else None
            keys = self.table.keys[self.table.by_key]
            self._vectors = page_vectors(self.searcher, keys, words, folder, may_write=self.may_write)
        return self._vectors


@dataclass(frozen=True, slots=True, eq=False)
class ShardQuery:
    """A question as one shard understands it."""

    shard: Shard
    match: TextMatch
    nearness: Nearness | None = None  # for a search by meaning
    words: Sequence[tantivy.Query] = ()  # in such a search: those that only add to scores
    decides: bool = True  # in such a search: whether a phrase, a field or a sign decides which pages match

    def find(self, wanted: PageFilter, limit: int) -> FoundPages:
        """Return the first pages by text; in a search by meaning all that have a word or a near vector."""
        addresses, total = None, 0
        if self.nearness is not None:
            rows, scores, meaning = self._near(wanted, self.shard.hiding)
        else:
            hits, total = self._hits(self._query(wanted, self.shard.hiding), limit)
            rows, scores = self._rows_and_scores(hits)
            is_here = rows >= 0  # or a crawl has brought it since
            addresses = [address for (_, address), here in zip(hits, is_here.tolist(), strict=True) if here]
            rows, scores, total = rows[is_here], scores[is_here], total - int((~is_here).sum())
            meaning = np.zeros(len(rows))
        bound = self.match.bound
        text = np.minimum(scores / bound, 1.0) if bound else np.zeros(len(rows))
        return FoundPages(self.shard, rows, addresses, text, meaning, max(total, len(rows)))

    def hidden(self, wanted: PageFilter) -> dict[str, NDArray[np.int64]]:
        """Return the addresses that match and are left out, by the setting that does so."""
        return {
            setting: self.url_prints(wanted, ((setting, _negated(clause)),)) for setting, clause in self.shard.hiding
        }

    def url_prints(self, wanted: PageFilter, filters: Sequence[NamedFilter] | None = None) -> NDArray[np.int64]:
        """Return all addresses that match and pass the filters: those of the settings unless others are given."""
        return self.shard.table.url_prints[self.matching_rows(wanted, filters)]

    def matching_rows(self, wanted: PageFilter, filters: Sequence[NamedFilter] | None = None) -> NDArray[np.int64]:
        """Return the rows of all pages that match and pass the filters, however many; some 10 ms for 50,000."""
        filters = self.shard.hiding if filters is None else filters
        if self.nearness is not None:
            return self._near(wanted, filters)[0]
        return self._all_rows(self._query(wanted, filters))

    def sum_up(self, wanted: PageFilter, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return one of tantivy's aggregations over the pages that match and are not left out; empty without any."""
        if self._finds_nothing:
            return {}
        query = self._query(wanted, self.shard.hiding)
        if self.nearness is not None:
            keys = self.shard.table.keys[self.matching_rows(wanted)].tolist()
            query = Query.term_set_query(self.shard.index.schema, "step", keys)
        found: dict[str, Any] = self.shard.searcher.aggregate(query, {"all": dict(asked)})["all"]
        return found

    @property
    def _finds_nothing(self) -> bool:
        return not self.shard.pages or (self.match.query is None and self.nearness is None)

    def shared_rows(self, wanted: PageFilter, *, collapses: bool) -> NDArray[np.int64]:
        """Return the rows of the pages that match and whose groups have several members."""
        shared = self.shard.groups(collapses=collapses).shared
        if len(shared) > self.shard.pages * _FEW:
            rows = self.matching_rows(wanted)
            return rows[np.isin(rows, shared)]
        steps = Query.term_set_query(self.shard.index.schema, "step", self.shard.table.keys[shared].tolist())
        query = self._query(wanted, self.shard.hiding)
        return (
            self._all_rows(Query.boolean_query([(Occur.Must, query), (Occur.Must, steps)])) if len(shared) else shared
        )

    def _query(
        self, wanted: PageFilter, filters: Sequence[NamedFilter], query: tantivy.Query | None = None
    ) -> tantivy.Query:
        query = query or self.match.query or Query.const_score_query(Query.all_query(), 0.0)
        clauses = wanted.clauses(self.shard.index.schema, self.shard.run, self.shard.numbers, self.shard.judged)
        clauses += [clause for _, clause in filters]
        if not clauses:
            return query
        unscored = [(occur, Query.const_score_query(each, 0.0)) for occur, each in clauses]
        return Query.boolean_query([(Occur.Must, query), *unscored])

    def _hits(self, query: tantivy.Query, limit: int) -> tuple[list[Scored], int]:
        """Return the first pages with their scores by text, and how many match."""
        if self._finds_nothing:
            return [], 0
        result: Any = self.shard.searcher.search(query, max(1, min(limit, self.shard.pages)))  # its types lack count
        return result.hits, int(result.count)

    def _rows_and_scores(self, hits: list[Scored]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        addresses = [address for _, address in hits]
        keys = self.shard.searcher.fast_field_values("step", addresses) if addresses else []
        rows = self.shard.table.rows(np.array(keys, dtype=np.int64))
        return rows, np.array([score for score, _ in hits], dtype=np.float64)

    def _all_rows(self, query: tantivy.Query) -> NDArray[np.int64]:
        """Return the rows of all pages that match a query, in pieces, so that many take no more memory than few."""
        table, schema = self.shard.table, self.shard.index.schema
        pieces = [np.empty(0, dtype=np.int64)]
        if self._finds_nothing:
            return pieces[0]
        for first in range(0, len(table), _STEPS_AT_ONCE):
            some, asked = table.keys[table.by_key[first : first + _STEPS_AT_ONCE]], query
            if len(some) < len(table):
                among = Query.range_query(schema, "step", FieldType.Unsigned, int(some[0]), int(some[-1]))
                asked = Query.boolean_query([(Occur.Must, query), (Occur.Must, among)])
            found = self.shard.searcher.search(asked, len(some), count=False, order_by_field="step").hits
            rows = table.rows(np.array([key for key, _ in found], dtype=np.int64))
            pieces.append(rows[rows >= 0])
        return np.concatenate(pieces)

    def _near(
        self, wanted: PageFilter, filters: Sequence[NamedFilter]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the rows that have a word or a near vector, with their scores by text and their cosines."""
        assert self.nearness is not None
        table, query = self.shard.table, self._query(wanted, filters)
        scores = np.zeros(len(table))
        if self.words and not self.decides:  # then pages without one of the words have a score of 0
            words = Query.boolean_query([(Occur.Should, each) for each in self.words])
            query = self._query(wanted, filters, words)
        if self.match.query is not None:
            rows, found = self._rows_and_scores(self._hits(query, self.shard.pages)[0])
            scores[rows[rows >= 0]] = found[rows >= 0]
        cosines = self.nearness.of(table.keys)
        is_found = (scores > 0) | (cosines > 0)
        if self.decides or filters or wanted != PageFilter():
            is_allowed = np.zeros(len(table), dtype=np.bool_)
            is_allowed[self._all_rows(self._query(wanted, filters))] = True
            is_found &= is_allowed
        kept = np.flatnonzero(is_found)
        return kept, scores[kept], cosines[kept]


def group_together(shards: Sequence[Shard]) -> None:
    """Find the pages of some shards that are shown as one."""
    tables = [shard.table for shard in shards]
    if not tables:
        return
    for shard, *groups in zip(shards, same_addresses(tables), same_texts(tables), strict=True):
        shard._groups = (groups[0], groups[1])  # noqa: SLF001 - of this module


def _negated(clause: Clause) -> Clause:
    """Return a clause that lets through exactly the pages that this one does not."""
    occur, query = clause
    return (Occur.MustNot if occur == Occur.Must else Occur.Must), query
