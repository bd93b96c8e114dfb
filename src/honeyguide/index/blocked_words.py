"""Words that a page must not have to be shown: a list that the user gives, such as one of adult words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from tantivy import Occur, Query

from honeyguide.errors import QueryError
from honeyguide.index.plain_text import marked
from honeyguide.text import words_of

if TYPE_CHECKING:
    import tantivy

_LONGEST_FILE_BYTES: Final = 10_000_000


def read_blocked_words(path: str) -> tuple[str, ...]:
    """One word or phrase a line; what follows a # is left out. QueryError for a file that has none or is unreadable."""
    file = Path(path).expanduser()
    try:
        if file.stat().st_size > _LONGEST_FILE_BYTES:
            raise QueryError(f"search.blocked_words: {file} is larger than 10 MB; give a list of words")
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise QueryError(f"search.blocked_words: cannot read {file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise QueryError(f"search.blocked_words: {file} is not UTF-8 text; save it as that") from None
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    usable = tuple(dict.fromkeys(line for line in lines if words_of(marked(line))))
    if not usable:
        raise QueryError(f"search.blocked_words: {file} has no word, so nothing would be left out; write one a line")
    return usable


def blocked_query(
    lines: tuple[str, ...], schema: tantivy.Schema, analyzer: tantivy.TextAnalyzer
) -> tantivy.Query | None:
    """Pages to leave out: those with a word exactly as it is spelled in the list, capitals aside, or with a phrase.

    Words are not stemmed, because a stem may belong to a harmless word as well; those of a phrase are.
    """
    clauses: list[tuple[Occur, tantivy.Query]] = []
    single = [words[0] for line in lines if len(words := words_of(marked(line))) == 1]
    if single:
        clauses.append((Occur.Should, Query.term_set_query(schema, "vocabulary", single)))
    for line in lines:
        terms = analyzer.analyze(marked(line))
        if len(terms) > 1:
            phrases = [Query.phrase_query(schema, name, list(terms)) for name in ("title", "text")]
            clauses += [(Occur.Should, phrase) for phrase in phrases]
    return Query.boolean_query(clauses) if clauses else None
