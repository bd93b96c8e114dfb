"""A topic, a page as a reader sees it, the verdict of a judge on it, and the evidence for that."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import xxhash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.model.link import Link
    from honeyguide.model.url import Url


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: a name or sentence, words that belong to it, and texts that pages should be like and unlike."""

    name: str
    keywords: tuple[str, ...] = ()
    like: tuple[str, ...] = ()  # plain texts
    unlike: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()  # wider subjects that the topic belongs to, such as Medicine for cancer

    @property
    def is_empty(self) -> bool:
        """Whether there is not one letter or digit to go by; neither `unlike` nor `categories` say what is wanted."""
        return not any(character.isalnum() for text in (*self.phrases, *self.like) for character in text)

    @property
    def phrases(self) -> tuple[str, ...]:
        """Name and keywords, the empty ones left out, no phrase twice."""
        given = (self.name, *self.keywords)
        return tuple(dict.fromkeys(phrase.strip() for phrase in given if phrase.strip()))


@dataclass(frozen=True, slots=True)
class Refresh:
    """A page sends its reader on."""

    delay_s: float
    target: Url  # never the page itself


@dataclass(frozen=True, slots=True)
class Directives:
    """Of one page, from its head, its headers and files of its site: the strictest of all that is said counts."""

    nofollow: bool = False
    noindex: bool = False
    noai: bool = False  # not for training models
    noimageai: bool = False  # nor its images
    tdm: bool = False  # text and data mining is reserved
    tdm_policy: str = ""  # where its conditions are told
    canonical: Url | None = None  # the address it calls its own, where that is another one
    refresh: Refresh | None = None

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules that hold, as settings call them."""
        return tuple(name for name in _RULES if getattr(self, name))


_RULES: Final = ("noindex", "nofollow", "noai", "noimageai", "tdm")
NO_DIRECTIVES: Final = Directives()


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One word or phrase of the page that had a say in its relevance."""

    term: str
    compared_with: str  # what of the topic is nearest to it; "" where it was compared with no single word
    similarity: float  # of the two, at most 1
    contribution: float  # its share of the relevance; negative where it spoke against the page
    count: int  # occurrences in the main text


class WordCounts(NamedTuple):
    """In how many of some pages each word stands."""

    pages: int
    words: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A relevance, and the terms that made it, those that speak loudest for the page first.

    Where a judge adds up (`is_sum`), the contributions and `rest`, what all terms not shown come to, make the
    relevance; a sum below 0 is a relevance of 0. Of any other judge, a contribution is what the relevance loses when
    the term is taken out of the text. `dataclasses.asdict` gives all of it as data.
    """

    kind: str  # as the setting `judge.kind` calls the judge
    relevance: float
    threshold: float  # relevance that makes a page relevant
    rows: tuple[EvidenceRow, ...] = ()
    rest: float = 0.0
    is_sum: bool = True
    parts: tuple[Evidence, ...] = ()  # of a combined judge, in the order of its rows


FieldValue: TypeAlias = str | int | float | tuple[str | int | float, ...]
"""The value of a field that a user has named."""


class Cap(StrEnum):
    """A limit by which a page was cut."""

    LINKS = "links"  # it has more of them
    WORDS = "words"  # more of them
    WORD = "word"  # a longer word
    ANCHOR = "anchor"
    TITLE = "title"
    URL = "url"  # links to longer ones are left out
    PAGES = "pages"  # a document has more of them
    MARKUP = "markup"  # it nests too deep, or a tag has too many attributes; what follows is not read


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed answer. Anything that is not HTML, plain text or a document that is read has no words."""

    url: Url
    media_type: str
    charset: str  # "" where there was no text to decode
    title: str
    text: str  # all visible text in reading order, white space folded
    words: tuple[str, ...]  # the lower-cased words of `text`; link occurrences count in these
    main_spans: tuple[tuple[int, int], ...]  # half-open ranges of `words` outside navigation, header and footer
    links: tuple[Link, ...]  # one per distinct target, in order of first occurrence
    directives: Directives = NO_DIRECTIVES
    cut_by: tuple[Cap, ...] = ()  # in the order of their names
    fields: tuple[tuple[str, FieldValue], ...] = ()  # that a user has asked for, by name

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


class KeywordMatch(NamedTuple):
    """A keyword of a page that satisfies a search phrase: the tuple that Lim's crawler records (2016, 5.1)."""

    score: float  # similarity, 0 to 1
    search: str
    keyword: str
    url: Url


@dataclass(frozen=True, slots=True)
class Verdict:
    """How relevant a page is to the topic, and what reward that earns the crawler."""

    relevance: float  # 0 to 1
    is_relevant: bool  # by the rule in the settings: relevance reached a threshold, or a word of the topic is there
    reward: float
    matches: tuple[KeywordMatch, ...] = ()  # where the judge looks for keywords
