"""What does a crawl remember of the links it meets when only the best so many may wait?

Run `python benchmarks/beam.py [--json] [--links N] [--width N]`. A web whose pages show 500 links each, all different,
is crawled until `--links` links were shown, by the engine's own core without a store. Links are worth a number drawn
from their address. Counted is what frontier and table of links hold at the end, by the allocator's own books, for a
frontier without a limit, for a beam, and for a beam under `scope.max_pages`, where pruned links are numbered too.
"""

from __future__ import annotations

import argparse
import gc
import json
import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import xxhash

from honeyguide.crawler import Builder, CrawlCore, Dispatch
from honeyguide.learn.strategy import Order, Unlearned
from honeyguide.model import Answer, Fetched, Url
from honeyguide.settings import settings_from
from machine import machine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.model import Candidates, Rows

LINKS_OF_A_PAGE = 500
HOSTS = 1000
COUNTED = ("*/honeyguide/frontier/*", "*/honeyguide/engine/link_table.py")


class ByHash(Unlearned):
    """A worth for every address that has nothing to do with what it says."""

    order = Order.BEST_SCORE
    row_width = 1

    def __init__(self, width: int) -> None:
        self.capacity = width

    def describe(self, candidates: Candidates) -> Rows:
        drawn = [xxhash.xxh3_64_intdigest(url.text.encode()) / 2**64 for url in candidates.targets]
        return np.array(drawn, dtype=np.float16).reshape(-1, 1)

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return rows[:, 0].astype(np.float64)


def page(number: int) -> Answer:
    """The page fetched as the number-th: links that no page before it has shown."""
    first = number * LINKS_OF_A_PAGE
    links = (
        f'<a href="http://h{n % HOSTS}.test/articles/{n}.html">x</a>' for n in range(first, first + LINKS_OF_A_PAGE)
    )
    return Answer(Fetched(200, "text/html", f"<main>{' '.join(links)}</main>".encode()), 0.0)


def measured(links: int, width: int, max_pages: int = 0) -> dict[str, float]:
    settings = settings_from(
        {
            "crawl": {"strategy": "breadth-first"},
            "politeness": {"delay_s": 0.0},
            "scope": {"max_pages": max_pages},
            "budget": {"fetches": links // LINKS_OF_A_PAGE},
        }
    )
    builder, strategy = Builder(settings), ByHash(width)
    tracemalloc.start()
    parts = builder.parts()
    core = CrawlCore(
        replace(parts, strategy=strategy, frontier=builder.frontier(strategy, parts.schedule, parts.links)), settings
    )
    core.start([Url.parse("http://h0.test/")], 0.0)
    fetched = 0
    while isinstance(chosen := core.choose(0.0), Dispatch):
        core.apply(chosen, page(fetched), 0.0)
        fetched += 1
    gc.collect()
    taken = tracemalloc.take_snapshot().filter_traces(
        [tracemalloc.Filter(inclusive=True, filename_pattern=each) for each in COUNTED]
    )
    tracemalloc.stop()
    held = {"frontier": 0, "link table": 0}
    for statistic in taken.statistics("filename"):
        name = statistic.traceback[0].filename
        held["link table" if name.endswith(("link_table.py", "seen.py")) else "frontier"] += statistic.size
    return {
        "links shown": fetched * LINKS_OF_A_PAGE,
        "links numbered": len(core.links),
        "waiting": len(core.frontier),
        "largest frontier": core.progress.largest_waiting,
        "frontier MB": round(held["frontier"] / 1e6, 2),
        "link table MB": round(held["link table"] / 1e6, 2),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--links", type=int, default=200_000)
    options.add_argument("--width", type=int, default=1_000)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    figures = {
        "no limit": measured(chosen.links, 0),
        f"beam of {chosen.width:,}": measured(chosen.links, chosen.width),
        "the same, all numbered": measured(chosen.links, chosen.width, max_pages=10**9),
    }
    if chosen.json:
        print(json.dumps({"machine": machine(), "figures": figures}, indent=2))
        return
    print(" ".join(f"{key} {value}" for key, value in machine().items()))
    for name, values in figures.items():
        print(f"{name}: " + ", ".join(f"{key} {value:,}" for key, value in values.items()))


if __name__ == "__main__":
    main()
