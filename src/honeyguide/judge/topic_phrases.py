"""The topic's words and phrases as they stand in a text."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from honeyguide.text import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.text import Stems


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
        """How often each phrase, as it was given, stands in a text of these words; the absent ones are left out."""
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
