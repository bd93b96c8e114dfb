"""One crawl of an experiment: begun, gone on with after a stop, timed. It knows settings and a folder, no labels."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from honeyguide.clock import RealClock
from honeyguide.engine import (
    CrawlStarted,
    CrawlStopped,
    LinkSkipped,
    StopReason,
    Surroundings,
    crawl,
    resume,
    word_vectors,
)
from honeyguide.errors import HoneyguideError, RunDamaged
from honeyguide.store import Progress, open_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from honeyguide.engine import Event
    from honeyguide.settings import Settings, VectorSettings
    from honeyguide.text import WordVectors

_TIMING_FILE: Final = "timing.json"
_STEPS_AT_A_TIME: Final = 20


@dataclass(frozen=True, slots=True)
class CrawlTask:
    """A crawl to be made, in a folder of its own."""

    folder: Path
    settings: Settings

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def budget(self) -> int:
        return self.settings.budget.fetches

    @property
    def is_done(self) -> bool:
        """Whether the crawl has come to its end; one that has spent a smaller budget can go on."""
        progress = self._progress
        if progress.stop_reason == StopReason.FETCHES:
            return progress.charged >= self.settings.budget.fetches
        return bool(progress.stop_reason) and StopReason(progress.stop_reason).is_final

    @property
    def spent(self) -> int:
        """How much of the budget is behind it; all of it once the crawl has ended."""
        return self.settings.budget.fetches if self.is_done else self._progress.steps

    @property
    def _progress(self) -> Progress:
        try:
            with open_run(self.run) as run:
                return run.progress
        except HoneyguideError:
            return Progress()

    @property
    def seconds_per_1000_steps(self) -> float:
        """How fast the crawl was from its first step on, in real time; 0 where nobody knows."""
        seconds, steps = self._timing()
        return 1000 * seconds / steps if steps else 0.0

    @property
    def seconds(self) -> float:
        """Real time of all its steps together; 0 where nobody knows."""
        return self._timing()[0]

    def _timing(self) -> tuple[float, int]:
        """Seconds and steps of all the times it was at work, without loading and opening."""
        try:
            timing = json.loads((self.folder / _TIMING_FILE).read_text(encoding="utf-8"))
            return float(timing["seconds"]), int(timing["steps"])
        except (OSError, ValueError, KeyError):
            return 0.0, 0

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        """Crawl, or go on with it, until it ends or is interrupted; `on_steps` hears of a few steps at a time."""
        counter = _StepCounter(on_steps, RealClock())
        around: Surroundings = {
            "listeners": [counter],
            "is_interrupted": is_interrupted,
            "vectors": shared_vectors(self.settings.vectors),
        }
        _clear_what_never_began(self.run)
        if self.run.exists():
            finished = resume(self.run, budget=self.settings.budget.fetches, **around)
        else:
            finished = crawl(self.run, self.settings, **around)
        finished.close()
        before = self._timing()
        timing = {"seconds": before[0] + counter.seconds, "steps": before[1] + counter.steps}
        (self.folder / _TIMING_FILE).write_text(json.dumps(timing) + "\n", encoding="utf-8")


def _clear_what_never_began(run: Path) -> None:
    """A process killed while it made its folder leaves one that cannot be gone on with, and nothing of worth."""
    try:
        if run.exists():
            open_run(run).close()
    except RunDamaged:
        shutil.rmtree(run)


class _StepCounter:
    """Counts the steps made in this process, and the seconds from the first on."""

    def __init__(self, on_steps: Callable[[int], None], clock: RealClock) -> None:
        self.steps = 0
        self.seconds = 0.0
        self._clock = clock
        self._started = 0.0
        self._before = 0
        self._told = 0
        self._on_steps = on_steps

    def __call__(self, event: Event) -> None:
        if isinstance(event, LinkSkipped):
            return
        if isinstance(event, CrawlStarted):
            self._before = event.progress.steps
            self._started = self._clock.now()
        self.seconds = self._clock.now() - self._started
        self.steps = event.progress.steps - self._before
        if self.steps - self._told >= _STEPS_AT_A_TIME or isinstance(event, CrawlStopped):
            self._on_steps(self.steps - self._told)
            self._told = self.steps


@lru_cache(maxsize=1)
def shared_vectors(settings: VectorSettings) -> WordVectors:
    """Loaded once in each process, as long as the crawls agree on them."""
    return word_vectors(settings)
