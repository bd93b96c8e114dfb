"""How much memory does a long crawl take, and does it level off?

`python benchmarks/memory.py [--fetches 100000] [--strategy best-first] [--spec SPEC] [--run FOLDER] [--json]`: a crawl
of a large synthetic web in process, with everything judged and stored. Every hundredth of the way it says how many
pages there are, how many links wait, what the process has in memory now (resident), and how much it ever had.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import honeyguide
from honeyguide.crawler import PageJudged
from honeyguide.settings import settings_from
from machine import machine

if TYPE_CHECKING:
    from honeyguide.crawler import Event

SPEC: Final = "seed=1,pages=3000000,hosts=5000,mean_links=28"  # a million links wait after 92,000 fetches
PAGE_BYTES: Final = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a crawl was, and what it had in memory."""

    pages: int
    fetches: int
    waiting: int
    resident_mb: float
    peak_mb: float
    seconds: float


class Course:
    """Listens to a crawl and notes its memory every so many fetches."""

    def __init__(self, every: int, *, is_quiet: bool) -> None:
        self.moments: list[Moment] = []
        self._every = every
        self._is_quiet = is_quiet
        self._started = time.perf_counter()

    def __call__(self, event: Event) -> None:
        if not isinstance(event, PageJudged) or event.progress.fetches < self._every * (len(self.moments) + 1):
            return
        progress = event.progress
        seconds = time.perf_counter() - self._started
        moment = Moment(progress.pages, progress.fetches, progress.waiting, resident_mb(), peak_mb(), seconds)
        self.moments.append(moment)
        if not self._is_quiet:
            print(
                f"{moment.fetches:>8,} fetches {moment.pages:>8,} pages {moment.waiting:>10,} waiting "
                f"{moment.resident_mb:7.0f} MB now {moment.peak_mb:7.0f} MB at most {moment.seconds:7.0f} s",
                flush=True,
            )


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES / 1e6


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--fetches", type=int, default=100_000)
    options.add_argument("--strategy", default="best-first")
    options.add_argument("--spec", default=SPEC)
    options.add_argument("--run", type=Path, help="where to leave the run; without it, it is thrown away")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": f"synthetic:{chosen.spec}", "strategy": chosen.strategy, "concurrency": 64},
            "budget": {"fetches": chosen.fetches},
            "politeness": {"delay_s": 0.0, "max_delay_s": 0.0},
        }
    )
    course = Course(max(1, chosen.fetches // 100), is_quiet=chosen.json)
    with tempfile.TemporaryDirectory() as folder:
        honeyguide.crawl(chosen.run or Path(folder) / "run", settings, listeners=[course]).close()
    if chosen.json:
        told = [asdict(moment) for moment in course.moments]
        print(json.dumps({"machine": machine(), "course": told}, indent=2))


if __name__ == "__main__":
    main()
