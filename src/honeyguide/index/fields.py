"""The fields of the index, and how text becomes the terms that are looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import tantivy

if TYPE_CHECKING:
    from honeyguide.index.indexed_page import IndexedPage

LONGEST_WORD_BYTES: Final = 255
"""Longer ones are no words but data, and cannot be found."""
LONGEST_SPELLING_BYTES: Final = 40
STEMMED: Final = "stemmed"
SPELLED: Final = "spelled"


def schema() -> tantivy.Schema:
    """Title and text are stored for snippets; numbers are read by column."""
    build = tantivy.SchemaBuilder()
    build.add_text_field("title", stored=True, tokenizer_name=STEMMED)
    build.add_text_field("text", stored=True, tokenizer_name=STEMMED)
    build.add_text_field("vocabulary", tokenizer_name=SPELLED, index_option="basic")
    build.add_text_field("host", tokenizer_name="raw", index_option="basic")
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
    """Words in lower case, without accents, as stems.

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
    """Words as they are spelled, which come in lower case already."""
    long = tantivy.Filter.remove_long(LONGEST_SPELLING_BYTES + 1)
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(long).build()


def document_of(page: IndexedPage) -> tantivy.Document:
    """A page as tantivy takes it in. Its host stands there with every domain that it belongs to."""
    document = tantivy.Document()
    document.add_text("title", page.title)
    document.add_text("text", page.text)
    document.add_text("vocabulary", page.vocabulary)
    for host in domains_of(page.url.host):
        document.add_text("host", host)
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
    """A host and all domains that it belongs to: `www.example.org:81`, `www.example.org`, `example.org` and `org`."""
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    names = [host] if name == host else [host, name]
    if name.startswith("[") or name.rpartition(".")[2].isdecimal():  # an IP address is nobody's part
        return names
    while "." in name:
        name = name.partition(".")[2]
        names.append(name)
    return names
