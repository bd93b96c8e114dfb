"""Vectors of pages, for a search by meaning: the same that judges and strategies use, kept beside the index.

A page's vector is its text vector (`text.WordRows.text_vector`) at length 1, in half precision. They are made when
somebody first searches by meaning, from the text that the index holds, and later only those of new pages.

One index among those that are searched together, and the pages that it has for a query.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import tantivy
from tantivy import FieldType, Occur, Query

from honeyguide.guard import Fingerprint
from honeyguide.search.matching import Matcher, host_query, schema, unmarked
from honeyguide.search.page_index import FOLDER, keep_arrays, kept_arrays
from honeyguide.text import unit, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.runs import Run
    from honeyguide.search.matching import Match
    from honeyguide.search.page_index import PageIndex
    from honeyguide.text import WordVectors

    Clause = tuple[Occur, tantivy.Query]
    Scored = tuple[float, tantivy.DocAddress]
    Prints = NDArray[np.int64]
    Filter = tuple[str, Clause]

_FILE: Final = "meanings.npz"
_AT_ONCE: Final = 4_096  # rows turned to single precision at a time


@dataclass(frozen=True, slots=True, eq=False)
class Meanings:
    """Vectors of pages by step, which rises."""

    steps: NDArray[np.int64]
    vectors: NDArray[np.float16]

    def cosines(self, wanted: NDArray[np.float64]) -> NDArray[np.float32]:
        """How near each page is to a vector, from -1 to 1."""
        direction = unit(wanted).astype(np.float32)
        nearness = np.empty(len(self.steps), dtype=np.float32)
        for first in range(0, len(nearness), _AT_ONCE):
            block = slice(first, first + _AT_ONCE)
            nearness[block] = self.vectors[block].astype(np.float32) @ direction
        return nearness


def meanings_of(searcher: tantivy.Searcher, vectors: WordVectors, folder: Path | None, *, may_write: bool) -> Meanings:
    """The vectors of all pages of an index; `folder` is where they are kept, None for an index in memory."""
    kept = _kept(folder, vectors) if folder is not None else None
    known = kept or Meanings(np.empty(0, dtype=np.int64), np.empty((0, vectors.dimension), dtype=np.float16))
    added = _made_after(searcher, int(known.steps[-1]) if len(known.steps) else 0, vectors)
    if not len(added.steps):
        return known
    both = Meanings(np.concatenate((known.steps, added.steps)), np.concatenate((known.vectors, added.vectors)))
    if folder is not None and may_write:
        keep_arrays(folder / _FILE, digest=np.array(vectors.digest), steps=both.steps, vectors=both.vectors)
    return both


def _made_after(searcher: tantivy.Searcher, step: int, vectors: WordVectors) -> Meanings:
    newer = tantivy.Query.range_query(schema(), "step", tantivy.FieldType.Unsigned, step, include_lower=False)
    found = searcher.search(newer, max(1, searcher.num_docs), order_by_field="step", order=tantivy.Order.Asc).hits
    rows = np.empty((len(found), vectors.dimension), dtype=np.float16)
    for row, (_, address) in enumerate(found):
        document = searcher.doc(address)
        words = words_of(unmarked(f"{document.get_first('title')} {document.get_first('text')}"))
        rows[row] = unit(vectors.vector(words))
    return Meanings(np.array([number for number, _ in found], dtype=np.int64), rows)


def _kept(folder: Path, vectors: WordVectors) -> Meanings | None:
    kept = kept_arrays(folder / _FILE)
    if kept is None or kept.keys() != {"digest", "steps", "vectors"}:
        return None
    is_ours = vectors.digest and str(kept["digest"]) == vectors.digest
    is_whole = kept["vectors"].shape == (len(kept["steps"]), vectors.dimension)
    return Meanings(kept["steps"], kept["vectors"]) if is_ours and is_whole else None


_DIGITS: Final = 6  # of a score: sums in another order must not change the order of pages


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


@dataclass(frozen=True, slots=True)
class Wanted:
    """What pages must be like, besides what the query says."""

    hosts: tuple[str, ...] = ()
    since: float | None = None
    until: float | None = None  # that moment is still wanted
    relevant_only: bool = False
    besides: str = ""  # a URL that is not wanted

    def clauses(self, schema: tantivy.Schema) -> list[Clause]:
        """The same for tantivy."""
        asked: list[Clause] = []
        if self.hosts:
            hosts = [(Occur.Should, host_query(schema, host)) for host in self.hosts]
            asked.append((Occur.Must, Query.boolean_query(hosts)))
        if self.since is not None or self.until is not None:
            when = Query.range_query(schema, "fetched_at", FieldType.Float, self.since, self.until)
            asked.append((Occur.Must, when))
        if self.relevant_only:
            asked.append((Occur.Must, Query.term_query(schema, "is_relevant", 1)))
        if self.besides:
            asked.append((Occur.MustNot, Query.term_query(schema, "url", self.besides)))
        return asked


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Pages of one shard with the parts of their scores, the best by text first."""

    shard: Shard
    addresses: Sequence[tantivy.DocAddress]
    steps: NDArray[np.int64]
    text: NDArray[np.float64]
    rank: NDArray[np.float64]
    topic: NDArray[np.float64]
    meaning: NDArray[np.float64]
    url_prints: Prints
    text_prints: NDArray[np.int64]  # and for equal texts
    total: int  # pages that match
    is_all: bool  # whether these are all that match

    def scores(self, weights: Weights) -> NDArray[np.float64]:
        """The score of each page."""
        both = weights.text * self.text + weights.rank * self.rank
        both += weights.topic * self.topic + weights.meaning * np.maximum(self.meaning, 0.0)
        rounded: NDArray[np.float64] = np.round(both / weights.total, _DIGITS)
        return rounded

    def most_beyond(self, weights: Weights) -> float:
        """No page that matches and is not among these can have a higher score."""
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
    standing_by_step: NDArray[np.float32]
    is_in_folder: bool  # or in memory
    may_write: bool
    hiding: tuple[Filter, ...] = ()  # what is left out
    _simhash_by_step: dict[int, int] = field(default_factory=dict)

    @property
    def pages(self) -> int:
        return self.searcher.num_docs

    def simhashes(self, steps: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The fingerprints of pages that tell near texts; 0 where the guard has left none."""
        return np.array([self._simhash(step) for step in steps.tolist()], dtype=np.uint64)

    def _simhash(self, step: int) -> int:
        known = self._simhash_by_step.get(step)
        if known is None:
            packed = self.run.guard_fingerprint(step)
            known = self._simhash_by_step[step] = 0 if packed is None else Fingerprint.unpack(packed).simhash
        return known

    def matcher(self, boosts: Mapping[str, float], *, needs_all: bool) -> Matcher:
        return Matcher(self.searcher, self.index.schema, self.index.analyzer, boosts, needs_all)

    def meanings(self, vectors: WordVectors) -> Meanings:
        """The vectors of its pages, made where they are missing."""
        if self._meanings is None:
            folder = self.run.path / FOLDER if self.is_in_folder else None
            self._meanings = meanings_of(self.searcher, vectors, folder, may_write=self.may_write)
        return self._meanings

    _meanings: Meanings | None = None

    def find(self, match: Match, wanted: Wanted, limit: int) -> Found:
        """The first so many pages by text."""
        if match.query is None or not self.pages:
            return self._found([], 0, match)
        hits, total = self._search(self._query(match.query, wanted), limit)
        return self._found(hits, total, match)

    def find_near(self, match: Match, wanted: Wanted, nearness: Nearness) -> Found:
        """All pages with something of what is asked for, be it a word or the direction of their vectors.

        Of those that the query insists on, `wanted` and the settings let through. Every page is looked at, which takes
        some 0.1 s for 100,000 of them.
        """
        hits = self._near(match, wanted, self.hiding, nearness)
        return self._found(hits, len(hits), match, nearness)

    def hidden(self, match: Match, wanted: Wanted, nearness: Nearness | None = None) -> dict[str, Prints]:
        """The addresses that match and are left out, by the setting that does so."""
        return {
            setting: self.url_prints(match, wanted, ((setting, _turned(clause)),), nearness)
            for setting, clause in self.hiding
        }

    def url_prints(
        self, match: Match, wanted: Wanted, filters: Sequence[Filter] | None = None, nearness: Nearness | None = None
    ) -> Prints:
        """The addresses that match and that filters let through, those of the settings unless others are given."""
        let_through = self.hiding if filters is None else filters
        if nearness is not None:
            hits = self._near(match, wanted, let_through, nearness)
        elif match.query is None or not self.pages:
            hits = []
        else:
            hits, _ = self._search(self._query(match.query, wanted, let_through), self.pages)
        return self._url_prints([address for _, address in hits])

    def _url_prints(self, addresses: list[tantivy.DocAddress]) -> Prints:
        found = self.searcher.fast_field_values("url_print", addresses) if addresses else []
        return np.array(found, dtype=np.int64)

    def _near(self, match: Match, wanted: Wanted, hiding: Sequence[Filter], nearness: Nearness) -> list[Scored]:
        if not self.pages:
            return []
        query = Query.const_score_query(Query.all_query(), 0.0) if match.query is None else match.query
        hits, _ = self._search(self._query(query, wanted, hiding), self.pages)
        is_near = nearness.of(self._steps([address for _, address in hits])) > 0
        return [hit for hit, near in zip(hits, is_near, strict=True) if near or hit[0] > 0]

    def _steps(self, addresses: list[tantivy.DocAddress]) -> NDArray[np.int64]:
        return np.array(self.searcher.fast_field_values("step", addresses) if addresses else [], dtype=np.int64)

    def _search(self, query: tantivy.Query, limit: int) -> tuple[list[Scored], int]:
        """The first pages with their scores, and how many there are."""
        within = max(1, min(limit, self.pages))  # tantivy makes room for as many as are asked for
        result: Any = self.searcher.search(query, within)  # its count is missing from tantivy's own types
        return result.hits, int(result.count)

    def _query(self, query: tantivy.Query, wanted: Wanted, hiding: Sequence[Filter] | None = None) -> tantivy.Query:
        filters = self.hiding if hiding is None else hiding
        clauses = wanted.clauses(self.index.schema) + [clause for _, clause in filters]
        if not clauses:
            return query
        unscored = [(occur, Query.const_score_query(each, 0.0)) for occur, each in clauses]
        return Query.boolean_query([(Occur.Must, query), *unscored])

    def _found(self, hits: list[Scored], total: int, match: Match, nearness: Nearness | None = None) -> Found:
        addresses = [address for _, address in hits]
        columns: Callable[..., Any] = self.searcher.fast_field_values if addresses else lambda *_: []
        steps = self._steps(addresses)
        scores = np.array([score for score, _ in hits], dtype=np.float64)
        standing = np.zeros(len(addresses))
        known = steps < len(self.standing_by_step)
        standing[known] = self.standing_by_step[steps[known]]
        return Found(
            shard=self,
            addresses=addresses,
            steps=steps,
            text=np.minimum(scores / match.bound, 1.0) if match.bound else np.zeros(len(addresses)),
            rank=standing,
            topic=np.clip(np.array(columns("relevance", addresses), dtype=np.float64), 0.0, 1.0),
            meaning=np.zeros(len(addresses)) if nearness is None else nearness.of(steps),
            url_prints=self._url_prints(addresses),
            text_prints=np.array(columns("text_print", addresses), dtype=np.int64),
            total=total,
            is_all=len(hits) >= total,
        )


def _turned(clause: Clause) -> Clause:
    """What lets through exactly the pages that a clause does not."""
    occur, query = clause
    return (Occur.MustNot if occur == Occur.Must else Occur.Must), query


class Nearness:
    """How near the pages of a shard are to what is asked for."""

    def __init__(self, meanings: Meanings, wanted: NDArray[np.float64]) -> None:
        self._steps = meanings.steps
        self._cosines = meanings.cosines(wanted)

    def of(self, steps: NDArray[np.int64]) -> NDArray[np.float64]:
        """The cosines of these pages, which are in the index."""
        places = np.minimum(np.searchsorted(self._steps, steps), max(0, len(self._steps) - 1))
        if not len(self._steps):
            return np.zeros(len(steps))
        is_known = self._steps[places] == steps
        return np.where(is_known, self._cosines[places], 0.0).astype(np.float64)
