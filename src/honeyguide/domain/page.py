"""A page as a reader sees it, and what was judged of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import xxhash

from honeyguide.domain.directives import NO_DIRECTIVES, Directives

if TYPE_CHECKING:
    from honeyguide.domain.link import Link
    from honeyguide.domain.url import Url


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed answer. Anything that is not HTML or plain text has its type recorded and no words."""

    url: Url
    media_type: str
    charset: str  # "" where there was no text to decode
    title: str
    text: str  # all visible text in reading order, white space folded
    words: tuple[str, ...]  # the lower-cased words of `text`; link occurrences count in these
    main_spans: tuple[tuple[int, int], ...]  # half-open ranges of `words` outside navigation, header and footer
    links: tuple[Link, ...]  # one per distinct target, in order of first occurrence
    directives: Directives = NO_DIRECTIVES

    @property
    def digest(self) -> bytes:
        """A fingerprint of title and text: what looks the same to a reader has the same one."""
        return xxhash.xxh3_64_digest(f"{self.title}\n{self.text}".encode("utf-8", "surrogatepass"))

    @property
    def main_words(self) -> tuple[str, ...]:
        """The words of the main text: what a judge reads."""
        if self.main_spans == ((0, len(self.words)),):
            return self.words
        return tuple(chain.from_iterable(self.words[start:end] for start, end in self.main_spans))


@dataclass(frozen=True, slots=True)
class Verdict:
    """How relevant a page is to the topic, and what reward that earns the crawler."""

    relevance: float  # 0 to 1
    is_relevant: bool  # by the rule in the settings: relevance reached a threshold, or a word of the topic is there
    reward: float
