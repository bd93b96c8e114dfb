"""Where all time comes from: a real clock for live crawls, a simulated one for everything offline."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Seconds since the epoch of the crawl; never goes back."""

    def now(self) -> float:
        """Return the current time in seconds. Real clocks give Unix time, simulated ones start at zero."""
        ...


class RealClock:
    """Unix time that never steps back: anchored once, then advanced by the monotonic clock."""

    def __init__(self) -> None:
        self._offset_s = time.time() - time.monotonic()

    def now(self) -> float:
        return time.monotonic() + self._offset_s


class SimulatedClock:
    """Time that moves only when told to; resuming a run starts it where the run stopped."""

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    def now(self) -> float:
        return self._now

    def advance_to(self, moment: float) -> None:
        """Move forward to `moment`; an earlier moment leaves the clock where it is."""
        self._now = max(self._now, moment)
