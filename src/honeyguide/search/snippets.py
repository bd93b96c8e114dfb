"""The place of a page that shows best why it was found."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from honeyguide.search.plain_text import MARK, unmarked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

SNIPPET_CHARACTERS: Final = 240
_LOOKED_AT: Final = 2_000  # places in a page where a word may stand
_EDGE: Final = 25  # characters that a snippet may give up so as not to begin or end within a word
_ELLIPSIS: Final = "…"
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
        self._analyze = analyze
        self._stem_by_word: dict[str, str] = {}
        self._pattern = _pattern(self._terms)

    def of(self, text: str) -> Snippet:
        """The stretch of a text with most of the terms, the earliest of equal ones; its beginning where none is."""
        found = list(self._places(text)) if self._pattern is not None else []
        first, last = _best_stretch(found)
        if not found:
            return _cut(text, 0, SNIPPET_CHARACTERS, [])
        middle = (found[first][0] + found[last][1]) // 2
        start = max(0, min(middle - SNIPPET_CHARACTERS // 2, len(text) - SNIPPET_CHARACTERS))
        return _cut(text, start, start + SNIPPET_CHARACTERS, found)

    def _places(self, text: str) -> Iterator[tuple[int, int, str]]:
        assert self._pattern is not None
        folded = text if text.isascii() else text.translate(_PLAIN)
        for count, word in enumerate(self._pattern.finditer(folded)):
            if count >= _LOOKED_AT:
                return
            stem = self._stem(text[word.start() : word.end()])
            if stem in self._terms:
                yield word.start(), word.end(), stem

    def _stem(self, word: str) -> str:
        stem = self._stem_by_word.get(word)
        if stem is None:
            stems = self._analyze(word)
            stem = self._stem_by_word[word] = stems[0] if len(stems) == 1 else ""
        return stem


def _pattern(terms: Collection[str]) -> re.Pattern[str] | None:
    """Words that may have one of these stems: a stem changes a word's end, by a letter or two."""
    beginnings = {re.escape(term[: max(2, len(term) - 2)] if len(term) > 3 else term) for term in terms}
    if not beginnings:
        return None
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(sorted(beginnings))})[^\W_]*", re.IGNORECASE)


def _best_stretch(found: list[tuple[int, int, str]]) -> tuple[int, int]:
    """The first and last of the places that fit into one snippet and have most distinct terms, then most places."""
    starts = [start for start, _, _ in found]
    best, best_worth = (0, 0), (0, 0)
    for first, (start, _, _) in enumerate(found):
        last = bisect_left(starts, start + SNIPPET_CHARACTERS - 2 * _EDGE) - 1
        worth = (len({stem for _, _, stem in found[first : last + 1]}), last - first)
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
    pieces, highlights, length = [_ELLIPSIS if start > 0 else ""], [], 1 if start > 0 else 0
    at = start
    for begins, stops, _ in found:
        if begins < start or stops > end:
            continue
        before, word = unmarked(text[at:begins]), unmarked(text[begins:stops])
        length += len(before)
        if highlights and not before:  # letters of one word, of a script without spaces
            highlights[-1] = (highlights[-1][0], length + len(word))
        else:
            highlights.append((length, length + len(word)))
        length += len(word)
        pieces += [before, word]
        at = stops
    pieces += [unmarked(text[at:end]), _ELLIPSIS if end < len(text) else ""]
    assert MARK not in pieces
    return Snippet("".join(pieces), tuple(highlights))
