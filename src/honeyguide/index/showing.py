"""What is shown of a page that was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.index.plain_text import unmarked
from honeyguide.index.results import Hit, ScoreParts
from honeyguide.index.snippets import SnippetMaker

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from honeyguide.index.choosing import Choice
    from honeyguide.index.shard import Found

MOST_DUPLICATES: Final = 20


def hits_of(choices: Sequence[Choice], terms: Collection[str]) -> tuple[Hit, ...]:
    """The pages chosen, with snippets that show these terms of the index."""
    makers: dict[str, SnippetMaker] = {}
    return tuple(_hit(choice, terms, makers) for choice in choices)


def _hit(choice: Choice, terms: Collection[str], makers: dict[str, SnippetMaker]) -> Hit:
    found, row = choice.found, choice.row
    shard, address = found.shard, found.addresses[row]
    document = shard.searcher.doc(address)
    language = shard.index.language
    if language not in makers:
        makers[language] = SnippetMaker(terms, shard.index.analyzer.analyze)
    columns = shard.searcher.fast_field_values
    return Hit(
        url=str(document.get_first("url")),
        title=unmarked(str(document.get_first("title"))),
        score=choice.score,
        snippet=makers[language].of(str(document.get_first("text"))),
        run=shard.run.path,
        step=int(found.steps[row]),
        fetched_at=float(columns("fetched_at", [address])[0] or 0.0),
        relevance=float(found.topic[row]),
        is_relevant=bool(columns("is_relevant", [address])[0]),
        parts=ScoreParts(
            text=round(float(found.text[row]), 6),
            rank=round(float(found.rank[row]), 6),
            topic=round(float(found.topic[row]), 6),
            meaning=round(max(0.0, float(found.meaning[row])), 6),
        ),
        duplicates=tuple(_url(*each) for each in choice.same[:MOST_DUPLICATES]),
    )


def _url(found: Found, row: int) -> str:
    return str(found.shard.searcher.doc(found.addresses[row]).get_first("url"))
