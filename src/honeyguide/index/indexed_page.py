"""A page as the index takes it in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import xxhash

from honeyguide.domain import Fetched
from honeyguide.index.plain_text import marked
from honeyguide.index.quality import text_quality
from honeyguide.parse import parse
from honeyguide.text import main_text, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.domain import Page, Url
    from honeyguide.parse import PageRules
    from honeyguide.store import KeptPage


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
    def read(cls, kept: KeptPage, body: bytes | None, rules: PageRules) -> IndexedPage:
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
