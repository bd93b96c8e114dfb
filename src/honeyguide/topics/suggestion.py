"""What a suggestion is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A keyword or category that may belong to a topic."""

    text: str
    score: float  # from 0 to 1
    origin: str  # where it came from, in a few words for a person


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What was found for a topic, best first."""

    keywords: tuple[Suggestion, ...]
    categories: tuple[Suggestion, ...]
