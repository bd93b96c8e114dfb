"""Numbers in the texts that people read: one pair, two pairs."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 pair`, `2 pairs`; `plural` where an s does not make it, as in `1 other refers`, `2 others refer`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
