"""A crawl in a process of its own, to be killed.

Usage: `python crawl_child.py RUN BUDGET CONCURRENCY STRATEGY FOUND_AGAIN [OVERRIDES]`, the last as a JSON object. With
`SCRIPTED_GUARD` in the environment, the crawl has that guard; with `ANSWERED`, it asks about pages. Its vectors are
made by hashing, unless the overrides name some.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # what pytest's own `pythonpath` does for the tests

from crawler.small_crawls import reply_to, settings_for
from honeyguide.crawler import CrawlOptions, CrawlStarted, Event, crawl, resume
from scripted_guard import guarded_by
from vectors_by_hash import hashed_vectors


def announce(event: Event) -> None:
    print("crawling" if isinstance(event, CrawlStarted) else "went on", flush=True)


def main() -> None:
    if "SCRIPTED_GUARD" in os.environ:
        with guarded_by():
            run_or_resume()
    else:
        run_or_resume()


def run_or_resume() -> None:
    path, budget, concurrency, strategy, found_again, *more = sys.argv[1:]
    overrides = json.loads(more[0]) if more else {}
    options: CrawlOptions = {"listeners": [announce]}
    if not any(key.startswith("vectors__") for key in overrides):
        options["vectors"] = hashed_vectors()
    if "ANSWERED" in os.environ:
        options["on_question"] = reply_to
    if Path(path, "honeyguide.json").exists():
        run = resume(path, **options)
    else:
        settings = settings_for(
            strategy, budget=int(budget), concurrency=int(concurrency), found_again=found_again, **overrides
        )
        run = crawl(path, settings, **options)
    run.close()


if __name__ == "__main__":
    main()
