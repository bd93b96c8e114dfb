"""Our crawl of one site, judged and stored: `honeyguide_site.py START_URL STRATEGY WORKERS [whole] [timed]`.

Delays are zero and robots.txt is not asked for, as for the peers; one request at a time all the same, as everything is
on one host. With `whole` the guard looks at every page and the index takes it in, as they do by default; else they are
off, since the peers have neither. Prints one JSON object, with the seconds of processor time of each process; with
`timed` also of each part, which takes some per cent of them.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

from honeyguide.crawler import crawl
from honeyguide.fetch import HttpFetcher  # noqa: F401 - with aiohttp: like the peers' own, and not a part of the crawl
from honeyguide.settings import SETTINGS_BY_KEY, Settings, with_overrides

BUDGET = 100_000


def settings_of(start: str, strategy: str, workers: int, *, is_whole: bool = False) -> Settings:
    wanted: dict[str, object] = {
        "topic.name": "databases",
        "topic.keywords": ["query", "index"],
        "crawl.world": "live",
        "crawl.seed_urls": [start],
        "crawl.strategy": strategy,
        "crawl.concurrency": 32,
        "crawl.workers": workers,
        "budget.fetches": BUDGET,
        "fetch.allow_private": ["127.0.0.0/8"],
        "fetch.contact": "benchmark",
        "politeness.delay_s": 0.0,
        "politeness.delay_factor": 0.0,
        "politeness.obey_robots": False,
        "guard.on": is_whole,
        "search.live": "on" if is_whole else "off",
        "scope.allow_hosts": [start.split("/")[2].partition(":")[0]],
    }
    return with_overrides(Settings(), {key: value for key, value in wanted.items() if key in SETTINGS_BY_KEY})


def main() -> None:
    start, strategy, workers, *how = sys.argv[1:]
    settings = settings_of(start, strategy, int(workers), is_whole="whole" in how)
    # Stages are timed by the clock; here by the processor, so that waiting costs nothing.
    timed = patch("honeyguide.crawler.parts.perf_counter", time.thread_time) if "timed" in how else nullcontext()
    with tempfile.TemporaryDirectory() as folder, timed:
        started, before = time.perf_counter(), processor_times()
        with crawl(Path(folder) / "run", settings) as run:
            seconds, after = time.perf_counter() - started, processor_times()
            pages = sum("html" in page.media_type for page in run.pages())
            stages = run.stage_seconds()
    main_s, threads_s, workers_s = (end - start for start, end in zip(before, after, strict=True))
    processes = {"the crawl": main_s, "index, its threads": threads_s, "reading pages": workers_s}
    parts = by_part(stages, threads_s, main_s + threads_s + workers_s) if "timed" in how else {}
    print(json.dumps({"pages": pages, "seconds": seconds, "parts": parts, "processes": processes}))


def processor_times() -> tuple[float, float, float]:
    """Seconds of this thread, of those beside it, which index, and of worker processes that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    here = time.thread_time()
    return here, time.process_time() - here, ended.ru_utime + ended.ru_stime


def by_part(stages: dict[str, float], threads_s: float, all_s: float) -> dict[str, float]:
    named = {
        "parse": stages["parse"],
        "judge": stages["judge"],
        "links and learning": stages["links"] + stages["learn"],
        "choosing a link": stages["choose"],
        "guard": stages["guard"],
        "store": stages["store"],
        "index": threads_s,
    }
    return {**named, "HTTP, loop, prints, packing, handing over, start": all_s - sum(named.values())}


if __name__ == "__main__":
    main()
