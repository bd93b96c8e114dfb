"""How fast is the frontier when a million links wait, and what does a waiting link cost in memory?

Run `python benchmarks/frontier.py [--json] [--links N]`. Each column is a frontier with that many hosts, rows as wide
as the learner's, and, where there are enough hosts, some of them busy. Re-scoring every link at every step is compared,
in the same run and on the same rows, with the full pass that it replaces; push and take with a plain heap, which cannot
re-score and knows no hosts. Weights drift as those of online ridge regression do after so many pages. Memory is the
growth of the resident set of a fresh process that fills frontier and link table, so it includes what the allocator
wastes.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.crawler.links import LinkTable
from honeyguide.fetch import HostSchedule
from honeyguide.frontier import Arrivals, BestFirstFrontier, Taken
from honeyguide.learn.features import COLUMNS, MEANING, SCALARS
from honeyguide.learn.online_ridge import Ridge
from honeyguide.model import HostId, LinkId, Url, weighted_sums
from honeyguide.settings import FetchSettings, PolitenessSettings
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from honeyguide.model import Row, Rows

HOST_COUNTS = (1, 10_000)
PAGES_LEARNT = (1_000, 20_000)
BATCH = 50  # links on a page
BUSY_HOSTS = 32  # in flight, where there are hosts enough
STEPS = 1_200  # re-scored takes measured: more than the frontier remembers past weights
LIMIT_BYTES = 400


def rows_of_links(chance: np.random.Generator, count: int) -> Rows:
    """Rows with the columns of link features: fractions, flags, and part of a unit vector; pages share some of them."""
    pages = -(-count // BATCH)
    relevance = np.repeat(chance.beta(2, 5, size=pages), BATCH)[:count]
    depth = np.repeat(chance.integers(2, 12, size=pages), BATCH)[:count]
    distance = np.repeat(chance.geometric(0.4, size=pages) - 1, BATCH)[:count]
    cosines = np.clip(chance.normal(0.15, 0.15, size=(3, count)) + 0.2 * relevance, -1, 1)
    flags = chance.random((3, count)) < np.array([[0.7], [0.6], [0.9]])
    scalars = (
        np.ones(count),
        *cosines,
        relevance,
        relevance * cosines[0],
        1 / (1 + distance),
        *flags,
        1 / (1 + depth),
        np.zeros(count),
    )
    assert len(scalars) == len(SCALARS)
    meaning = chance.normal(size=(count, 2 * MEANING))
    meaning /= np.sqrt(np.square(meaning).sum(axis=1, keepdims=True))
    return np.concatenate((np.stack(scalars, axis=1), meaning[:, :MEANING]), axis=1).astype(np.float16)


class Learner:
    """Online ridge regression that has seen some pages; the truth it learns is linear, with noise."""

    def __init__(self, pages: int) -> None:
        self._chance = np.random.default_rng(pages)
        self._truth = self._chance.normal(scale=0.2, size=len(COLUMNS))
        prior = np.zeros(len(COLUMNS))
        prior[1:4] = 1 / 3
        self._ridge = Ridge.prior(prior, np.ones(len(COLUMNS)))
        for row in rows_of_links(self._chance, pages):
            self.learn(row)

    @property
    def weights(self) -> NDArray[np.float64]:
        return self._ridge.weights

    def score(self, rows: Rows) -> NDArray[np.float64]:
        return weighted_sums(rows, self.weights)

    def learn(self, row: Row) -> None:
        wide = row.astype(np.float64)
        reward = float(np.clip((wide * self._truth).sum() + self._chance.normal(scale=0.15), 0, 1))
        self._ridge = self._ridge.updated(wide, reward)


def _schedule() -> HostSchedule:
    return HostSchedule(PolitenessSettings(), FetchSettings(), is_live=False)


class Crowd:
    """A frontier full of links, and what is needed to work on it."""

    def __init__(self, links: int, hosts: int, rows: Rows) -> None:
        self.chance = np.random.default_rng(hosts)
        self.rows = rows
        self.scores = rows[:, 1:4].astype(np.float64).mean(axis=1)
        self.hosts = self.chance.integers(hosts, size=links)
        self.schedule = _schedule()
        self.frontier = BestFirstFrontier(self.schedule, rows.shape[1])
        self.push_s = self._fill()
        if hosts > BUSY_HOSTS:
            for host in range(BUSY_HOSTS):
                self.schedule.hold(HostId(host), f"h{host}.test", now=0.0)

    def _fill(self) -> float:
        spent_s = 0.0
        for begin in range(0, len(self.rows), BATCH):
            part = slice(begin, min(begin + BATCH, len(self.rows)))
            links = [LinkId(link) for link in range(part.start, part.stop)]
            hosts = [HostId(host) for host in self.hosts[part].tolist()]
            started = time.perf_counter()
            self.frontier.push(Arrivals(links, hosts, self.scores[part], self.rows[part]))
            spent_s += time.perf_counter() - started
        return spent_s

    def take(self) -> Taken:
        taken = self.frontier.take(0.0)
        assert isinstance(taken, Taken)
        return taken

    def take_random(self) -> Taken:
        taken = self.frontier.take_random(0.0, self.chance)
        assert isinstance(taken, Taken)
        return taken

    def some(self, count: int) -> list[LinkId]:
        drawn = self.chance.integers(len(self.rows), size=2 * count).tolist()
        return [LinkId(link) for link in dict.fromkeys(drawn) if LinkId(link) in self.frontier][:count]


def per_second(act: Callable[[], object], times: int) -> float:
    started = time.perf_counter()
    for _ in range(times):
        act()
    return times / (time.perf_counter() - started)


def plain_operations(crowd: Crowd) -> dict[str, float]:
    """Operations with scores that were set."""
    hundreds = itertools.cycle([crowd.some(100) for _ in range(50)])
    twenties = itertools.cycle([crowd.some(20) for _ in range(50)])

    def rescore() -> None:
        links = next(hundreds)
        crowd.frontier.rescore(links, crowd.scores[links])

    def replace() -> None:
        links = next(twenties)
        crowd.frontier.replace(links, crowd.scores[links], crowd.rows[links])

    return {
        "links pushed/s, in batches of 50": len(crowd.rows) / crowd.push_s,
        "rescore of 100 links/s": per_second(rescore, 500),
        "peek at 20 links/s": per_second(lambda: crowd.frontier.peek(next(twenties)), 2000),
        "replace of 20 links/s": per_second(replace, 500),
        "take/s": per_second(crowd.take, 2000),
        "take_random/s": per_second(crowd.take_random, 1000),
    }


def rescored_takes(crowd: Crowd, pages: int) -> dict[str, float]:
    """Takes with all links re-scored before each, against full passes over the same rows with the same weights."""
    learner = Learner(pages)
    crowd.frontier.reprice(learner)
    learner.learn(crowd.take().row)
    times_s = []
    for _ in range(STEPS):
        started = time.perf_counter()
        crowd.frontier.reprice(learner)
        taken = crowd.take()
        times_s.append(time.perf_counter() - started)
        learner.learn(taken.row)
    rate = STEPS / sum(times_s)
    passes = per_second(lambda: full_pass(crowd.rows, learner), 5)
    return {
        f"reprice + take/s after {pages:,} pages": rate,
        f"  slowest of {STEPS:,}, ms": 1e3 * max(times_s),
        "  full pass + argmax/s, same rows": passes,
        "  ratio": rate / passes,
    }


def full_pass(rows: Rows, learner: Learner) -> int:
    """The best row by looking at all of them, in blocks that stay in the processor's cache."""
    blocks = [learner.score(rows[begin : begin + 4096]) for begin in range(0, len(rows), 4096)]
    return int(np.argmax(np.concatenate(blocks)))


def heap_operations(crowd: Crowd) -> dict[str, float]:
    """The plain peer: one heap of (score, number)."""
    heap: list[tuple[float, int]] = []
    started = time.perf_counter()
    for number, score in enumerate(crowd.scores.tolist()):
        heapq.heappush(heap, (-score, number))
    push_s = time.perf_counter() - started
    return {
        "heapq: links pushed/s": len(crowd.rows) / push_s,
        "heapq: take/s": per_second(lambda: heapq.heappop(heap), min(2000, len(heap))),
    }


def blas_pass(crowd: Crowd) -> dict[str, float]:
    """The fastest full pass there is: single precision, twice the memory, and not the same sum for equal rows."""
    rows, weights = crowd.rows.astype(np.float32), Learner(1000).weights.astype(np.float32)
    return {"full pass by BLAS in float32 + argmax/s": per_second(lambda: int(np.argmax(rows @ weights)), 5)}


def address(link: int, host: int) -> Url:
    return Url(f"https://www.site-{host:05d}.example/articles/2024/{link % 97:02d}/story-{link:08d}-of.html")


def resident_bytes(field: str = "VmRSS") -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * int(status.partition(f"{field}:")[2].split()[0])


def fill_and_weigh(links: int, hosts: int) -> None:
    """In a process of its own: let links wait, and print what that took."""
    chance = np.random.default_rng(0)
    pool = rows_of_links(chance, 1000)
    scores = np.linspace(0, 1, 1000)
    before = resident_bytes()
    table, frontier = LinkTable(), BestFirstFrontier(_schedule(), len(COLUMNS))
    for begin in range(0, links, BATCH):
        count = min(BATCH, links - begin)
        # Host h is met before host h+1, as in a crawl; after that at random.
        numbers = [
            table.meet(address(link, link if link < hosts else int(host)), depth=3, distance=1)[0]
            for link, host in enumerate(chance.integers(hosts, size=count), start=begin)
        ]
        of_pool = slice(begin % 1000, begin % 1000 + count)
        frontier.push(Arrivals(numbers, table.hosts(numbers), scores[of_pool], pool[of_pool]))
    held, most = resident_bytes() - before, resident_bytes("VmHWM") - before
    print(json.dumps({"bytes a waiting link": held / links, "  at the peak, while columns grow": most / links}))


def memory(links: int, hosts: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--fill", str(hosts), "--links", str(links)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    weighed: dict[str, float] = json.loads(done.stdout)
    return weighed


def measure(links: int, hosts: int, rows: Rows) -> dict[str, float]:
    crowd = Crowd(links, hosts, rows)
    figures = plain_operations(crowd)
    for pages in PAGES_LEARNT:
        figures |= {
            f"{name} ({pages:,})" if name.startswith(" ") else name: figure
            for name, figure in rescored_takes(crowd, pages).items()
        }
    return figures | blas_pass(crowd) | heap_operations(crowd) | memory(links, hosts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--links", type=int, default=1_000_000, help="links that wait")
    parser.add_argument("--fill", type=int, metavar="HOSTS", help=argparse.SUPPRESS)  # the process that is weighed
    arguments = parser.parse_args()
    if arguments.fill:
        fill_and_weigh(arguments.links, arguments.fill)
        return
    rows = np.concatenate([rows_of_links(np.random.default_rng(part), arguments.links // 20) for part in range(20)])
    figures = {hosts: measure(len(rows), hosts, rows) for hosts in HOST_COUNTS}
    if arguments.json:
        document = {"machine": machine(), "links": len(rows), "limit_bytes": LIMIT_BYTES, "by_hosts": figures}
        print(json.dumps(document))
        return
    print(", ".join(f"{key} {value}" for key, value in machine().items()), f"· {len(rows):,} waiting links")
    print(f"{'':<44}" + "".join(f"{f'{hosts:,} hosts':>16}" for hosts in figures))
    for name in figures[HOST_COUNTS[0]]:
        print(f"{name:<44}" + "".join(f"{of_hosts[name]:>16,.1f}" for of_hosts in figures.values()))


if __name__ == "__main__":
    main()
