"""Limits that keep a crawl from filling the machine it runs on: free disk space, and memory of the process.

Both are on by default. A crawl that meets one stops between two steps, says so, and can be resumed.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from honeyguide.crawler.events import MEGABYTE, StopReason

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.settings import BudgetSettings

CALLS_BETWEEN_LOOKS: Final = 16
"""Looking takes some 10 µs, and a step is small against what is kept free."""

_SHARE_OF_MEMORY: Final = 0.75  # the rest is for the system, and for processes that read pages
_CONTAINER_LIMITS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class MachineLimits:
    """Says, asked between steps, whether the crawl must stop for the machine's sake."""

    def __init__(
        self,
        run: Path,
        budget: BudgetSettings,
        *,
        free_bytes: Callable[[Path], int] | None = None,
        used_bytes: Callable[[], int] | None = None,
    ) -> None:
        """The functions measure the free space around a path, and the memory of this process."""
        self._run = run
        self._least_free = budget.free_disk_megabytes * MEGABYTE
        self._most_used = budget.memory_megabytes * MEGABYTE or _SHARE_OF_MEMORY * memory_of_machine()
        self._free_bytes = free_bytes or free_disk
        self._used_bytes = used_bytes or memory_of_process
        self._calls = 0

    def __call__(self) -> StopReason | None:
        self._calls += 1
        if self._calls % CALLS_BETWEEN_LOOKS != 1:
            return None
        if self._least_free and self._free_bytes(self._run) < self._least_free:
            return StopReason.DISK_FULL
        if self._used_bytes() > self._most_used:
            return StopReason.MEMORY
        return None


def free_disk(path: Path) -> int:
    """Return the bytes that may still be written to the disk that a path is on."""
    return shutil.disk_usage(path).free


def memory_of_process() -> int:
    """Return the bytes of memory that this process has for itself; files mapped into it, as vectors, do not count."""
    with suppress(OSError, ValueError, IndexError, AttributeError):
        _, resident, shared, *_ = Path("/proc/self/statm").read_text(encoding="ascii").split()
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    try:
        import resource  # noqa: PLC0415 - POSIX alone has it
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # where there is no /proc, the most so far must do
    return peak if sys.platform == "darwin" else peak * 1024


def memory_of_machine() -> int:
    """Return the bytes of memory that this machine has, or the container that the process is in."""
    if not hasattr(os, "sysconf"):  # Windows, where nobody says how much this process takes either
        return sys.maxsize
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    for file in _CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # "max" is no number
            whole = min(whole, int(Path(file).read_text(encoding="ascii")))
    return whole
