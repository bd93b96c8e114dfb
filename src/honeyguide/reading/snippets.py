"""The part of a text that speaks most of a topic, short enough to read in a list."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from honeyguide.text import WORD, Stems, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SNIPPET_WORDS: Final = 36
MOST_WORDS_READ: Final = 5_000
"""Of a page are looked through: one that speaks of a topic at all does so before its word 5,000."""
LONGEST: Final = 400
"""Characters. In some scripts, and in what is no language, words have no end."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of text, and which parts of it are words of the topic: half-open ranges of characters, in order."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """The text in order, each piece with whether it is marked."""
        at = 0
        for start, end in self.marks:
            yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        yield self.text[at:], False


class Snippets:
    """Cuts snippets for one topic."""

    def __init__(self, phrases: Iterable[str], language: str = "english", words: int = SNIPPET_WORDS) -> None:
        """`phrases` are what the topic is called by; every word of them counts, in any form."""
        self._stems = Stems(language)
        self._of_topic = frozenset(self._stems.of([word for phrase in phrases for word in words_of(phrase)]))
        self._words = words

    def of(self, text: str) -> Snippet:
        """The first window with the most words of the topic in it, different ones counting threefold.

        Without such words it is the beginning of the text.
        """
        lowered = text.lower()
        if len(lowered) != len(text):  # a letter such as İ is longer in lower case: places there are not places here
            text = lowered
        places = [match.span() for match in islice(WORD.finditer(lowered), MOST_WORDS_READ)]
        if not places:
            return _cut(Snippet(text.strip()))
        stems = self._stems.of([lowered[start:end] for start, end in places])
        found = [number for number, stem in enumerate(stems) if stem in self._of_topic]
        first = max(0, min(_best_window(found, stems, self._words), len(places) - self._words))
        last = min(first + self._words, len(places))
        start = places[first][0] if first else 0
        end = places[last - 1][1] if last < len(places) or last == MOST_WORDS_READ else len(text)
        before, after = "… " if first else "", " …" if end < len(text) else ""
        shift = len(before) - start
        marks = [(places[number][0] + shift, places[number][1] + shift) for number in found if first <= number < last]
        return _cut(Snippet(before + text[start:end] + after, tuple(marks)))


def _best_window(found: Sequence[int], stems: Sequence[str], words: int) -> int:
    """Where the best window begins: a few words before the first word of the topic in it."""
    lead = words // 6
    best, best_worth = 0, 0
    for index, number in enumerate(found):
        inside = found[index : bisect_left(found, number + words - lead)]
        worth = len(inside) + 2 * len({stems[each] for each in inside})
        if worth > best_worth:
            best, best_worth = number - lead, worth
    return best


def _cut(snippet: Snippet) -> Snippet:
    if len(snippet.text) <= LONGEST:
        return snippet
    return Snippet(snippet.text[: LONGEST - 1] + "…", tuple(mark for mark in snippet.marks if mark[1] < LONGEST))
