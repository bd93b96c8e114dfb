"""How long does it take to take in an answer, and how large is what is kept of a page for it?

    python benchmarks/answers.py [--pages 10000]

Crawls a synthetic web, then gives answers about its pages one by one: teach the judge, judge every page again, tell the
strategy every fetch again, give all waiting links new rows and scores, and store it.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.crawler import RunToAnswer, crawl
from honeyguide.runs import PageAnswer, open_run
from honeyguide.settings import settings_from
from machine import machine

if TYPE_CHECKING:
    from honeyguide.runs.inbox import Reply

ANSWERS = 6
LARGER = 15  # the web has so many times the pages that are fetched


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000, help="fetches of the crawl")
    pages = parser.parse_args().pages
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder, "run"), pages)


def measure(run: Path, pages: int) -> None:
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": f"synthetic:seed=3,pages={pages * LARGER},hosts={max(20, pages // 40)}"},
            "budget": {"fetches": pages},
            "judge": {"kind": "learned"},
        }
    )
    started = time.perf_counter()
    crawl(run, settings).close()
    print(machine())
    print(f"crawl: {pages / (time.perf_counter() - started):.0f} fetches/s")
    database = sqlite3.connect(run / "crawl.sqlite")
    (described,) = database.execute("SELECT avg(length(description)) FROM pages").fetchone()
    database.close()
    with open_run(run) as opened:
        asked = [page.url for page in opened.pages(best_first=True, limit=ANSWERS * 50)][::50]
        print(
            f"{opened.progress.pages:,} pages, {opened.progress.waiting:,} waiting, {described:.0f} bytes a description"
        )
    started = time.perf_counter()
    with RunToAnswer(run) as held:
        print(f"restored in {time.perf_counter() - started:.2f} s")
        for number, url in enumerate(asked):
            reply: Reply = "no" if number % 2 else "yes"
            started, worked = time.perf_counter(), time.process_time()
            taken = held.give(PageAnswer(url, reply))
            assert taken is not None
            took = f"{time.perf_counter() - started:.2f} s ({time.process_time() - worked:.2f} s of processor time)"
            print(f"{reply}: {took}, {taken.changed:,} pages judged otherwise")


if __name__ == "__main__":
    main()
