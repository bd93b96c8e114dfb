"""Where the time of a crawl goes, added up by stage. Nothing is ever decided by it."""

from __future__ import annotations

from time import perf_counter
from typing import Final

STAGES: Final = ("choose", "fetch", "parse", "judge", "guard", "links", "learn", "store")
"""`fetch` is time spent waiting for answers, `links` that of sorting and scoring the links of pages."""


class StageTimes:
    """Seconds of real time by stage. A lap takes a fifth of a microsecond; a page has about ten."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(STAGES, 0.0)

    def start(self) -> float:
        """A mark for the first lap."""
        return perf_counter()

    def lap(self, stage: str, since: float) -> float:
        """Count the time since a mark for this stage; gives the mark for the next."""
        now = perf_counter()
        self._seconds[stage] += now - since
        return now

    def add(self, stage: str, seconds: float) -> None:
        """Count what another process has spent."""
        self._seconds[stage] += seconds

    def taken(self) -> dict[str, float]:
        """The seconds since the last time that they were taken."""
        taken, self._seconds = self._seconds, dict.fromkeys(STAGES, 0.0)
        return taken
