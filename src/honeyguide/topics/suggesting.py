"""Keywords and categories for a topic, from everything that is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import Topic
from honeyguide.topics.categories import from_subjects
from honeyguide.topics.focus import focus_of
from honeyguide.topics.gist import gist_of
from honeyguide.topics.keywords import KeywordFinder
from honeyguide.topics.matches import SubjectMatcher
from honeyguide.topics.phrases import PhraseReader
from honeyguide.topics.subjects import subjects
from honeyguide.topics.suggestion import Suggestions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from honeyguide.text import Vocabulary, WordVectors
    from honeyguide.topics.articles import Encyclopaedia
    from honeyguide.topics.subjects import Subject
    from honeyguide.topics.suggestion import Suggestion

    LookUp = Callable[[Iterable[str]], Encyclopaedia]


def suggest(
    topic: Topic,
    vectors: WordVectors,
    *,
    vocabulary: Vocabulary | None = None,
    look_up: LookUp | None = None,
    keywords: int = 15,
    categories: int = 5,
    among: Sequence[Subject] | None = None,
) -> Suggestions:
    """The best keywords and categories for a topic; fewer where fewer fit.

    `vocabulary` adds words near the topic, `look_up` what an encyclopaedia has under some phrases, the best first;
    `among` are subjects in the place of the shipped ones. The same topic always has the same suggestions.
    """
    among = subjects() if among is None else among
    reader = PhraseReader(among)
    finder = KeywordFinder(vectors, reader)
    gist = gist_of(topic, vectors, reader)
    counterexamples = gist_of(Topic("", like=topic.unlike), vectors, reader) if topic.unlike else None
    matches = SubjectMatcher(among, vectors, reader).matches(gist, counterexamples)
    focus = focus_of(gist, matches)
    found_keywords: Iterable[Suggestion] = finder.candidates(gist, focus, vocabulary)
    found_categories = from_subjects(gist, focus, matches, reader)
    if look_up is not None:
        ranked = finder.chosen(found_keywords)
        encyclopaedia = look_up(suggestion.text for suggestion in ranked)
        found_keywords = [*ranked, *encyclopaedia.keywords(focus, finder, vectors, reader)]
        found_categories = _merged(encyclopaedia.categories(gist, focus, finder, reader), found_categories)
    return Suggestions(tuple(finder.chosen(found_keywords)[:keywords]), tuple(found_categories[:categories]))


def _merged(first: Iterable[Suggestion], then: Iterable[Suggestion]) -> list[Suggestion]:
    """Both together, best first; of one name the first."""
    by_name: dict[str, Suggestion] = {}
    for suggestion in (*first, *then):
        by_name.setdefault(suggestion.text.lower(), suggestion)
    return sorted(by_name.values(), key=lambda suggestion: (-suggestion.score, suggestion.text))
