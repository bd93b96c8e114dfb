"""Relevance as the presence of the topic's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.judge.reward import Reward, verdict_of
from honeyguide.text import words_of

if TYPE_CHECKING:
    from honeyguide.domain import Page, Topic, Verdict


class KeywordJudge:
    """Counts whole-word occurrences of the topic's phrases in the main text.

    Relevance is 1 - 1/(1 + h), where h is the number of occurrences in a hundred words: no occurrence is 0, one in a
    hundred words is a half. The name counts as a phrase only when there are no keywords, because a name such as "what
    geologists do" seldom stands in a text as it is.
    """

    DEFAULT_THRESHOLD: Final = 0.5

    def __init__(self, topic: Topic, threshold: float = 0.0, reward: Reward = Reward.SCORE) -> None:
        phrases = (tuple(words_of(phrase)) for phrase in topic.keywords or (topic.name,))
        self._phrases = frozenset(phrase for phrase in phrases if phrase)
        self._lengths = sorted({len(phrase) for phrase in self._phrases})
        self._threshold = threshold or self.DEFAULT_THRESHOLD
        self._reward = reward

    def judge(self, page: Page) -> Verdict:
        words = page.main_words
        per_hundred = 100 * self._occurrences(words) / max(len(words), 1)
        return verdict_of(1 - 1 / (1 + per_hundred), self._threshold, self._reward)

    def _occurrences(self, words: tuple[str, ...]) -> int:
        return sum(
            words[place : place + length] in self._phrases
            for length in self._lengths
            for place in range(len(words) - length + 1)
        )

    def see(self, page: Page) -> None:
        """There are no statistics."""

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        """There is nothing to go back to."""
