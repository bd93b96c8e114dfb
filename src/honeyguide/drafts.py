"""Drafts of files and folders that take their name when they are complete.

A draft is locked while it is written. The system frees the lock when the process dies, however it dies, so a draft that
nobody holds was left by a killed process, and whoever writes there next removes it.
"""

from __future__ import annotations

import glob
import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from honeyguide.locks import OPEN_FLAGS, lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def holding(draft: Path) -> Iterator[None]:
    """Lock a draft that exists, file or folder, for the time of the block."""
    if os.name == "nt":  # folders cannot be locked there, and open files not be renamed
        yield
        return
    held = os.open(draft, os.O_RDONLY | OPEN_FLAGS)
    try:
        lock(held, waits=True)
        yield
    finally:
        os.close(held)


def remove_abandoned(folder: Path, prefix: str, suffix: str = ".draft") -> None:
    """Remove the drafts in a folder whose names begin and end so, and that nobody holds."""
    if os.name == "nt":  # nothing tells there which are abandoned
        return
    for draft in folder.glob(f"{glob.escape(prefix)}*{glob.escape(suffix)}"):
        with suppress(OSError):
            held = os.open(draft, os.O_RDONLY | OPEN_FLAGS | os.O_NONBLOCK)
            try:
                lock(held)
                if draft.is_dir():
                    shutil.rmtree(draft, ignore_errors=True)
                else:
                    draft.unlink(missing_ok=True)
            finally:
                os.close(held)
