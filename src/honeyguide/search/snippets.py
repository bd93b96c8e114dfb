"""The place of a page that shows best why it was found.

What is shown of a page that was found.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from honeyguide.search.matching import MARK, unmarked
from honeyguide.search.results import Hit, ScoreParts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from honeyguide.search.choosing import Choice
    from honeyguide.search.shard import Found

SNIPPET_CHARACTERS: Final = 240
_LOOKED_AT: Final = 100  # places of a word in a page
_LETTERS: Final = re.compile(r"[^\W_]+")
_ENOUGH: Final = 3  # places of words in a stretch; one with many more is a list rather than a sentence
_EDGE: Final = 25  # characters that a snippet may give up so as not to begin or end within a word
_ELLIPSIS: Final = "…"
_WITHIN_A_WORD: Final = ("", "'", "’")  # nothing, between letters of scripts without spaces; or as in don't
# Letters with accents, as the letters they are made from: one for one, so that places in the text stay the same.
_PLAIN: Final = {
    code: folded
    for code in range(0xC0, 0x250)
    if len(folded := normalize("NFD", chr(code))[:1]) == 1 and folded.isascii()
}


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a page's text, plain, and the places in it that the query asked for: half-open, in characters."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()

    def html(self) -> str:
        """The same for a web page: all that came from the page is escaped, what was asked for is in <b>."""
        return "".join(
            f"<b>{escape(part)}</b>" if is_found else escape(part) for part, is_found in self.parts() if part
        )

    def parts(self) -> Iterator[tuple[str, bool]]:
        """The text in pieces, each with whether it was asked for."""
        at = 0
        for start, end in self.highlights:
            yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        yield self.text[at:], False


class SnippetMaker:
    """Makes snippets for one query. A word is looked up once, however many pages have it."""

    def __init__(self, terms: Collection[str], analyze: Callable[[str], list[str]]) -> None:
        """`terms` are the stems asked for; `analyze` gives the stems of a text."""
        self._terms = frozenset(terms)
        self._beginnings = _beginnings(self._terms)
        self._analyze = analyze
        self._stem_by_word: dict[str, str] = {}

    def of(self, text: str) -> Snippet:
        """The stretch of a text with most of the terms, up to three times; the earliest of equal ones.

        The beginning of the text where it has none of them.
        """
        found = self._places(text)
        if not found:
            return _cut(text, 0, SNIPPET_CHARACTERS, [])
        first, last = _best_stretch(found)
        middle = (found[first][0] + found[last][1]) // 2
        start = max(0, min(middle - SNIPPET_CHARACTERS // 2, len(text) - SNIPPET_CHARACTERS))
        return _cut(text, start, start + SNIPPET_CHARACTERS, found)

    def _places(self, text: str) -> list[tuple[int, int, str]]:
        """Where the terms stand, in order: start, end and term."""
        lowered = text.lower()
        if len(lowered) != len(text):  # a letter such as İ is longer in lower case
            lowered = text
        found = self._places_in(text, lowered)
        if not found and not text.isascii():
            found = self._places_in(text, lowered.translate(_PLAIN))
        return sorted(found)

    def _places_in(self, text: str, lowered: str) -> list[tuple[int, int, str]]:
        found = []
        for beginning in self._beginnings:
            at, left = lowered.find(beginning), _LOOKED_AT
            while at >= 0 and left:
                word = _LETTERS.match(text, at)
                end = at + len(beginning) if word is None else word.end()
                is_start = at == 0 or not text[at - 1].isalnum()
                stem = self._stem(text[at:end]) if is_start else ""
                if stem in self._terms:
                    found.append((at, end, stem))
                    left -= 1
                at = lowered.find(beginning, end)
        return found

    def _stem(self, word: str) -> str:
        stem = self._stem_by_word.get(word)
        if stem is None:
            stems = self._analyze(word)
            stem = self._stem_by_word[word] = stems[0] if len(stems) == 1 else ""
        return stem


def _beginnings(terms: Collection[str]) -> list[str]:
    """How words begin that may have one of these stems: a stem changes a word's end, by a letter or two."""
    cut = {term[: max(2, len(term) - 2)] if len(term) > 3 else term for term in terms}
    return sorted(each for each in cut if not any(each != other and each.startswith(other) for other in cut))


def _best_stretch(found: list[tuple[int, int, str]]) -> tuple[int, int]:
    """The first and last of the places that fit into one snippet and have most distinct terms, then enough places."""
    starts = [start for start, _, _ in found]
    best, best_worth = (0, 0), (0, 0)
    for first, (start, _, _) in enumerate(found):
        last = bisect_left(starts, start + SNIPPET_CHARACTERS - 2 * _EDGE) - 1
        worth = (len({stem for _, _, stem in found[first : last + 1]}), min(last - first + 1, _ENOUGH))
        if worth > best_worth:
            best, best_worth = (first, max(first, last)), worth
    return best


def _cut(text: str, start: int, end: int, found: list[tuple[int, int, str]]) -> Snippet:
    """Text from about `start` to about `end`, at spaces where there are some, with an ellipsis where it was cut."""
    end = min(end, len(text))
    if start > 0:
        space = text.find(" ", start, start + _EDGE)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", max(start, end - _EDGE), end)
        end = space if space >= 0 else end
    pieces = [_ELLIPSIS if start > 0 else ""]
    highlights: list[tuple[int, int]] = []
    length = len(pieces[0])
    at = start
    for begins, stops, _ in found:
        if begins < start or stops > end:
            continue
        before, word = unmarked(text[at:begins]), unmarked(text[begins:stops])
        length += len(before)
        if highlights and before in _WITHIN_A_WORD:
            highlights[-1] = (highlights[-1][0], length + len(word))
        else:
            highlights.append((length, length + len(word)))
        length += len(word)
        pieces += [before, word]
        at = stops
    pieces += [unmarked(text[at:end]), _ELLIPSIS if end < len(text) else ""]
    assert MARK not in pieces
    return Snippet("".join(pieces), tuple(highlights))


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
