"""How a field of a section is declared: its default, its meaning, and the values it may take."""

from __future__ import annotations

from dataclasses import field
from typing import TypeVar

T = TypeVar("T")


def setting(
    default: T,
    meaning: str,
    *,
    at_least: float | None = None,
    above: float | None = None,
    at_most: float | None = None,
    choices: tuple[str, ...] = (),
) -> T:
    """Declare a field of a section: its default, its meaning, and the values it may take."""
    rule = {"meaning": meaning, "at_least": at_least, "above": above, "at_most": at_most, "choices": choices}
    return field(default=default, metadata=rule)
