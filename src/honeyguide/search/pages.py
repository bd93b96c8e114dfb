"""How much a text reads like prose that somebody wrote for readers, from 0 to 1: a small, cheap guess.

    quality = enough · varied · punctuated

enough      words / 30, at most 1: a page of a few words says little
varied      distinct words / words among the first 500, over 0.3, at most 1: lists of keywords say the same again and
            again; prose has 0.4 to 0.7 there
punctuated  40 marks / words, at most 1: prose has a full stop, comma or the like every five to twenty words, and a list
            of keywords or a menu has hardly any

A page that reads like prose has 1; a third of all it asks for in one respect makes a third. It says nothing of what is
written there, and nothing of poetry, tables or source code, which it underrates. That is why nothing is left out for
it unless somebody asks (`search.min_quality`).

A page as the index takes it in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import xxhash

from honeyguide.model import Fetched
from honeyguide.parse import parse
from honeyguide.search.matching import marked
from honeyguide.text import main_text, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model import Page, Url
    from honeyguide.parse import PageRules
    from honeyguide.runs import CrawledPage

ENOUGH_WORDS: Final = 30
WORDS_LOOKED_AT: Final = 500
USUAL_VARIETY: Final = 0.3
WORDS_A_MARK: Final = 40
_MARKS: Final = re.compile("[.,;:!?。、，．！？；：।॥؟،۔]")


def text_quality(text: str, words: Sequence[str]) -> float:
    """The quality of a text and its words, as the module says."""
    if not words:
        return 0.0
    first = words[:WORDS_LOOKED_AT]
    enough = min(1.0, len(words) / ENOUGH_WORDS)
    varied = min(1.0, len(set(first)) / len(first) / USUAL_VARIETY)
    punctuated = min(1.0, len(_MARKS.findall(text)) * WORDS_A_MARK / len(words))
    return enough * varied * punctuated


@dataclass(frozen=True, slots=True)
class IndexedPage:
    """What is kept of a page to find it by. Its text is the main text, or all of it where there is no main text."""

    step: int
    url: Url
    title: str
    text: str
    vocabulary: str  # the distinct words of title and text in lower case, between spaces
    fetched_at: float
    relevance: float
    is_relevant: bool
    quality: float
    text_print: int  # 63 bits, equal for equal texts

    @property
    def url_print(self) -> int:
        """63 bits, equal for equal addresses."""
        return xxhash.xxh3_64_intdigest(self.url.text.encode()) >> 1

    @classmethod
    def of(cls, page: Page, *, step: int, fetched_at: float, relevance: float, is_relevant: bool) -> IndexedPage:
        """From a page that has just been parsed."""
        words: Sequence[str] = page.main_words
        text = main_text(page) if words else page.text
        words = words or page.words
        return cls(
            step=step,
            url=page.url,
            title=marked(page.title),
            text=marked(text),
            vocabulary=marked(" ".join(dict.fromkeys((*words_of(page.title), *words)))),
            fetched_at=fetched_at,
            relevance=relevance,
            is_relevant=is_relevant,
            quality=text_quality(text, words),
            text_print=_print_of(page.title, words),
        )

    @classmethod
    def read(cls, kept: CrawledPage, body: bytes | None, rules: PageRules) -> IndexedPage:
        """From a page that a run has kept; of one whose body was not kept, the title."""
        if body is None:
            return cls(
                step=kept.step,
                url=kept.url,
                title=marked(kept.title),
                text="",
                vocabulary=marked(" ".join(words_of(kept.title))),
                fetched_at=kept.fetched_at,
                relevance=kept.relevance,
                is_relevant=kept.is_relevant,
                quality=0.0,
                text_print=_print_of(kept.url.text, ()),
            )
        return cls.of(
            parse(kept.url, Fetched(kept.status, kept.content_type, body), rules),
            step=kept.step,
            fetched_at=kept.fetched_at,
            relevance=kept.relevance,
            is_relevant=kept.is_relevant,
        )


def _print_of(title: str, words: Sequence[str]) -> int:
    # Without words, pages are told apart by their titles, or all pictures would be one page.
    said = " ".join(words) if words else f"\n{title}"
    return xxhash.xxh3_64_intdigest(said.encode("utf-8", "surrogatepass")) >> 1
