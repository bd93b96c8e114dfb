"""How fast is the weighted queue with a million adds and extracts?

Run `python benchmarks/weighted_queue.py [--json] [--items N]`. All items are added, then all are extracted, in three
kinds of weights: topic weights in the shares that a crawl of a wiki meets, one weight for all, and all weights
different. Beside ours: `heapq` with a set, the usual way; the frontier of a crawl, which also knows hosts and rows,
pushed to 50 links at a time; and the document's way, a map in the order of arrival that is looked through at every
extraction. That one is measured on few items, in steps that show how it grows, and the time for all of them is
extrapolated from the last step by the square of the number. Every order is compared with ours. Processor time.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import time
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.frontier import Arrivals, BestFirstFrontier, HostClocks, HostId, Taken, WeightedQueue
from honeyguide.model import LinkId
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PAGE = 50  # links pushed at a time
SCANNED = (2_500, 5_000, 10_000)
REPEATS = 3
WEIGHTLESS = 0.75  # share of links without a topic word near, as on the 2006 dump


class HeapqWithSet:
    """A heap of tuples and a set of what is in it."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, str]] = []
        self._waiting: set[str] = set()
        self._added = 0

    def add(self, item: str, weight: float) -> bool:
        if item in self._waiting:
            return False
        self._waiting.add(item)
        heapq.heappush(self._heap, (-weight, self._added, item))
        self._added += 1
        return True

    def extract(self) -> tuple[str, float]:
        weight, _, item = heapq.heappop(self._heap)
        self._waiting.remove(item)
        return item, -weight


class LinearScan:
    """The document's: a hash map in the order of arrival, in which extraction looks for the heaviest."""

    def __init__(self) -> None:
        self._weights: dict[str, float] = {}

    def add(self, item: str, weight: float) -> bool:
        if item in self._weights:
            return False
        self._weights[item] = weight
        return True

    def extract(self) -> tuple[str, float]:
        heaviest = max(self._weights, key=self._weights.__getitem__)
        return heaviest, self._weights.pop(heaviest)


def queue_seconds(
    make: Callable[[], WeightedQueue[str] | HeapqWithSet | LinearScan], items: Sequence[str], weights: Sequence[float]
) -> tuple[float, float, list[str]]:
    """Seconds for all adds and for all extracts, the better of a few, and the items in the order they came out."""
    best = [float("inf")] * 2
    order: list[str] = []
    for _ in range(REPEATS):
        queue = make()
        add, extract = queue.add, queue.extract
        started = time.process_time()
        for item, weight in zip(items, weights, strict=True):
            add(item, weight)
        added = time.process_time()
        order = [extract()[0] for _ in items]
        best = [min(best[0], added - started), min(best[1], time.process_time() - added)]
    return best[0], best[1], order


def frontier_seconds(weights: Sequence[float]) -> tuple[float, float, list[int]]:
    """The same of the frontier, once."""
    frontier = BestFirstFrontier(HostClocks(), row_width=1)
    scores = np.array(weights)
    rows = scores[:, None].astype(np.float16)
    numbers = [LinkId(number) for number in range(len(weights))]
    hosts = [HostId(0)] * PAGE
    started = time.process_time()
    for begin in range(0, len(numbers), PAGE):
        part = slice(begin, begin + PAGE)
        links = numbers[part]
        frontier.push(Arrivals(links, hosts[: len(links)], scores[part], rows[part]))
    added = time.process_time()
    order = []
    for _ in numbers:
        taken = frontier.take(0.0)
        assert isinstance(taken, Taken)
        order.append(int(taken.link))
    return added - started, time.process_time() - added, order


def weights_by_kind(count: int) -> dict[str, list[float]]:
    chance = random.Random(1)
    steps = [1.0, *(1 / (distance + 2) for distance in range(21))]
    return {
        "topic weights": [0.0 if chance.random() < WEIGHTLESS else chance.choice(steps) for _ in range(count)],
        "all equal": [0.0] * count,
        "all different": [chance.random() for _ in range(count)],
    }


def row(name: str, add_s: float, extract_s: float, count: int, kind: str) -> dict[str, object]:
    return {
        "weights": kind,
        "queue": name,
        "items": count,
        "adds_per_s": round(count / add_s),
        "extracts_per_s": round(count / extract_s),
        "operations_per_s": round(2 * count / (add_s + extract_s)),
        "seconds": round(add_s + extract_s, 4),
    }


def measured(items: int) -> list[dict[str, object]]:
    names = [f"/wiki/Article_{number}" for number in range(items)]
    found = []
    for kind, weights in weights_by_kind(items).items():
        add_s, extract_s, order = queue_seconds(WeightedQueue, names, weights)
        found.append(row("WeightedQueue", add_s, extract_s, items, kind))
        add_s, extract_s, other = queue_seconds(HeapqWithSet, names, weights)
        assert other == order, "heapq gives another order"
        found.append(row("heapq with a set", add_s, extract_s, items, kind))
        add_s, extract_s, numbers = frontier_seconds(weights)
        assert [names[number] for number in numbers] == order, "the frontier gives another order"
        found.append(row("frontier", add_s, extract_s, items, kind))
        for few in SCANNED:
            add_s, extract_s, other = queue_seconds(LinearScan, names[:few], weights[:few])
            assert other == queue_seconds(WeightedQueue, names[:few], weights[:few])[2], "the scan gives another order"
            found.append(row("linear scan", add_s, extract_s, few, kind))
        hours = (add_s + extract_s) * (items / SCANNED[-1]) ** 2 / 3600
        found[-1]["hours_for_all_extrapolated"] = round(hours, 2)
    return found


def table(found: list[dict[str, object]]) -> str:
    lines = [
        "| weights | queue | items | adds/s | extracts/s | operations/s | seconds |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for each in found:
        told = [f"{value:,}" for key, value in each.items() if key not in ("weights", "queue") and "hours" not in key]
        hours = each.get("hours_for_all_extrapolated")
        told[-1] += f" (all: {hours} h, extrapolated)" if hours else ""
        lines.append(f"| {each['weights']} | {each['queue']} | {' | '.join(told)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--items", type=int, default=1_000_000)
    arguments = parser.parse_args()
    found = measured(arguments.items)
    if arguments.json:
        print(json.dumps({"machine": machine(), "measured": found}, indent=2))
    else:
        print(", ".join(f"{key} {value}" for key, value in machine().items()), table(found), sep="\n\n")


if __name__ == "__main__":
    main()
