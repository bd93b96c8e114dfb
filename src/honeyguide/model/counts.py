"""How many of something there are, as a person says it."""

from __future__ import annotations


def count_of(count: int, noun: str, plural: str = "") -> str:
    """`1 page`, `2,000 pages`; `plural` where an s does not make it."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
