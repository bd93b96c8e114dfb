"""How long does one page of the synthetic web take, and how much memory does the web need?

Run `python benchmarks/synthetic_pages.py [--json]`. Each row asks a fresh web for pages spread evenly over all of it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import time
import tracemalloc
from dataclasses import asdict, dataclass

import numpy as np

from honeyguide.model import Fetched
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld

LIMIT_MS = 0.3


@dataclass(frozen=True, slots=True)
class Timing:
    """What one web costs."""

    web_pages: int
    asked_pages: int
    mean_ms: float
    median_ms: float
    p95_ms: float
    mean_body_bytes: float
    open_s: float  # to make the web
    held_mb: float  # what the web holds after answering, by tracemalloc


def measure(spec: SyntheticSpec, asked: int) -> Timing:
    """Open a web, ask for `asked` of its pages, and weigh it."""
    started = time.perf_counter()
    world = SyntheticWorld(spec)
    open_s = time.perf_counter() - started
    urls = [world.url_of(number * (spec.pages // asked)) for number in range(asked)]
    times_ms, sizes = [], []
    for url in urls:
        started = time.perf_counter()
        outcome = world.answer(url).outcome
        times_ms.append((time.perf_counter() - started) * 1e3)
        if isinstance(outcome, Fetched):
            sizes.append(len(outcome.body))
    return Timing(
        web_pages=spec.pages,
        asked_pages=asked,
        mean_ms=statistics.fmean(times_ms),
        median_ms=statistics.median(times_ms),
        p95_ms=statistics.quantiles(times_ms, n=20)[-1],
        mean_body_bytes=statistics.fmean(sizes),
        open_s=open_s,
        held_mb=held_mb(spec),
    )


def held_mb(spec: SyntheticSpec) -> float:
    """Megabytes that a web holds once it has answered a thousand pages, measured apart from the timing."""
    tracemalloc.start()
    world = SyntheticWorld(spec)
    for number in range(1000):
        world.answer(world.url_of(number * (spec.pages // 1000)))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return held / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--asked", type=int, default=5000, help="pages to ask for")
    arguments = parser.parse_args()
    specs = (SyntheticSpec(), SyntheticSpec(pages=1_000_000))
    timings = [measure(spec, arguments.asked) for spec in specs]
    machine = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    if arguments.json:
        print(json.dumps({"machine": machine, "limit_ms": LIMIT_MS, "timings": [asdict(row) for row in timings]}))
        return
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    print(f"{'pages':>9} {'mean ms':>8} {'median':>8} {'p95':>8} {'bytes':>7} {'open s':>7} {'held MB':>8}")
    for row in timings:
        print(
            f"{row.web_pages:>9} {row.mean_ms:>8.3f} {row.median_ms:>8.3f} {row.p95_ms:>8.3f} "
            f"{row.mean_body_bytes:>7.0f} {row.open_s:>7.2f} {row.held_mb:>8.1f}"
        )


if __name__ == "__main__":
    main()
