"""Locks on open files, which the system frees when a process dies: by flock, or by Windows's own call."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Final

OPEN_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
"""For files in folders of strangers: symbolic links are refused where the system can tell."""


def lock(handle: int, *, is_shared: bool = False, waits: bool = False) -> None:
    """Lock an open file until it is closed. BlockingIOError where another holds it, unless this waits."""
    try:
        import fcntl  # noqa: PLC0415 - POSIX alone has it
    except ImportError:
        _lock_on_windows(handle, waits=waits)
        return
    fcntl.flock(handle, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | (0 if waits else fcntl.LOCK_NB))


def _lock_on_windows(handle: int, *, waits: bool) -> None:
    try:
        msvcrt: Any = import_module("msvcrt")
    except ImportError:
        return  # a system that knows no locks
    try:
        msvcrt.locking(handle, msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
    except OSError as error:
        raise BlockingIOError(error.errno, error.strerror) from error
