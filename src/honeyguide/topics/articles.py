"""What an encyclopaedia's articles add to the suggestions: their words, their links and their categories.

A category fits where many of the articles about the topic have it and few others do (lift), and where its name lies
near the topic.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Final

from honeyguide.counts import count_of
from honeyguide.topics.categories import is_no_wider
from honeyguide.topics.gist import key_terms
from honeyguide.topics.suggestion import Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from honeyguide.text import WordVectors
    from honeyguide.topics.focus import Focus
    from honeyguide.topics.gist import Gist
    from honeyguide.topics.keywords import KeywordFinder
    from honeyguide.topics.phrases import PhraseReader

PROMINENT: Final = 0.8  # what the most prominent phrase of an article is worth against one of the topic's own
SMALLEST_CATEGORY: Final = 3  # articles; a smaller one is narrower than any topic
LEAST_SIMILARITY: Final = 0.2  # of an article's title or a category's name, to be suggested
_BRACKETS = re.compile(r"\s*\([^)]*\)\s*$")
_LISTS = re.compile(r"^(?:Lists? of|Outline of|Index of|Timeline of)\b")


@dataclass(frozen=True, slots=True)
class Article:
    """An article about the topic, or one that such an article links to."""

    title: str
    categories: tuple[str, ...]
    text: str = ""  # main text; "" for a linked one, which nobody has read


@dataclass(frozen=True, slots=True)
class Encyclopaedia:
    """What of an encyclopaedia has to do with a topic."""

    about: tuple[Article, ...]
    linked: tuple[Article, ...]
    size_by_category: Mapping[str, int]  # articles in it, of the categories that occur here
    article_count: int

    def categories(self, gist: Gist, focus: Focus, finder: KeywordFinder, reader: PhraseReader) -> Iterator[Suggestion]:
        """Categories that the articles have more often than others do."""
        articles = (*self.about, *self.linked)
        counts = Counter(name for article in articles for name in article.categories)
        own = {name for article in self.about for name in article.categories}
        for name, count in counts.items():
            similarity = finder.similarity(name, focus)
            if not self._is_worth_naming(name) or similarity < LEAST_SIMILARITY or is_no_wider(name, gist, reader):
                continue
            if count < 2 and name not in own:
                continue
            share = count / len(articles)
            lift = share * self.article_count / self.size_by_category[name]
            fit = max(0.0, log(lift) / log(self.article_count)) if self.article_count > 1 else 0.0
            yield Suggestion(
                name, (similarity + fit) / 2, f"of {count_of(count, 'article')} found, {lift:,.0f} times its share"
            )

    def keywords(
        self, focus: Focus, finder: KeywordFinder, vectors: WordVectors, reader: PhraseReader
    ) -> Iterator[Suggestion]:
        """Phrases of the articles about the topic, and titles that they link to."""
        for article in self.about:
            terms = key_terms(article.text, vectors, reader)
            for phrase, weight in terms:
                score = (PROMINENT * weight / terms[0][1] + finder.similarity(phrase.text, focus)) / 2
                yield Suggestion(phrase.text, score, f"in the article {article.title}")
        for article in self.linked:
            title = plain_title(article.title)
            similarity = finder.similarity(title, focus) if title else 0.0
            if similarity >= LEAST_SIMILARITY:
                yield Suggestion(title, similarity, "an article it links to")

    def _is_worth_naming(self, name: str) -> bool:
        """Not too small, and not a set of articles by date, such as "1952 births"."""
        return self.size_by_category[name] >= SMALLEST_CATEGORY and not any(letter.isdigit() for letter in name)


def plain_title(title: str) -> str:
    """An article's title as a keyword; "" where it names a list or a date."""
    plain = _BRACKETS.sub("", title)
    if _LISTS.match(plain) or any(letter.isdigit() for letter in plain):
        return ""
    return plain[:1].lower() + plain[1:] if plain[1:] == plain[1:].lower() else plain
