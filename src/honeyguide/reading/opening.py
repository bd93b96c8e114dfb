"""A run by its folder or as it is: what every call that reads one takes."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from honeyguide.store import Run, open_run

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path


def opened(run: Run | Path | str) -> AbstractContextManager[Run]:
    """A run to read: opened here and closed at the end, or the caller's own, which stays open."""
    return nullcontext(run) if isinstance(run, Run) else open_run(run)
