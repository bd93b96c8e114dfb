"""A crawl that is made for its time: whole, through the engine, run folder and all.

Processor time, because the crawls of a reproduction run side by side.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.clock import ProcessorClock
from honeyguide.engine import CrawlStarted, CrawlStopped, crawl
from honeyguide.experiments.crawl_task import shared_vectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from honeyguide.engine import Event
    from honeyguide.settings import Settings

_FILE: Final = "processor.json"


@dataclass(frozen=True, slots=True)
class TimedCrawl:
    """A crawl that is made for its time. One that was stopped is begun anew."""

    folder: Path
    settings: Settings
    method: str
    world: str

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def budget(self) -> int:
        return self.settings.budget.fetches

    @property
    def is_done(self) -> bool:
        return self.seconds_per_step is not None

    @property
    def spent(self) -> int:
        return self.budget if self.is_done else 0

    @property
    def seconds_per_step(self) -> float | None:
        try:
            timing = json.loads((self.folder / _FILE).read_text(encoding="utf-8"))
            return float(timing["seconds"]) / int(timing["steps"])
        except (OSError, ValueError, KeyError, ZeroDivisionError):
            return None

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        watch = _Watch()
        vectors = shared_vectors(self.settings.vectors)
        crawl(self.run, self.settings, listeners=[watch], vectors=vectors, is_interrupted=is_interrupted).close()
        if not is_interrupted():
            text = json.dumps({"seconds": watch.seconds, "steps": watch.steps})
            (self.folder / _FILE).write_text(f"{text}\n", encoding="utf-8")
            on_steps(self.budget)


class _Watch:
    """Hears when a crawl starts and stops."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.steps = 0
        self._clock = ProcessorClock()
        self._started = 0.0

    def __call__(self, event: Event) -> None:
        if isinstance(event, CrawlStarted):
            self._started = self._clock.now()
        elif isinstance(event, CrawlStopped):
            self.seconds, self.steps = self._clock.now() - self._started, event.progress.steps
