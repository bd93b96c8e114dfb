"""The names of the traps that a synthetic web can have, one at a time."""

from __future__ import annotations

from enum import StrEnum


class Scenario(StrEnum):
    """A trap, or what looks like one; `NONE` is the honest web alone."""

    NONE = "none"
    SELF_LINK = "self-link"
    RING = "ring"
    DYNAMIC = "dynamic"
    ENCYCLOPAEDIA = "encyclopaedia"
    CALENDAR = "calendar"
    FACETS = "facets"
    SESSION_IDS = "session-ids"
    SOFT_404 = "soft-404"
    PAGINATION = "pagination"
    REPEATING_SEGMENTS = "repeating-segments"
    MIRRORS = "mirrors"
    MAZE = "maze"
    MAZE_HOSTS = "maze-hosts"
