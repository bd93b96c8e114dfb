"""Does the synchronous learner cost more than the asynchronous one?

Run `python benchmarks/lfa.py [--steps N] [--loop-steps N] [--links N] [--json]`. Linear SARSA crawls the in-process
synthetic web, everything stored, until some 200,000 links wait, four times:

    asynchronous            only links like those of the newest page are scored again
    synchronous             every waiting link is, by one product over the distinct rows
    synchronous, all pairs  every (link, row) is kept by itself, and all of them are multiplied at each step
    synchronous, in a loop  the same in Python, pair by pair, as the papers' programs do; for `--loop-steps` only

The last two take the same links as the second, or the program stops. Seconds are of the processor, and by the clock in
brackets: on a busy machine only the first can be compared.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits

from honeyguide.crawler import Builder, CrawlCore, CrawlLoop
from honeyguide.crawler.transport import SimulatedTransport
from honeyguide.frontier import NotBefore, SharedRowsFrontier, Taken
from honeyguide.model import HostId, LinkId, weighted_sums
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import RunFolder, SqliteStore, open_run
from honeyguide.settings import settings_from
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from honeyguide.frontier import Arrivals, Frontier, HostReadiness, Scorer
    from honeyguide.model import Rows
    from honeyguide.settings import Settings

    Figures: TypeAlias = dict[str, float]

TOPIC: Final = "geology"
CONCURRENCY: Final = 16


class AllPairs:
    """Every link with every row of its own, in columns; a link leaves with all its rows."""

    def __init__(self, clocks: HostReadiness, row_width: int) -> None:
        self._clocks = clocks
        self._count = 0
        self._link = np.empty(1024, dtype=np.int64)
        self._host = np.empty(1024, dtype=np.int64)
        self._rows = np.empty((1024, row_width))
        self._score = np.empty(1024)
        self._waits = np.zeros(1024, dtype=np.bool_)
        self._waiting: set[LinkId] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, link: LinkId) -> bool:
        return link in self._waiting

    def push(self, arrivals: Arrivals) -> Sequence[LinkId]:
        first, last = self._count, self._count + len(arrivals.links)
        while last > len(self._link):
            self._grow()
        here = slice(first, last)
        self._link[here], self._host[here], self._score[here] = arrivals.links, arrivals.hosts, arrivals.scores
        self._rows[here], self._waits[here] = arrivals.rows, True
        self._waiting.update(arrivals.links)
        self._count = last
        return ()

    def would_keep(self, scores: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.ones(len(scores), dtype=np.bool_)

    def take(self, now: float) -> Taken | NotBefore | None:
        ready = self._ready(now)
        if not len(ready):
            return self._next_ready()
        scores = self._score[ready]
        best = ready[scores == scores.max()]
        return self._leave(int(best[np.argmin(self._link[best])]))

    def take_random(self, now: float, chance: np.random.Generator) -> Taken | NotBefore | None:
        ready = self._ready(now)
        if not len(ready):
            return self._next_ready()
        links = np.unique(self._link[ready])
        return self.withdraw(LinkId(int(links[chance.integers(len(links))])))

    def withdraw(self, link: LinkId) -> Taken:
        pairs = np.flatnonzero((self._link[: self._count] == link) & self._waits[: self._count])
        return self._leave(int(pairs[np.argmax(self._score[pairs])]))

    def replace(self, links: Sequence[LinkId], scores: NDArray[np.float64], rows: Rows) -> None:
        """Not asked of links that may have several rows."""
        assert len(links) == len(scores) == len(rows) == 0

    def reprice(self, scorer: Scorer) -> None:
        waits = np.flatnonzero(self._waits[: self._count])
        assert scorer.weights is not None
        self._score[waits] = weighted_sums(self._rows[waits], scorer.weights)

    def _leave(self, pair: int) -> Taken:
        link = LinkId(int(self._link[pair]))
        row = self._rows[pair].astype(np.float16)
        taken = Taken(link, HostId(int(self._host[pair])), float(self._score[pair]), row)
        self._waits[: self._count] &= self._link[: self._count] != link
        self._waiting.remove(link)
        return taken

    def _ready(self, now: float) -> NDArray[np.int64]:
        hosts = self._host[: self._count]
        ready_at = self._clocks.ready_at(int(hosts.max(initial=0)) + 1)
        return np.flatnonzero(self._waits[: self._count] & (ready_at[hosts] <= now))

    def _next_ready(self) -> NotBefore | None:
        hosts = self._host[: self._count][self._waits[: self._count]]
        return NotBefore(float(self._clocks.ready_at(int(hosts.max()) + 1)[hosts].min())) if len(hosts) else None

    def _grow(self) -> None:
        for name in ("_link", "_host", "_rows", "_score", "_waits"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate((column, np.zeros_like(column))))


class PairByPair(AllPairs):
    """The same, scored one by one."""

    def reprice(self, scorer: Scorer) -> None:
        assert scorer.weights is not None
        for pair in np.flatnonzero(self._waits[: self._count]).tolist():
            self._score[pair] = weighted_sums(self._rows[pair : pair + 1], scorer.weights)[0]


class Timed:
    """A frontier with a stopwatch of the processor's seconds."""

    def __init__(self, frontier: Frontier) -> None:
        self._frontier = frontier
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._frontier, name)

        def timed(*arguments: Any) -> Any:
            started = time.process_time()
            try:
                return member(*arguments)
            finally:
                self.seconds += time.process_time() - started

        return timed

    def __len__(self) -> int:
        return len(self._frontier)

    def __contains__(self, link: LinkId) -> bool:
        return link in self._frontier


def settings_of(strategy: str, steps: int) -> Settings:
    return settings_from(
        {
            "topic": {"name": TOPIC, "categories": ["Earth", "Science"]},
            "crawl": {"world": "synthetic", "strategy": strategy, "concurrency": CONCURRENCY},
            "budget": {"fetches": steps},
            "politeness": {"delay_s": 0.0},
            "judge": {"kind": "embedding", "relevant_when": "word", "reward": "han2018"},
            "lfa": {"draws": "link"},  # so that all of them draw the same
            "guard": {"on": False},  # it would need a frontier with levels
        }
    )


def crawl(
    strategy: str, frontier: type | None, steps: int, world: SyntheticWorld, vectors: WordVectors
) -> tuple[Figures, list[str]]:
    """One crawl, and what it cost."""
    settings = settings_of(strategy, steps)
    parts = Builder(settings, vectors).parts()
    if frontier is not None:
        parts = replace(parts, frontier=frontier(parts.schedule, parts.strategy.row_width))
    inner, timed = parts.frontier, Timed(parts.frontier)
    watched: Any = timed
    parts = replace(parts, frontier=watched)
    with tempfile.TemporaryDirectory() as folder:
        run, lock = RunFolder.create(Path(folder) / "run", "")
        store, clock = SqliteStore(run.database_file), SimulatedClock()
        core = CrawlCore(parts, settings)
        store.record(core.start(world.entry_urls(), clock.now()).record)
        loop = CrawlLoop(core, SimulatedTransport(world, clock), store, clock, (), lambda: False)
        by_clock, by_processor = time.perf_counter(), time.process_time()
        asyncio.run(loop.run())
        by_clock, by_processor = time.perf_counter() - by_clock, time.process_time() - by_processor
        store.close()
        lock.close()
        with open_run(run.path) as opened:
            urls = [step.url.text for step in opened.steps()]
    rows = inner.distinct_rows if isinstance(inner, SharedRowsFrontier) else 0
    figures = {
        "steps": core.progress.steps,
        "waiting": core.progress.waiting,
        "distinct_rows": rows,
        "processor_s": by_processor,
        "clock_s": by_clock,
        "steps_per_s": core.progress.steps / by_processor,
        "frontier_ms_a_step": 1e3 * timed.seconds / core.progress.steps,
    }
    return figures, urls


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--steps", type=int, default=10_000)
    options.add_argument("--loop-steps", type=int, default=300)
    options.add_argument("--links", type=int, default=32, help="links on an ordinary page")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    world = SyntheticWorld(SyntheticSpec(pages=1_000_000, hosts=2000, mean_links=chosen.links))
    vectors = WordVectors(EnglishVectors())
    crawls = {
        "asynchronous": ("lfa-async", None, chosen.steps),
        "synchronous": ("lfa-sync", None, chosen.steps),
        "synchronous, all pairs": ("lfa-sync", AllPairs, chosen.steps),
        "synchronous, in a loop": ("lfa-sync", PairByPair, chosen.loop_steps),
    }
    figures: dict[str, Figures] = {}
    urls: dict[str, list[str]] = {}
    if not chosen.json:
        print(machine())
        print(f"{'':24}{'steps':>7}{'waiting':>9}{'rows':>8}{'seconds':>18}{'steps/s':>9}{'frontier ms/step':>18}")
    with threadpool_limits(1, "blas"):
        for name, (strategy, frontier, steps) in crawls.items():
            figures[name], urls[name] = crawl(strategy, frontier, steps, world, vectors)
            if not chosen.json:
                print(line(name, figures[name]), flush=True)
    for name in ("synchronous, all pairs", "synchronous, in a loop"):
        # At the end of its budget a crawl begins no more fetches, so that the last ones come in in another order.
        compared = len(urls[name]) - CONCURRENCY
        if urls[name][:compared] != urls["synchronous"][:compared]:
            raise SystemExit(f"{name} took other links than the frontier of shared rows")
    ratio = figures["synchronous"]["processor_s"] / figures["asynchronous"]["processor_s"]
    if chosen.json:
        print(json.dumps({"machine": machine(), "crawls": figures, "synchronous_to_asynchronous": ratio}, indent=2))
        return
    print(f"synchronous takes {ratio:.2f} times as long as asynchronous; the same links are taken in every way")


def line(name: str, figures: Figures) -> str:
    seconds = f"{figures['processor_s']:,.1f} ({figures['clock_s']:,.1f})"
    return (
        f"{name:24}{figures['steps']:>7,}{figures['waiting']:>9,}{figures['distinct_rows'] or '':>8}{seconds:>18}"
        f"{figures['steps_per_s']:>9.1f}{figures['frontier_ms_a_step']:>18.2f}"
    )


if __name__ == "__main__":
    main()
