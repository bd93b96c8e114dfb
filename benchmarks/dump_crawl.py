"""How long does a crawl of a Wikipedia dump take, and what share of it is the engine's own?

Run `python benchmarks/dump_crawl.py WORLD [--fetches N] [--repeats N] [--json]`, where WORLD was made by
`honeyguide wiki build`. Strategies that do not learn crawl it from its entry page, everything judged and stored, with
the stopwatch of `engine.py` on every seam. Of the repeats the one of median length is told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from typing import Any

from threadpoolctl import threadpool_limits

from engine import bare_loop, crawl_timed
from honeyguide.settings import settings_from
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.wiki import WikiWorld
from machine import machine

STRATEGIES = ("breadth-first", "best-first")


def timed(strategy: str, path: str, topic: str, fetches: int, source: EnglishVectors) -> dict[str, Any]:
    """One crawl that has met no word yet, with the part that each stage has in it."""
    settings = settings_from(
        {
            "topic": {"name": topic},
            "crawl": {"world": f"wiki:{path}", "strategy": strategy, "concurrency": 16},
            "budget": {"fetches": fetches},
            "politeness": {"delay_s": 0.0},
        }
    )
    with WikiWorld(path) as world:
        row = crawl_timed(settings, world, WordVectors(source))
    total = sum(row["ms_by_stage"].values())
    return row | {"share_by_stage": {stage: spent / total for stage, spent in row["ms_by_stage"].items()}}


def median(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return sorted(rows, key=lambda row: row["seconds"])[len(rows) // 2]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("world", metavar="WORLD")
    options.add_argument("--topic", default="music")
    options.add_argument("--fetches", type=int, default=2000)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    source = EnglishVectors()
    with threadpool_limits(1, "blas"):
        with WikiWorld(chosen.world) as world:
            bare = asyncio.run(bare_loop(chosen.fetches, world))
        rows = [
            median([timed(strategy, chosen.world, chosen.topic, chosen.fetches, source) for _ in range(chosen.repeats)])
            for strategy in STRATEGIES
        ]
    if chosen.json:
        print(json.dumps({"machine": machine(), "bare_loop_per_s": bare, "strategies": rows}, indent=2))
        return
    print(machine())
    print(f"bare loop (fetch and parse only): {bare:,.0f} fetches/s")
    for row in rows:
        print(
            f"\n{row['strategy']}: {row['fetches']:,} fetches in {row['seconds']:.2f} s, {row['fetches_per_s']:,.0f} a "
            f"second; {row['waiting']:,} links waiting; {row['disk_bytes_per_page']:,.0f} bytes on disk for a page of "
            f"{row['body_bytes_per_page']:,.0f}"
        )
        for stage, share in row["share_by_stage"].items():
            print(f"  {stage:16} {row['ms_by_stage'][stage]:6.3f} ms a fetch, {share:6.1%}")


if __name__ == "__main__":
    main()
