"""Snippets: short extracts of pages around the words of a topic or a query.

Runs store bodies, not text, so the text of a page is parsed again, as the crawl had parsed it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from honeyguide.model import Fetched
from honeyguide.parse import parser_for
from honeyguide.text import Stems, main_text, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from honeyguide.model import Page, Url
    from honeyguide.parse.content import PageContent
    from honeyguide.runs.pages import CrawledPage, CrawledPages
    from honeyguide.runs.run import Run

    Place = tuple[int, int, str]  # start, end and stem of a word

SNIPPET_CHARACTERS: Final = 240
_PLACES_PER_WORD: Final = 100  # looked at in a page
_LETTERS: Final = re.compile(r"[^\W_]+")
_ENOUGH: Final = 3  # places of words in a stretch; one with many more is a list rather than a sentence
_EDGE: Final = 25  # characters that a snippet may give up so as not to begin or end within a word
_ELLIPSIS: Final = "…"
_WITHIN_A_WORD: Final = ("", "'", "’")  # nothing, between letters of scripts without spaces; or as in don't
_ZERO_WIDTH_SPACE: Final = "\u200b"  # stands between letters of such scripts in an index
# Letters with accents, as the letters they are made from: one for one, so that places in the text stay the same.
_UNACCENTED: Final = {
    code: folded
    for code in range(0xC0, 0x250)
    if len(folded := normalize("NFD", chr(code))[:1]) == 1 and folded.isascii()
}


@dataclass(frozen=True, slots=True)
class Snippet:
    """A piece of a page's text, and the places in it that were asked for: half-open ranges of characters, in order."""

    text: str
    highlights: tuple[tuple[int, int], ...] = ()

    def pieces(self) -> Iterator[tuple[str, bool]]:
        """Yield the text in order, each piece with whether it is highlighted."""
        at = 0
        for start, end in self.highlights:
            yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        yield self.text[at:], False

    def html(self) -> str:
        """Return the text escaped for a web page, with highlights in <b>."""
        return "".join(
            f"<b>{escape(part)}</b>" if is_found else escape(part) for part, is_found in self.pieces() if part
        )


class SnippetMaker:
    """Makes snippets around some terms. A word is stemmed once, however many pages have it."""

    def __init__(self, terms: Collection[str], analyze: Callable[[str], list[str]]) -> None:
        """`terms` are stems; `analyze` returns the stems of a text."""
        self._terms = frozenset(terms)
        self._prefixes = _prefixes(self._terms)
        self._analyze = analyze
        self._stem_by_word: dict[str, str] = {}

    def of(self, text: str) -> Snippet:
        """Return the stretch of a text with most of the terms, up to three times; the earliest of equal ones.

        Without any of them it is the beginning of the text.
        """
        found = self._places(text)
        if not found:
            return _cut(text, 0, SNIPPET_CHARACTERS, [])
        first, last = _best_stretch(found)
        middle = (found[first][0] + found[last][1]) // 2
        start = max(0, min(middle - SNIPPET_CHARACTERS // 2, len(text) - SNIPPET_CHARACTERS))
        return _cut(text, start, start + SNIPPET_CHARACTERS, found)

    def whole(self, text: str, longest: int) -> Snippet:
        """Return a text with the terms highlighted; what is too long is cut at its end."""
        return _cut(text, 0, longest, self._places(text))

    def _places(self, text: str) -> list[Place]:
        """Return where the terms stand, in order."""
        lowered = text.lower()
        if len(lowered) != len(text):  # a letter such as İ is longer in lower case
            lowered = text
        found = self._places_in(text, lowered)
        if not found and not text.isascii():
            found = self._places_in(text, lowered.translate(_UNACCENTED))
        return sorted(found)

    def _places_in(self, text: str, lowered: str) -> list[Place]:
        found = []
        for prefix in self._prefixes:
            at, left = lowered.find(prefix), _PLACES_PER_WORD
            while at >= 0 and left:
                word = _LETTERS.match(text, at)
                end = at + len(prefix) if word is None else word.end()
                is_start = at == 0 or not text[at - 1].isalnum()
                stem = self._stem(text[at:end]) if is_start else ""
                if stem in self._terms:
                    found.append((at, end, stem))
                    left -= 1
                at = lowered.find(prefix, end)
        return found

    def _stem(self, word: str) -> str:
        stem = self._stem_by_word.get(word)
        if stem is None:
            stems = self._analyze(word)
            stem = self._stem_by_word[word] = stems[0] if len(stems) == 1 else ""
        return stem


def _prefixes(terms: Collection[str]) -> list[str]:
    """Return how words begin that may have one of these stems: a stem changes a word's end by a letter or two."""
    cut = {term[: max(2, len(term) - 2)] if len(term) > 3 else term for term in terms}
    return sorted(each for each in cut if not any(each != other and each.startswith(other) for other in cut))


def _best_stretch(found: list[Place]) -> tuple[int, int]:
    """Return the first and last place that fit into one snippet with most distinct terms, then enough places."""
    starts = [start for start, _, _ in found]
    best, best_worth = (0, 0), (0, 0)
    for first, (start, _, _) in enumerate(found):
        last = bisect_left(starts, start + SNIPPET_CHARACTERS - 2 * _EDGE) - 1
        worth = (len({stem for _, _, stem in found[first : last + 1]}), min(last - first + 1, _ENOUGH))
        if worth > best_worth:
            best, best_worth = (first, max(first, last)), worth
    return best


def _cut(text: str, start: int, end: int, found: list[Place]) -> Snippet:
    """Cut text from about `start` to about `end`, at spaces where there are some, with an ellipsis where it was cut."""
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
        before, word = _readable(text[at:begins]), _readable(text[begins:stops])
        length += len(before)
        if highlights and before in _WITHIN_A_WORD:
            highlights[-1] = (highlights[-1][0], length + len(word))
        else:
            highlights.append((length, length + len(word)))
        length += len(word)
        pieces += [before, word]
        at = stops
    pieces += [_readable(text[at:end]), _ELLIPSIS if end < len(text) else ""]
    return Snippet("".join(pieces), tuple(highlights))


def _readable(text: str) -> str:
    return text.replace(_ZERO_WIDTH_SPACE, "")


class PageTexts:
    """Makes texts of the pages of an open run."""

    def __init__(self, run: Run, pages: CrawledPages) -> None:
        settings = run.settings
        self._pages = pages
        self._parse = parser_for(settings)
        self._settings = settings

    def page(self, page: CrawledPage) -> Page | None:
        """Return a page as the crawl had parsed it; None where no body is stored."""
        fetched = self._fetched(page)
        return None if fetched is None else self._parse(page.url, fetched)

    def content(self, page: CrawledPage) -> PageContent | None:
        """Return the main content as Markdown, and what the page says of its origin; None where no body is stored."""
        fetched = self._fetched(page)
        return None if fetched is None else self._read_content(page.url, fetched)

    @cached_property
    def _read_content(self) -> Callable[[Url, Fetched], PageContent]:
        from honeyguide.parse.content import content_reader_for  # noqa: PLC0415 - few programs read contents

        return content_reader_for(self._settings)

    def _fetched(self, page: CrawledPage) -> Fetched | None:
        body = self._pages.body(page)
        return None if body is None else Fetched(page.status, page.content_type, body, robots_tag=page.robots_tag)

    def main_text(self, page: CrawledPage) -> str | None:
        """Return the text outside navigation, header and footer, white space folded; None where no body is stored."""
        parsed = self.page(page)
        return None if parsed is None else main_text(parsed).strip()


class PageSnippets:
    """Makes snippets of the pages of an open run around the words of its topic."""

    def __init__(self, run: Run, pages: CrawledPages) -> None:
        settings = run.settings
        stems = Stems(settings.judge.language)
        phrases = (settings.topic.name, *settings.topic.keywords)
        self._texts = PageTexts(run, pages)
        self._maker = SnippetMaker(
            stems.of([word for phrase in phrases for word in words_of(phrase)]), lambda text: stems.of(words_of(text))
        )

    def of(self, page: CrawledPage) -> Snippet | None:
        """Return a snippet without the title, with which most texts begin; None where no body is stored."""
        text = self._texts.main_text(page)
        return None if text is None else self._maker.of(text.removeprefix(page.title).lstrip())
