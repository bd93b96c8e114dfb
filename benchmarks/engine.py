"""Where does the engine spend its time, and what does a page cost on disk?

Run `python benchmarks/engine.py [--fetches N] [--json]`. Each strategy crawls the in-process synthetic web, everything
stored, with a stopwatch on every seam; the baseline of the same run is a bare loop that only fetches and parses.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from threadpoolctl import threadpool_limits

from honeyguide.crawler import Builder, CrawlCore, CrawlLoop
from honeyguide.crawler.transport import SimulatedTransport
from honeyguide.model import Fetched
from honeyguide.model.clock import SimulatedClock
from honeyguide.parse import parse
from honeyguide.runs import RunFolder, SqliteStore
from honeyguide.settings import USUAL_STRATEGIES, settings_from
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.learn import Strategy
    from honeyguide.model import Answer, Url
    from honeyguide.settings import Settings
    from honeyguide.worlds import World

TOPIC = "geology"
STAGES = ("world", "parse", "judge", "describe", "learn and score", "frontier", "store", "engine itself")


class Stopwatch:
    """Seconds by stage; time inside an inner stage is not counted to the outer one."""

    def __init__(self) -> None:
        self.seconds_by_stage = dict.fromkeys(STAGES, 0.0)
        self._running: list[str] = []
        self._since = 0.0

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self._credit()
        self._running.append(name)
        try:
            yield
        finally:
            self._credit()
            self._running.pop()

    def _credit(self) -> None:
        now = time.perf_counter()
        if self._running:
            self.seconds_by_stage[self._running[-1]] += now - self._since
        self._since = now


class Timed:
    """Stands in for a part of the crawl and times every call to it."""

    def __init__(self, part: Any, stages: dict[str, str], watch: Stopwatch) -> None:
        self._part, self._stages, self._watch = part, stages, watch

    @property  # type: ignore[misc] # whoever asks which kind of part this is hears that of the part
    def __class__(self) -> Any:
        return type(self._part)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._part, name)
        if not callable(member):
            return member
        stage = self._stages.get(name) or self._stages["*"]

        def timed(*arguments: Any, **named: Any) -> Any:
            with self._watch.stage(stage):
                return member(*arguments, **named)

        return timed

    def __len__(self) -> int:
        return len(self._part)

    def __contains__(self, item: object) -> bool:
        return item in self._part


class TimedWorld:
    """An offline world with a stopwatch; such a world never suspends, so its time is all its own."""

    def __init__(self, world: World, watch: Stopwatch) -> None:
        self.is_offline, self.writes_pages = world.is_offline, world.writes_pages
        self._world, self._watch = world, watch

    async def fetch(self, url: Url) -> Answer:
        with self._watch.stage("world"):
            return await self._world.fetch(url)

    def entry_urls(self) -> Sequence[Url]:
        return self._world.entry_urls()

    async def close(self) -> None:
        await self._world.close()


def settings_of(strategy: str, fetches: int, world: SyntheticWorld) -> Settings:
    return settings_from(
        {
            "topic": {"name": TOPIC, "keywords": list(world.keywords_for(TOPIC))},
            "crawl": {"world": "synthetic", "strategy": strategy, "concurrency": 16},
            "budget": {"fetches": fetches},
            "politeness": {"delay_s": 0.0},
        }
    )


def crawl_timed(settings: Settings, world: World, vectors: WordVectors) -> dict[str, Any]:
    """One crawl of an offline world with a stopwatch on every seam."""
    watch = Stopwatch()
    parts = Builder(settings, vectors).parts()
    judge: Any = Timed(parts.judge, {"*": "judge"}, watch)

    def parse_timed(url: Url, fetched: Fetched) -> Any:
        with watch.stage("parse"):
            return parse(url, fetched)

    parts = replace(
        parts,
        frontier=Timed(parts.frontier, {"*": "frontier"}, watch),
        strategy=cast("Strategy", Timed(parts.strategy, {"describe": "describe", "*": "learn and score"}, watch)),
        judge=judge,
        parse=parse_timed,
    )
    with tempfile.TemporaryDirectory() as folder:
        run, lock = RunFolder.create(Path(folder) / "run", "")
        store = SqliteStore(run.database_file)
        clock = SimulatedClock()
        core = CrawlCore(parts, settings)
        store.record(core.start(world.entry_urls(), clock.now()).record)
        timed_store: Any = Timed(store, {"*": "store"}, watch)
        transport = SimulatedTransport(TimedWorld(world, watch), clock)
        loop = CrawlLoop(core, transport, timed_store, clock, (), lambda: False)
        started = time.perf_counter()
        with watch.stage("engine itself"):
            asyncio.run(loop.run())
        seconds = time.perf_counter() - started
        store.close()
        lock.close()
        disk_bytes = run.size_bytes()
    progress = core.progress
    milliseconds = {stage: 1e3 * spent / progress.steps for stage, spent in watch.seconds_by_stage.items()}
    return {
        "strategy": settings.crawl.strategy,
        "fetches": progress.steps,
        "seconds": seconds,
        "fetches_per_s": progress.steps / seconds,
        "waiting": progress.waiting,
        "body_bytes_per_page": progress.body_bytes / progress.pages,
        "disk_bytes_per_page": disk_bytes / progress.pages,
        "ms_by_stage": milliseconds,
    }


async def bare_loop(fetches: int, world: World) -> float:
    """Fetches per second of a queue, a set, a world and the parser: nothing scored, judged or stored."""
    queue, seen, done = deque(world.entry_urls()), set(world.entry_urls()), 0
    started = time.perf_counter()
    while queue and done < fetches:
        done += 1
        url = queue.popleft()
        outcome = (await world.fetch(url)).outcome
        if isinstance(outcome, Fetched):
            fresh = [link.target for link in parse(url, outcome).links if link.target not in seen]
            seen.update(fresh)
            queue.extend(fresh)
    return done / (time.perf_counter() - started)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--fetches", type=int, default=3000)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    vectors = WordVectors(EnglishVectors())
    rows = []
    with threadpool_limits(1, "blas"):
        bare = asyncio.run(bare_loop(chosen.fetches, SyntheticWorld(SyntheticSpec())))
        for strategy in USUAL_STRATEGIES:
            world = SyntheticWorld(SyntheticSpec())
            row = crawl_timed(settings_of(strategy, chosen.fetches, world), world, vectors)
            rows.append(row | {"of_bare_loop": row["fetches_per_s"] / bare})
    if chosen.json:
        print(json.dumps({"machine": machine(), "bare_loop_per_s": bare, "strategies": rows}, indent=2))
        return
    print(machine())
    print(f"bare loop (fetch and parse only): {bare:,.0f} fetches/s")
    for row in rows:
        print(
            f"\n{row['strategy']}: {row['fetches_per_s']:,.0f} fetches/s, {row['of_bare_loop']:.2f} of the bare loop; "
            f"{row['waiting']:,} links waiting; {row['disk_bytes_per_page']:,.0f} bytes on disk for a page of "
            f"{row['body_bytes_per_page']:,.0f}"
        )
        for stage, spent in row["ms_by_stage"].items():
            print(f"  {stage:16} {spent:6.3f} ms a fetch")


if __name__ == "__main__":
    main()
