"""Relevance as the presence of the topic's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import Evidence, EvidenceRow
from honeyguide.judge.topic_phrases import TopicPhrases
from honeyguide.judge.unchanging import Unchanging

if TYPE_CHECKING:
    from honeyguide.domain import Page, Topic
    from honeyguide.text import Stems


class KeywordJudge(Unchanging):
    """Counts whole-word occurrences of the topic's phrases in the main text, by stem where `stems` are given.

    Relevance is 1 - 1/(1 + h), where h is the number of occurrences in a hundred words: no occurrence is 0, one in a
    hundred words is a half. The name counts as a phrase only when there are no keywords, because a name such as "what
    geologists do" seldom stands in a text as it is.
    """

    threshold = 0.5

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
