"""One index among those that are searched together, the vectors of its pages, and a query against it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import tantivy
from tantivy import FieldType, Occur, Query

from honeyguide.guard import Fingerprint
from honeyguide.search.index_files import load_arrays, save_arrays
from honeyguide.search.matching import Matcher, host_query, schema, unmarked
from honeyguide.search.page_index import FOLDER
from honeyguide.text import unit, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.runs import Run
    from honeyguide.search.matching import TextMatch
    from honeyguide.search.page_index import PageIndex
    from honeyguide.text import WordVectors

    Clause = tuple[Occur, tantivy.Query]
    Scored = tuple[float, tantivy.DocAddress]
    Prints = NDArray[np.int64]
    NamedFilter = tuple[str, Clause]  # a setting, and what it lets through

_VECTORS_FILE: Final = "meanings.npz"
_ROWS_AT_ONCE: Final = 4_096  # turned to single precision at a time
_DIGITS: Final = 6  # of a score: sums in another order must not change the order of pages


@dataclass(frozen=True, slots=True, eq=False)
class PageVectors:
    """Vectors of pages by step, which rises: `text.WordRows.text_vector` at length 1, in half precision.

    They are made when somebody first searches by meaning, from the text in the index, and later only for new pages.
    """

    steps: NDArray[np.int64]
    vectors: NDArray[np.float16]

    def cosines(self, wanted: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the cosine of each page with a vector."""
        direction = unit(wanted).astype(np.float32)
        cosines = np.empty(len(self.steps), dtype=np.float32)
        for first in range(0, len(cosines), _ROWS_AT_ONCE):
            block = slice(first, first + _ROWS_AT_ONCE)
            cosines[block] = self.vectors[block].astype(np.float32) @ direction
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
        places = np.minimum(np.searchsorted(self._steps, steps), len(self._steps) - 1)
        return np.where(self._steps[places] == steps, self._cosines[places], 0.0).astype(np.float64)


def page_vectors(
    searcher: tantivy.Searcher, words: WordVectors, folder: Path | None, *, may_write: bool
) -> PageVectors:
    """Return the vectors of all pages of an index; `folder` is where they are saved, None for an index in memory."""
    saved = _load_vectors(folder, words) if folder is not None else None
    known = saved or PageVectors(np.empty(0, dtype=np.int64), np.empty((0, words.dimension), dtype=np.float16))
    added = _vectors_after(searcher, int(known.steps[-1]) if len(known.steps) else 0, words)
    if not len(added.steps):
        return known
    both = PageVectors(np.concatenate((known.steps, added.steps)), np.concatenate((known.vectors, added.vectors)))
    if folder is not None and may_write:
        save_arrays(folder / _VECTORS_FILE, digest=np.array(words.digest), steps=both.steps, vectors=both.vectors)
    return both


def _vectors_after(searcher: tantivy.Searcher, step: int, words: WordVectors) -> PageVectors:
    newer = Query.range_query(schema(), "step", FieldType.Unsigned, step, include_lower=False)
    found = searcher.search(newer, max(1, searcher.num_docs), order_by_field="step", order=tantivy.Order.Asc).hits
    rows = np.empty((len(found), words.dimension), dtype=np.float16)
    for row, (_, address) in enumerate(found):
        document = searcher.doc(address)
        text = unmarked(f"{document.get_first('title')} {document.get_first('text')}")
        rows[row] = unit(words.vector(words_of(text)))
    return PageVectors(np.array([number for number, _ in found], dtype=np.int64), rows)


def _load_vectors(folder: Path, words: WordVectors) -> PageVectors | None:
    saved = load_arrays(folder / _VECTORS_FILE)
    if saved is None or saved.keys() != {"digest", "steps", "vectors"}:
        return None
    is_ours = words.digest and str(saved["digest"]) == words.digest
    is_complete = saved["vectors"].shape == (len(saved["steps"]), words.dimension)
    return PageVectors(saved["steps"], saved["vectors"]) if is_ours and is_complete else None


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

    def clauses(self, schema: tantivy.Schema, judged: JudgedSteps | None = None) -> list[Clause]:
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
                steps = [step for step, (_, is_relevant) in judged.items() if is_relevant]
                relevant = Query.term_set_query(schema, "step", steps)
            clauses.append((Occur.Must, relevant))
        if self.excluded_url:
            clauses.append((Occur.MustNot, Query.term_query(schema, "url", self.excluded_url)))
        return clauses


@dataclass(frozen=True, slots=True, eq=False)
class FoundPages:
    """Pages of one shard with the parts of their scores, the best by text first."""

    shard: Shard
    addresses: Sequence[tantivy.DocAddress]
    steps: NDArray[np.int64]
    text: NDArray[np.float64]
    rank: NDArray[np.float64]
    topic: NDArray[np.float64]
    meaning: NDArray[np.float64]
    url_prints: Prints
    text_prints: NDArray[np.int64]
    total: int  # pages that match
    is_all: bool  # whether these are all that match

    def scores(self, weights: Weights) -> NDArray[np.float64]:
        """Return the score of each page."""
        score = weights.text * self.text + weights.rank * self.rank
        score += weights.topic * self.topic + weights.meaning * np.maximum(self.meaning, 0.0)
        rounded: NDArray[np.float64] = np.round(score / weights.total, _DIGITS)
        return rounded

    def most_beyond(self, weights: Weights) -> float:
        """Return the highest score that a matching page which is not among these can have."""
        if self.is_all:
            return -1.0
        lowest = float(self.text.min()) if len(self.text) else 1.0
        return (weights.text * lowest + weights.rank + weights.topic + weights.meaning) / weights.total


@dataclass(eq=False)
class Shard:
    """An index of a run as it was when it was opened."""

    run: Run
    index: PageIndex
    searcher: tantivy.Searcher
    rank_by_step: NDArray[np.float32]
    is_in_folder: bool  # or in memory
    may_write: bool
    hiding: tuple[NamedFilter, ...] = ()  # settings that leave pages out
    judged: JudgedSteps | None = None  # where answers have changed what the index says of relevance
    _simhash_by_step: dict[int, int] = field(default_factory=dict)
    _vectors: PageVectors | None = None

    @property
    def pages(self) -> int:
        return self.searcher.num_docs

    def relevance(self, steps: NDArray[np.int64], indexed: Sequence[float]) -> NDArray[np.float64]:
        """Return the newest relevance of pages, of which the index says this."""
        if self.judged is None:
            return np.array(indexed, dtype=np.float64)
        known = zip(steps.tolist(), indexed, strict=True)
        return np.array([self.judged[step][0] if step in self.judged else old for step, old in known], dtype=np.float64)

    def is_relevant(self, step: int, *, indexed: bool) -> bool:
        """Whether the page of a step is relevant by the newest judgement; the index says this."""
        return self.judged[step][1] if self.judged is not None and step in self.judged else indexed

    def simhashes(self, steps: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the simhashes of pages; 0 where the guard has stored none."""
        return np.array([self._simhash(step) for step in steps.tolist()], dtype=np.uint64)

    def _simhash(self, step: int) -> int:
        known = self._simhash_by_step.get(step)
        if known is None:
            packed = self.run.guard_fingerprint(step)
            known = self._simhash_by_step[step] = 0 if packed is None else Fingerprint.unpack(packed).simhash
        return known

    def matcher(self, boosts: Mapping[str, float], *, needs_all: bool) -> Matcher:
        return Matcher(self.searcher, self.index.schema, self.index.analyzer, boosts, needs_all)

    def vectors(self, words: WordVectors) -> PageVectors:
        """Return the vectors of its pages, made where they are missing."""
        if self._vectors is None:
            folder = self.run.path / FOLDER if self.is_in_folder else None
            self._vectors = page_vectors(self.searcher, words, folder, may_write=self.may_write)
        return self._vectors


@dataclass(frozen=True, slots=True, eq=False)
class ShardQuery:
    """A question as one shard understands it."""

    shard: Shard
    match: TextMatch
    nearness: Nearness | None = None  # for a search by meaning

    def find(self, wanted: PageFilter, limit: int) -> FoundPages:
        """Return the first pages by text; in a search by meaning all that have a word or a near vector.

        A search by meaning looks at every page that the filters let through: some 0.1 s for 100,000 of them.
        """
        shard, match = self.shard, self.match
        hits, total = self._hits(wanted, shard.hiding, limit)
        addresses = [address for _, address in hits]
        columns: Callable[..., Any] = shard.searcher.fast_field_values if addresses else lambda *_: []
        steps = self._steps(addresses)
        scores = np.array([score for score, _ in hits], dtype=np.float64)
        ranks = np.zeros(len(addresses))
        is_ranked = steps < len(shard.rank_by_step)
        ranks[is_ranked] = shard.rank_by_step[steps[is_ranked]]
        return FoundPages(
            shard=shard,
            addresses=addresses,
            steps=steps,
            text=np.minimum(scores / match.bound, 1.0) if match.bound else np.zeros(len(addresses)),
            rank=ranks,
            topic=np.clip(shard.relevance(steps, columns("relevance", addresses)), 0.0, 1.0),
            meaning=np.zeros(len(addresses)) if self.nearness is None else self.nearness.of(steps),
            url_prints=np.array(columns("url_print", addresses), dtype=np.int64),
            text_prints=np.array(columns("text_print", addresses), dtype=np.int64),
            total=total,
            is_all=len(hits) >= total,
        )

    def hidden(self, wanted: PageFilter) -> dict[str, Prints]:
        """Return the addresses that match and are left out, by the setting that does so."""
        return {
            setting: self.url_prints(wanted, ((setting, _negated(clause)),)) for setting, clause in self.shard.hiding
        }

    def url_prints(self, wanted: PageFilter, filters: Sequence[NamedFilter] | None = None) -> Prints:
        """Return all addresses that match and pass the filters: those of the settings unless others are given."""
        hits, _ = self._hits(wanted, self.shard.hiding if filters is None else filters, self.shard.pages)
        addresses = [address for _, address in hits]
        prints = self.shard.searcher.fast_field_values("url_print", addresses) if addresses else []
        return np.array(prints, dtype=np.int64)

    def sum_up(self, wanted: PageFilter, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return one of tantivy's aggregations over the pages that match and are not left out; empty without any."""
        if self._finds_nothing:
            return {}
        query = self._query(wanted, self.shard.hiding)
        if self.nearness is not None:
            hits, _ = self._hits(wanted, self.shard.hiding, self.shard.pages)
            steps = self._steps([address for _, address in hits]).tolist()
            query = Query.term_set_query(self.shard.index.schema, "step", steps)
        found: dict[str, Any] = self.shard.searcher.aggregate(query, {"all": dict(asked)})["all"]
        return found

    @property
    def _finds_nothing(self) -> bool:
        return not self.shard.pages or (self.match.query is None and self.nearness is None)

    def _query(self, wanted: PageFilter, filters: Sequence[NamedFilter]) -> tantivy.Query:
        query = Query.const_score_query(Query.all_query(), 0.0) if self.match.query is None else self.match.query
        clauses = wanted.clauses(self.shard.index.schema, self.shard.judged) + [clause for _, clause in filters]
        if not clauses:
            return query
        unscored = [(occur, Query.const_score_query(each, 0.0)) for occur, each in clauses]
        return Query.boolean_query([(Occur.Must, query), *unscored])

    def _hits(self, wanted: PageFilter, filters: Sequence[NamedFilter], limit: int) -> tuple[list[Scored], int]:
        """Return the first pages with their scores by text, and how many match."""
        if self._finds_nothing:
            return [], 0
        query = self._query(wanted, filters)
        most = self.shard.pages if self.nearness is not None else min(limit, self.shard.pages)
        result: Any = self.shard.searcher.search(query, max(1, most))  # its count is missing from tantivy's own types
        hits: list[Scored] = result.hits
        if self.nearness is None:
            return hits, int(result.count)
        is_near = self.nearness.of(self._steps([address for _, address in hits])) > 0
        near = [hit for hit, each in zip(hits, is_near, strict=True) if each or hit[0] > 0]
        return near, len(near)

    def _steps(self, addresses: list[tantivy.DocAddress]) -> NDArray[np.int64]:
        return np.array(self.shard.searcher.fast_field_values("step", addresses) if addresses else [], dtype=np.int64)


def _negated(clause: Clause) -> Clause:
    """Return a clause that lets through exactly the pages that this one does not."""
    occur, query = clause
    return (Occur.MustNot if occur == Occur.Must else Occur.Must), query
