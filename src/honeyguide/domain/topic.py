"""What a person is looking for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic: a name or sentence, and words that belong to it."""

    name: str
    keywords: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is not one letter or digit to go by."""
        return not any(character.isalnum() for phrase in self.phrases for character in phrase)

    @property
    def phrases(self) -> tuple[str, ...]:
        """Name and keywords, the empty ones left out, no phrase twice."""
        given = (self.name, *self.keywords)
        return tuple(dict.fromkeys(phrase.strip() for phrase in given if phrase.strip()))
