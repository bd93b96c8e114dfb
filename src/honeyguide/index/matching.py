"""A query's tree as tantivy's queries, with the most that a page could score for it.

BM25 gives a word at most (k1 + 1) times its idf, however often it stands in a page. A page's score over the sum of
these bounds is therefore a number from 0 to 1 that says how well it matches, and that means the same in every index:
a run of ten pages and one of a million can be searched together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, assert_never

from tantivy import Occur, Query

from honeyguide.index.hosts import host_name
from honeyguide.index.plain_text import marked
from honeyguide.index.query import All, Beside, Either, Needed, Not, Words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import tantivy

    from honeyguide.index.query import Node

_K1: Final = 1.2  # tantivy's


@dataclass(frozen=True, slots=True)
class Match:
    """A query, and the most that a page could score for it; the query is None where nothing can be looked up."""

    query: tantivy.Query | None
    bound: float = 0.0


@dataclass(slots=True)
class Matcher:
    """Makes queries for one index."""

    searcher: tantivy.Searcher
    schema: tantivy.Schema
    analyzer: tantivy.TextAnalyzer
    boosts: Mapping[str, float]  # by field: what a word there counts
    needs_all: bool  # whether parts side by side must all be there
    terms: set[str] = field(default_factory=set)  # looked up by now, for snippets

    def match(self, node: Node, *, words_are_optional: bool = False) -> Match:
        """The query for a tree.

        With `words_are_optional`, plain words only add to the score: phrases, fields and signs still decide.
        """
        match node:
            case Words():
                return self._words(node, is_optional=words_are_optional)
            case Needed(part):
                return self.match(part)
            case Not(part):
                forbidden = self.match(part).query
                return Match(None if forbidden is None else _clauses([(Occur.MustNot, forbidden)]))
            case All(parts):
                return self._joined(parts, Occur.Must, is_optional=words_are_optional)
            case Beside(parts):
                occur = Occur.Must if self.needs_all else Occur.Should
                return self._joined(parts, occur, is_optional=words_are_optional)
            case Either(parts):
                return self._joined(parts, Occur.Should, is_optional=words_are_optional, is_either=True)
            case _:
                assert_never(node)

    def any_of(self, terms: Sequence[str], *, words_are_optional: bool = False) -> Match:
        """Pages with any of some terms of the index, in title or text; or with none, where they only add to scores."""
        found = [self._in_fields(("title", "text"), [term], 0) for term in terms]
        clauses = [(Occur.Should, each.query) for each in found if each.query is not None]
        if words_are_optional:
            clauses.append((Occur.Must, _anything()))
        return Match(Query.boolean_query(clauses), sum(each.bound for each in found)) if clauses else Match(None)

    def _joined(self, parts: Sequence[Node], occur: Occur, *, is_optional: bool, is_either: bool = False) -> Match:
        """The parts together. What must not be there binds all of them, but is one of several between ORs."""
        clauses: list[tuple[Occur, tantivy.Query]] = []
        bound = 0.0
        for part in parts:
            if isinstance(part, Not) and not is_either:
                made, how = self.match(part.part), Occur.MustNot
            else:
                made = self.match(part, words_are_optional=is_optional)
                how = Occur.Must if isinstance(part, Needed) else occur
                bound += made.bound
            if made.query is not None:
                clauses.append((how, made.query))
        return Match(_clauses(clauses), bound) if clauses else Match(None)

    def _words(self, words: Words, *, is_optional: bool) -> Match:
        if words.field == "host":
            return Match(Query.const_score_query(host_query(self.schema, words.text), 0.0))
        terms = self.analyzer.analyze(marked(words.text))
        if not terms:
            return Match(None)
        found = self._in_fields((words.field,) if words.field else ("title", "text"), terms, words.slop)
        if is_optional and found.query is not None and not (words.field or words.is_phrase):
            return Match(_clauses([(Occur.Must, _anything()), (Occur.Should, found.query)]), found.bound)
        return found

    def _in_fields(self, fields: Sequence[str], terms: list[str], slop: int) -> Match:
        self.terms.update(terms)
        queries, bound = [], 0.0
        for name in fields:
            found = self._lookup(name, terms, slop)
            boost = self.boosts.get(name, 1.0)
            queries.append((Occur.Should, found.query if boost == 1.0 else Query.boost_query(found.query, boost)))
            bound += boost * found.bound
        return Match(queries[0][1] if len(queries) == 1 else Query.boolean_query(queries), bound)

    def _lookup(self, name: str, terms: list[str], slop: int) -> _Lookup:
        bound = (_K1 + 1) * sum(self._idf(name, term) for term in terms)
        if len(terms) == 1:
            return _Lookup(Query.term_query(self.schema, name, terms[0]), bound)
        return _Lookup(Query.phrase_query(self.schema, name, list(terms), slop), bound)

    def _idf(self, name: str, term: str) -> float:
        """As tantivy has it; 0 for a term that no page has there, which nobody can score by."""
        having = self.searcher.doc_freq(name, term)
        return math.log1p((self.searcher.num_docs - having + 0.5) / (having + 0.5)) if having else 0.0


@dataclass(frozen=True, slots=True)
class _Lookup:
    query: tantivy.Query
    bound: float


def host_query(schema: tantivy.Schema, host: str) -> tantivy.Query:
    """Pages of a host, or of any host below it, however it is spelled."""
    return Query.term_query(schema, "host", host_name(host))


def _anything() -> tantivy.Query:
    return Query.const_score_query(Query.all_query(), 0.0)


def _clauses(clauses: list[tuple[Occur, tantivy.Query]]) -> tantivy.Query:
    if all(occur == Occur.MustNot for occur, _ in clauses):  # tantivy finds nothing where nothing is asked for
        clauses = [(Occur.Must, _anything()), *clauses]
    return Query.boolean_query(clauses)
