"""The fields of the index, how text becomes terms, and how a query's tree becomes tantivy's queries.

Text is stored in one spelling for one letter. Chinese, Japanese, Thai, Lao, Burmese and Khmer have no spaces between
words: each of their letters gets a mark of no width on both sides, which makes it a word of its own, and a word of
theirs is then a phrase of letters. So any part of a text can be found, without a dictionary.

BM25 gives a word at most (k1 + 1) times its idf, however often a page has it. A page's score over the sum of these
bounds is therefore a number from 0 to 1 that says how well it matches and means the same in every index: a run of ten
pages and one of a million can be searched together.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, assert_never
from unicodedata import is_normalized, normalize

import tantivy
from tantivy import Occur, Query

from honeyguide.search.query import AllOf, AnyOf, Not, Required, SideBySide, Words, host_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from honeyguide.search.indexing import IndexedPage
    from honeyguide.search.query import Node

MARK: Final = "\u200b"  # zero width space
# Kana, ideographs, compatibility ideographs, and those of the supplementary planes; then Thai to Lao, Burmese, Khmer.
_UNSPACED: Final = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
_ASCII: Final = bytes(range(128))
_SOFT_HYPHEN: Final = "\u00ad"


def marked(text: str) -> str:
    """Return text ready for the index, in one spelling and with marks. Half a surrogate pair becomes a `?`."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "replace").decode()
    # Most texts are normalized already; checking takes a third of the time that normalizing takes.
    plain = text if is_normalized("NFKC", text) else normalize("NFKC", text)
    plain = plain.replace(_SOFT_HYPHEN, "").replace(MARK, "")
    rare = plain.encode().translate(None, _ASCII).decode()  # what is looked through is a hundredth of the text
    return _UNSPACED.sub(rf"{MARK}\g<0>{MARK}", plain) if _UNSPACED.search(rare) else plain


def unmarked(text: str) -> str:
    """Return text without marks, for people to read."""
    return text.replace(MARK, "")


LONGEST_WORD_BYTES: Final = 255
"""Longer words are data rather than words, and cannot be found."""
LONGEST_SPELLING_BYTES: Final = 40
STEMMED: Final = "stemmed"
SPELLED: Final = "spelled"


def schema() -> tantivy.Schema:
    """Return the fields of the index. Title and text are stored for snippets; numbers are read by column."""
    build = tantivy.SchemaBuilder()
    build.add_text_field("title", stored=True, tokenizer_name=STEMMED)
    build.add_text_field("text", stored=True, tokenizer_name=STEMMED)
    build.add_text_field("vocabulary", tokenizer_name=SPELLED, index_option="basic")
    build.add_text_field("host", tokenizer_name="raw", index_option="basic")
    build.add_text_field("site", tokenizer_name="raw", index_option="basic", fast=True)  # to be counted
    build.add_text_field("url", stored=True, tokenizer_name="raw", index_option="basic")
    build.add_unsigned_field("step", indexed=True, fast=True)
    build.add_float_field("fetched_at", indexed=True, fast=True)
    build.add_float_field("relevance", fast=True)
    build.add_unsigned_field("is_relevant", indexed=True, fast=True)
    build.add_float_field("quality", indexed=True, fast=True)
    build.add_unsigned_field("text_print", fast=True)
    build.add_unsigned_field("url_print", fast=True)
    return build.build()


def analyzer(language: str) -> tantivy.TextAnalyzer:
    """Return what turns text into stems, in lower case and without accents.

    English is stemmed last, so that café and cafe are one word; other languages first, whose rules go by accents.
    """
    fold, stages = tantivy.Filter.ascii_fold(), tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    stages = stages.filter(tantivy.Filter.remove_long(LONGEST_WORD_BYTES + 1)).filter(tantivy.Filter.lowercase())
    if language == "none":
        return stages.filter(fold).build()
    stem = tantivy.Filter.stemmer(language)
    first, then = (fold, stem) if language == "english" else (stem, fold)
    return stages.filter(first).filter(then).build()


def speller() -> tantivy.TextAnalyzer:
    """Return what splits a vocabulary, which is in lower case already, into words as they are spelled."""
    long = tantivy.Filter.remove_long(LONGEST_SPELLING_BYTES + 1)
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(long).build()


def document_of(page: IndexedPage) -> tantivy.Document:
    """Return a page as tantivy stores it. Its host is there with every domain that it belongs to."""
    document = tantivy.Document()
    document.add_text("title", page.title)
    document.add_text("text", page.text)
    document.add_text("vocabulary", page.vocabulary)
    for host in domains_of(page.url.host):
        document.add_text("host", host)
    document.add_text("site", page.url.host)
    document.add_text("url", page.url.text)
    document.add_unsigned("step", page.step)
    document.add_float("fetched_at", page.fetched_at)
    document.add_float("relevance", page.relevance)
    document.add_unsigned("is_relevant", int(page.is_relevant))
    document.add_float("quality", page.quality)
    document.add_unsigned("text_print", page.text_print)
    document.add_unsigned("url_print", page.url_print)
    return document


def domains_of(host: str) -> list[str]:
    """Return a host and its domains: `www.example.org:81`, `www.example.org`, `example.org` and `org`."""
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    names = [host] if name == host else [host, name]
    if name.startswith("[") or name.rpartition(".")[2].isdecimal():  # an IP address is nobody's part
        return names
    while "." in name:
        name = name.partition(".")[2]
        names.append(name)
    return names


_K1: Final = 1.2  # tantivy's


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A query, and the most that a page could score for it; the query is None where it has no term."""

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
    optional: list[tantivy.Query] = field(default_factory=list)  # words made by now that only add to scores
    decides: bool = False  # whether anything made by now decides which pages match

    def match(self, node: Node, *, words_are_optional: bool = False) -> TextMatch:
        """Return the query for a tree.

        With `words_are_optional`, plain words only add to the score: phrases, fields and signs still decide.
        """
        match node:
            case Words():
                return self._words(node, is_optional=words_are_optional)
            case Required(part):
                return self.match(part)
            case Not(part):
                self.decides = True
                forbidden = self.match(part).query
                return TextMatch(None if forbidden is None else _clauses([(Occur.MustNot, forbidden)]))
            case AllOf(parts):
                return self._joined(parts, Occur.Must, is_optional=words_are_optional)
            case SideBySide(parts):
                occur = Occur.Must if self.needs_all else Occur.Should
                return self._joined(parts, occur, is_optional=words_are_optional)
            case AnyOf(parts):
                return self._joined(parts, Occur.Should, is_optional=words_are_optional, is_either=True)
            case _:
                assert_never(node)

    def any_of(self, terms: Sequence[str], *, words_are_optional: bool = False) -> TextMatch:
        """Match pages with any of some terms, in title or text; or all pages, where terms only add to scores."""
        found = [self._in_fields(("title", "text"), [term], 0) for term in terms]
        clauses = [(Occur.Should, each.query) for each in found if each.query is not None]
        if words_are_optional:
            self.optional += [query for _, query in clauses]
            clauses.append((Occur.Must, _anything()))
        return (
            TextMatch(Query.boolean_query(clauses), sum(each.bound for each in found)) if clauses else TextMatch(None)
        )

    def _joined(self, parts: Sequence[Node], occur: Occur, *, is_optional: bool, is_either: bool = False) -> TextMatch:
        """Join parts. A Not applies to all of them, but between ORs it is one alternative."""
        clauses: list[tuple[Occur, tantivy.Query]] = []
        bound = 0.0
        for part in parts:
            if isinstance(part, Not) and not is_either:
                made, how = self.match(part.part), Occur.MustNot
                self.decides = True
            else:
                made = self.match(part, words_are_optional=is_optional)
                how = Occur.Must if isinstance(part, Required) else occur
                bound += made.bound
            if made.query is not None:
                clauses.append((how, made.query))
        return TextMatch(_clauses(clauses), bound) if clauses else TextMatch(None)

    def _words(self, words: Words, *, is_optional: bool) -> TextMatch:
        if words.field == "host":
            self.decides = True
            return TextMatch(Query.const_score_query(host_query(self.schema, words.text), 0.0))
        terms = self.analyzer.analyze(marked(words.text))
        if not terms:
            return TextMatch(None)
        found = self._in_fields((words.field,) if words.field else ("title", "text"), terms, words.slop)
        if is_optional and found.query is not None and not (words.field or words.is_phrase):
            self.optional.append(found.query)
            return TextMatch(_clauses([(Occur.Must, _anything()), (Occur.Should, found.query)]), found.bound)
        self.decides = True
        return found

    def _in_fields(self, fields: Sequence[str], terms: list[str], slop: int) -> TextMatch:
        self.terms.update(terms)
        queries, bound = [], 0.0
        for name in fields:
            if len(terms) == 1:
                query = Query.term_query(self.schema, name, terms[0])
            else:
                query = Query.phrase_query(self.schema, name, list(terms), slop)
            boost = self.boosts.get(name, 1.0)
            queries.append((Occur.Should, query if boost == 1.0 else Query.boost_query(query, boost)))
            bound += boost * (_K1 + 1) * sum(self._idf(name, term) for term in terms)
        return TextMatch(queries[0][1] if len(queries) == 1 else Query.boolean_query(queries), bound)

    def _idf(self, name: str, term: str) -> float:
        """Return the idf as tantivy has it; 0 for a term that no page has in this field."""
        having = self.searcher.doc_freq(name, term)
        return math.log1p((self.searcher.num_docs - having + 0.5) / (having + 0.5)) if having else 0.0


def host_query(schema: tantivy.Schema, host: str) -> tantivy.Query:
    """Match pages of a host, or of any host below it, however it is spelled."""
    return Query.term_query(schema, "host", host_name(host))


def _anything() -> tantivy.Query:
    return Query.const_score_query(Query.all_query(), 0.0)


def _clauses(clauses: list[tuple[Occur, tantivy.Query]]) -> tantivy.Query:
    if all(occur == Occur.MustNot for occur, _ in clauses):  # tantivy would find nothing
        clauses = [(Occur.Must, _anything()), *clauses]
    return Query.boolean_query(clauses)
