"""A crawl that is looked at now and then: the size of its frontier after so many iterations.

It is one crawl, whose budget is raised from milestone to milestone; the engine promises that this changes nothing. What
was seen at a milestone is written down at once, so that a crawl stopped in between is continued like any other.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final

from honeyguide.crawler import StopReason
from honeyguide.errors import HoneyguideError
from honeyguide.runs import open_run
from honeyguide_lab.crawl_task import CrawlTask

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from honeyguide.settings import Settings

_FILE: Final = "milestones.json"


@dataclass(frozen=True, slots=True)
class Milestone:
    """A crawl after so many iterations, or at its end where that came first."""

    iterations: int  # fetches it might have made
    fetches: int
    pages: int
    waiting: int  # links in the frontier
    largest_waiting: int  # up to here
    pruned: int
    pages_not_followed: int  # pages whose links were not followed
    simulated_s: float  # time of the crawl by the world's own latencies
    real_s: float  # time that this machine took
    is_exhausted: bool  # nothing was left to crawl


@dataclass(frozen=True, slots=True)
class MeasuredCrawl:
    """A crawl to be made; its budget is the last milestone."""

    folder: Path
    settings: Settings
    milestones: tuple[int, ...]  # rising

    @property
    def run(self) -> Path:
        return self._until(self.milestones[-1]).run

    @property
    def budget(self) -> int:
        return self.milestones[-1]

    @property
    def is_done(self) -> bool:
        return len(self.measured()) == len(self.milestones)

    @property
    def spent(self) -> int:
        return self.milestones[-1] if self.is_done else self._until(self.milestones[-1]).spent

    def make(self, is_interrupted: Callable[[], bool], on_steps: Callable[[int], None]) -> None:
        seen = self.measured()
        if self._has_passed_unseen(seen):
            shutil.rmtree(self.folder)
            seen = []
        for iterations in self.milestones[len(seen) :]:
            crawl = self._until(iterations)
            if not crawl.is_done:
                crawl.make(is_interrupted, on_steps)
            if not crawl.is_done:
                return
            seen.append(_seen_of(crawl, iterations))
            self._write(seen)

    def measured(self) -> list[Milestone]:
        """Return the milestones measured so far; none where the file is missing or cannot be read."""
        try:
            found = json.loads((self.folder / _FILE).read_text(encoding="utf-8"))
            return [Milestone(**each) for each in found][: len(self.milestones)]
        except (OSError, ValueError, TypeError):
            return []

    def _has_passed_unseen(self, seen: Sequence[Milestone]) -> bool:
        """Whether the crawl is beyond a milestone of which nothing is known; only a damaged file can be the reason."""
        ahead = self.milestones[len(seen) :]
        return bool(ahead) and _fetches(self.run) > ahead[0]

    def _until(self, iterations: int) -> CrawlTask:
        budget = replace(self.settings.budget, fetches=iterations)
        return CrawlTask(self.folder, replace(self.settings, budget=budget))

    def _write(self, seen: Sequence[Milestone]) -> None:
        draft = self.folder / f"{_FILE}.draft"
        draft.write_text(json.dumps([asdict(each) for each in seen], indent=1) + "\n", encoding="utf-8")
        draft.replace(self.folder / _FILE)


def _fetches(run: Path) -> int:
    try:
        with open_run(run) as opened:
            return opened.progress.fetches
    except HoneyguideError:
        return 0


def _seen_of(crawl: CrawlTask, iterations: int) -> Milestone:
    with open_run(crawl.run) as run:
        progress = run.progress
    return Milestone(
        iterations=iterations,
        fetches=progress.fetches,
        pages=progress.pages,
        waiting=progress.waiting,
        largest_waiting=progress.largest_waiting,
        pruned=progress.pruned,
        pages_not_followed=progress.pages_not_followed,
        simulated_s=round(progress.now, 4),
        real_s=round(crawl.seconds, 4),
        is_exhausted=progress.stop_reason == StopReason.EXHAUSTED,
    )
