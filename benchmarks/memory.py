"""How much memory does a long crawl take, and does it level off?

`python benchmarks/memory.py [--fetches 100000] [--strategy best-first] [--spec SPEC] [--run FOLDER] [--json]`: a crawl
of a large synthetic web in process, with everything judged and stored. Every hundredth of the way it says how many
pages there are, how many links wait, what the process has in memory now (resident), how much of that is in no file, and
how much it ever had. A run that is there already goes on; time and peak are then those since it went on.

With `--waiting 10000000` there is no crawl: so many links of 100,000 hosts are met and wait, with rows as wide as those
of the default strategy, and after every 1,000 of them one is taken, all being re-scored. It says the bytes for each
further link. With `--whole` their parents and chances of an answer are there, too, as the default strategy has them.
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

import numpy as np

import honeyguide
from honeyguide.crawler import PageJudged
from honeyguide.crawler.links import LinkChances, LinkTable
from honeyguide.crawler.parents import ParentTable
from honeyguide.frontier import Arrivals, BestFirstFrontier, Taken
from honeyguide.learn import DeadEnds, SiteParts
from honeyguide.model import LinkId, LinkState, PageFacts, Url, weighted_sums
from honeyguide.settings import settings_from
from machine import machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.crawler import Event
    from honeyguide.model import Rows

SPEC: Final = "seed=1,pages=3000000,hosts=5000,mean_links=28"  # a million links wait after 92,000 fetches
ROW_WIDTH: Final = 44
HOSTS: Final = 100_000
AT_ONCE: Final = 1_000
PAGE_BYTES: Final = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a crawl was, and what it had in memory."""

    pages: int
    fetches: int
    waiting: int
    resident_mb: float
    anonymous_mb: float  # of that, what is in no file: the system cannot drop it
    peak_mb: float
    seconds: float  # by the clock
    cpu_s: float


class Course:
    """Listens to a crawl and notes its memory every so many fetches."""

    def __init__(self, every: int, *, is_quiet: bool) -> None:
        self.moments: list[Moment] = []
        self._every = self._next = every
        self._is_quiet = is_quiet
        self._started = time.perf_counter()

    def __call__(self, event: Event) -> None:
        if not isinstance(event, PageJudged) or event.progress.fetches < self._next:
            return
        progress = event.progress
        self._next = (progress.fetches // self._every + 1) * self._every
        seconds = time.perf_counter() - self._started
        moment = moment_of(progress.pages, progress.fetches, progress.waiting, seconds)
        self.moments.append(moment)
        if not self._is_quiet:
            print_moment(moment)


class AlwaysReady:
    """Hosts that may be asked at any time."""

    def are_all_ready(self, _now: float) -> bool:
        return True

    def ready_at(self, count: int) -> NDArray[np.float64]:
        return np.zeros(count)

    def asked_at(self, count: int) -> NDArray[np.float64]:
        return np.zeros(count)


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """Scores rows by a weighted sum."""

    weights: NDArray[np.float64]

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return weighted_sums(rows, self.weights)


def wait(links: int, *, is_whole: bool, is_quiet: bool) -> list[Moment]:
    """Let so many links wait, and look at the memory twenty times on the way."""
    table, chance = LinkTable(), np.random.default_rng(1)
    dead_ends = DeadEnds(same_host=0, in_main=1, has_anchor=2, nearness=3, shown_by=4)
    parents, site_parts = ParentTable(), SiteParts(ROW_WIDTH)
    chances = LinkChances(table, dead_ends, site_parts) if is_whole else None
    frontier = BestFirstFrontier(AlwaysReady(), ROW_WIDTH, chances)
    weights, ones = chance.normal(size=ROW_WIDTH), np.ones(AT_ONCE, dtype=np.int64)
    moments, started = [], time.perf_counter()
    for taken, first in enumerate(range(0, links, AT_ONCE), 1):
        urls = [Url(f"http://h{n % HOSTS}.example.test/section/page-{n}.html") for n in range(first, first + AT_ONCE)]
        numbers = table.meet_new(urls, depth=ones, distance=ones, found_on=0 * ones)
        rows = chance.normal(size=(AT_ONCE, ROW_WIDTH)).astype(np.float16)
        met = [LinkId(number) for number in numbers.tolist()]
        if is_whole:
            parents.add_parent(met, PageFacts(LinkId(0), 0.5, is_relevant=True, smoothed=0.5, distance=0))
        frontier.push(Arrivals(met, table.hosts(met), weighted_sums(rows, weights), rows))
        weights = weights + chance.normal(scale=0.001, size=ROW_WIDTH)
        frontier.reprice(Weighted(weights))
        best = frontier.take(0.0)
        assert isinstance(best, Taken)
        table.set_state(best.link, LinkState.DONE)
        if is_whole:
            url = table.url(best.link)
            dead_ends.observe(url, best.row, 1.0)
            site_parts.add(url, best.row.astype(np.float64), 1.0)
            site_parts.tell(url, weights)
        if (first + AT_ONCE) % (links // 20) == 0:
            moments.append(moment_of(0, taken, len(frontier), time.perf_counter() - started))
            if not is_quiet:
                print_moment(moments[-1])
    return moments


def print_moment(moment: Moment) -> None:
    print(
        f"{moment.fetches:>8,} fetches {moment.pages:>8,} pages {moment.waiting:>10,} waiting "
        f"{moment.resident_mb:6.0f} MB now {moment.anonymous_mb:6.0f} in no file {moment.peak_mb:6.0f} at most "
        f"{moment.seconds:6.0f} s {moment.cpu_s:6.0f} s of processor",
        flush=True,
    )


def moment_of(pages: int, fetches: int, waiting: int, seconds: float) -> Moment:
    return Moment(pages, fetches, waiting, resident_mb(), anonymous_mb(), peak_mb(), seconds, time.process_time())


def resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES / 1e6


def anonymous_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("RssAnon:")[2].split()[0]) * 1024 / 1e6


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--fetches", type=int, default=100_000)
    options.add_argument("--strategy", default="best-first")
    options.add_argument("--spec", default=SPEC)
    options.add_argument("--run", type=Path, help="where to leave the run; without it, it is thrown away")
    options.add_argument("--json", action="store_true")
    options.add_argument(
        "--waiting", type=int, default=0, metavar="LINKS", help="let so many links wait, without a crawl"
    )
    options.add_argument("--whole", action="store_true", help="of waiting links, with parents and chances")
    chosen = options.parse_args()
    if chosen.waiting:
        moments = wait(chosen.waiting, is_whole=chosen.whole, is_quiet=chosen.json)
        half, end = moments[len(moments) // 2 - 1], moments[-1]
        further = (end.resident_mb - half.resident_mb) * 1e6 / (end.waiting - half.waiting)
        if chosen.json:
            told = [asdict(moment) for moment in moments]
            print(json.dumps({"machine": machine(), "course": told, "bytes_a_further_link": further}, indent=2))
            return
        print(f"{further:.0f} bytes for each further link")
        return
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
        run = chosen.run or Path(folder) / "run"
        if run.exists():
            honeyguide.resume(run, budget=chosen.fetches, listeners=[course]).close()
        else:
            honeyguide.crawl(run, settings, listeners=[course]).close()
    if chosen.json:
        told = [asdict(moment) for moment in course.moments]
        print(json.dumps({"machine": machine(), "course": told}, indent=2))


if __name__ == "__main__":
    main()
