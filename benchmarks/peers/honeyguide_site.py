"""Our crawl of one site, judged by embeddings and stored: `honeyguide_site.py START_URL STRATEGY WORKERS [whole]`.

Delays are zero and robots.txt is not asked for, as for the peers; one request at a time all the same, as everything is
on one host. With `whole` the guard looks at every page and the index takes it in, as they do by default; else they are
off, since the peers have neither. Prints one JSON object.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import honeyguide.fetch  # noqa: F401 - an import like the peers' own, which a crawl makes only when it needs it
from honeyguide.crawler import crawl
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
    start, strategy, workers, *whole = sys.argv[1:]
    settings = settings_of(start, strategy, int(workers), is_whole=whole == ["whole"])
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        with crawl(Path(folder) / "run", settings) as run:
            seconds = time.perf_counter() - started
            pages = sum("html" in page.media_type for page in run.pages())
    print(json.dumps({"pages": pages, "seconds": seconds}))


if __name__ == "__main__":
    main()
