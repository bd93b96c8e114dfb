"""Pages that settings leave out of a search: of low quality, in traps, or with words from a list of the user's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from tantivy import FieldType, Occur, Query

from honeyguide.errors import QueryError
from honeyguide.guard import FindingKind
from honeyguide.search.matching import marked
from honeyguide.text import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import tantivy

    from honeyguide.runs import Run
    from honeyguide.search.page_index import PageIndex
    from honeyguide.search.shard import NamedFilter
    from honeyguide.settings.sections import SearchSettings

COPIES: Final = frozenset(
    {
        FindingKind.DUPLICATE,
        FindingKind.NEAR_DUPLICATE,
        FindingKind.VARIANT,
        FindingKind.SESSION_ID,
        FindingKind.MIRROR,
    }
)
_LONGEST_FILE_BYTES: Final = 10_000_000


def read_blocked_words(path: str) -> tuple[str, ...]:
    """Read one word or phrase a line, up to a #. QueryError for a file that has none or is unreadable."""
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
    """Match pages to leave out: those with a listed word exactly as it is spelled, capitals aside, or with a phrase.

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


def trap_steps(run: Run) -> list[int]:
    """Return the steps that brought pages which the guard judged part of a trap, not copies of good pages."""
    return [finding.step for finding in run.guard_findings() if finding.kind not in COPIES]


def hiding_filters(
    index: PageIndex, settings: SearchSettings, traps: Sequence[int], blocked_lines: tuple[str, ...]
) -> tuple[NamedFilter, ...]:
    """Return the filters that the settings ask for, each with its key; `traps` are pages, as the index numbers them."""
    filters: list[NamedFilter] = []
    if settings.min_quality > 0:
        good = Query.range_query(index.schema, "quality", FieldType.Float, settings.min_quality, None)
        filters.append(("search.min_quality", (Occur.Must, good)))
    if traps:
        trapped = Query.term_set_query(index.schema, "step", list(traps))
        filters.append(("search.hide_traps", (Occur.MustNot, trapped)))
    blocked = blocked_query(blocked_lines, index.schema, index.analyzer)
    if blocked is not None:
        filters.append(("search.blocked_words", (Occur.MustNot, blocked)))
    return tuple(filters)
