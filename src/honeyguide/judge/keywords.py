"""Relevance as the presence of the topic's own words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from honeyguide.judge.judge import StatelessJudge
from honeyguide.model import Evidence, EvidenceRow
from honeyguide.text import Stems, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.judge.judge import JudgeIngredients
    from honeyguide.model import Page, Topic
    from honeyguide.settings import JudgeSettings


class TopicPhrases:
    """Whole words and phrases to be found in a text; two that begin alike or overlap are both found.

    With `stems`, words that have the same stem are the same, as in "rock" and "rocks".
    """

    def __init__(self, phrases: Iterable[str], stems: Stems | None = None) -> None:
        self._stems = stems
        self._shown_by_phrase: dict[tuple[str, ...], str] = {}
        self._phrases_by_first_word: dict[str, list[tuple[str, ...]]] = {}
        for shown in phrases:
            phrase = self._comparable(tuple(words_of(shown)))
            if phrase and phrase not in self._shown_by_phrase:
                self._shown_by_phrase[phrase] = shown
                self._phrases_by_first_word.setdefault(phrase[0], []).append(phrase)

    def are_in(self, words: tuple[str, ...]) -> bool:
        """Whether at least one of them stands in a text of these words."""
        return bool(self.occurrences(words))

    def occurrences(self, words: tuple[str, ...]) -> Counter[str]:
        """Count how often each phrase, as it was given, stands among these words; absent ones are left out."""
        words = self._comparable(words)
        begins = self._phrases_by_first_word
        found: Counter[str] = Counter()
        if begins.keys().isdisjoint(words):
            return found
        for place, word in enumerate(words):
            if word in begins:
                for phrase in begins[word]:
                    if words[place : place + len(phrase)] == phrase:
                        found[self._shown_by_phrase[phrase]] += 1
        return found

    def _comparable(self, words: tuple[str, ...]) -> tuple[str, ...]:
        return words if self._stems is None else tuple(self._stems.of(words))


def stems_of(settings: JudgeSettings) -> Stems | None:
    """Return the stems by which words are compared; None where they are compared as they are."""
    return Stems(settings.language) if settings.stemming else None


class KeywordJudge(StatelessJudge):
    """Counts whole-word occurrences of the topic's phrases in the main text, by stem where `stems` are given.

    Relevance is 1 - 1/(1 + h), where h is the number of occurrences in a hundred words: no occurrence is 0, one in a
    hundred words is a half. The name counts as a phrase only when there are no keywords, because a name such as "what
    geologists do" seldom stands in a text as it is.
    """

    by_words = True
    by_page_alone = True
    threshold = 0.5

    @classmethod
    def build(cls, given: JudgeIngredients) -> KeywordJudge:
        return cls(given.topic, stems_of(given.settings.judge))

    def __init__(self, topic: Topic, stems: Stems | None = None) -> None:
        self._phrases = TopicPhrases(topic.keywords or (topic.name,), stems)

    def relevance(self, page: Page) -> float:
        words = page.main_words
        return _relevance(self._phrases.occurrences(words).total(), len(words))

    def evidence(self, page: Page) -> Evidence:
        """A phrase's contribution is its share of all occurrences."""
        words = page.main_words
        found = self._phrases.occurrences(words)
        relevance = _relevance(found.total(), len(words))
        rows = tuple(
            EvidenceRow(phrase, phrase, 1.0, relevance * count / found.total(), count)
            for phrase, count in found.most_common()
        )
        return Evidence("keyword", relevance, self.threshold, rows)


def _relevance(occurrences: int, word_count: int) -> float:
    per_hundred = 100 * occurrences / max(word_count, 1)
    return 1 - 1 / (1 + per_hundred)
