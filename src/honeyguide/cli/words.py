"""Numbers, times and names as a person reads them."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def one_line(text: str) -> str:
    """Fold white space, and leave out what a terminal would obey rather than show: titles come from strangers."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def percent(share: float) -> str:
    return f"{share:.1%}"


def duration(seconds: float) -> str:
    """Seconds in the two units that matter."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60:,} h {minutes % 60:02} min"


def countdown(seconds: float) -> str:
    """Time left, as a clock shows it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def megabytes(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:,.1f} MB"


def command(verb: str, run: Path, *flags: str) -> str:
    """A command to type next; a folder with spaces in its name is quoted."""
    return " ".join(["honeyguide", verb, shlex.quote(str(run)), *flags])
