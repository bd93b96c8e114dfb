"""What a person is looking for."""

from __future__ import annotations

from dataclasses import dataclass


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
