"""How a crawl changes with the number of its shards: harvest, messages, bytes and memory, with the real core.

All shards crawl in one process, over synthetic webs of 600 hosts that need no pauses; what would be a message between
machines is counted and packed. Harvest is graded by the web's own knowledge of its pages, which no judge sees. Nothing
here says how quick a cluster is: that is `cluster.py`. Every crawl runs in a process of its own, so memory and
processor time are its own.

    python benchmarks/scale.py                     some minutes of one core
    python benchmarks/scale.py --shards 16 --webs 1
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import pickle
import resource
import statistics
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import honeyguide
from honeyguide.cluster.in_process import InProcess
from honeyguide.crawler.build import Builder, open_world
from honeyguide.runs import RunFolder, gather, open_run
from honeyguide.runs.folder import folder_bytes
from honeyguide.runs.shards import shard_folders, write_cluster_file
from honeyguide.search import Searcher
from honeyguide.settings import settings_from, to_toml
from honeyguide.text import WordVectors, open_vectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld

if TYPE_CHECKING:
    from honeyguide.cluster import ShardReport
    from honeyguide.runs.parcels import Delivery
    from honeyguide.settings import Settings

TOPICS = ("geology", "astronomy")
MOST_OUT = 16  # fetches under way and leases, over all shards: the same for any number of them
NEVER = 1_000_000
TURNS = 200  # of the event loop without a page, after which a slow link lets go: nobody else is at work


@dataclass(frozen=True)
class Case:
    """One crawl."""

    shards: int  # 0: the plain engine, without any
    seed: int
    topic: str
    budget: int
    share_every: int = 20
    delay: int = 0  # pages of all shards that come while a delivery is on its way
    lease: int = 1
    out: int = MOST_OUT

    def settings(self) -> Settings:
        keywords = SyntheticWorld(SyntheticSpec.parse(self.spec)).keywords_for(self.topic)
        return settings_from(
            {
                "topic": {"name": self.topic, "keywords": list(keywords)},
                "crawl": {"world": f"synthetic:{self.spec}", "seed": self.seed, "concurrency": self.out},
                "budget": {"fetches": self.budget},
                "politeness": {"delay_s": 0.0},  # every shard has a simulated clock of its own: no waiting to compare
                "search": {"live": "off"},
                "cluster": {"shards": max(1, self.shards), "share_every": self.share_every, "lease": self.lease},
            }
        )

    @property
    def spec(self) -> str:
        return f"seed={self.seed},pages=20000,hosts=600,crawl_delay_share=0"


@dataclass(frozen=True)
class Result:
    """Counts of one crawl; bytes and seconds are of the whole crawl."""

    case: Case
    on_topic: int
    pages: int
    links: int  # URLs that were met, each once
    handed_over: int
    deliveries: int
    delivery_bytes: int
    reports: int
    report_bytes: int  # of reports, and of the orders that answer them
    stalest: int
    crawl_s: float  # of the processor
    gather_s: float
    index_s: float
    shard_bytes: int
    gathered_bytes: int
    index_bytes: int
    peak_mb: float

    def a_page(self, value: float) -> float:
        return value / max(1, self.pages)


class Counting(InProcess):
    """Counts what would go over the network; a slow link holds deliveries until so many pages have come."""

    def __init__(self, case: Case, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._delay = case.delay
        self.delivery_bytes = self.reports = self.report_bytes = 0

    @property
    def fetches(self) -> int:
        return sum(report.progress.fetches for report in self.hub.reports)

    async def send(self, shard: int, delivery: Delivery) -> int:
        self.delivery_bytes += len(pickle.dumps(delivery))
        until, turns, seen = self.fetches + self._delay, 0, self.fetches
        while self.fetches < until and turns < TURNS:
            await asyncio.sleep(0)
            turns, seen = (turns + 1, seen) if self.fetches == seen else (0, self.fetches)
        return await super().send(shard, delivery)

    async def report(self, report: ShardReport) -> None:
        self.reports += 1
        self.report_bytes += len(pickle.dumps(report))
        for shard, orders in self.hub.take(report):
            self.report_bytes += len(pickle.dumps(orders))
            self.seats[shard].order(orders)


@cache
def vectors() -> WordVectors:
    chosen = settings_from({"topic": {"name": "geology"}}).chosen_vectors
    return WordVectors(open_vectors(chosen.source, chosen.cache_path))


async def in_shards(path: Path, case: Case, settings: Settings) -> Counting:
    folder, lock = RunFolder.create(path, to_toml(settings))
    with lock:
        builder = Builder(settings, vectors())
        async with open_world(settings) as world:
            seeds = builder.seed_urls(world)
        write_cluster_file(path, case.shards)
        cluster = Counting(case, path, case.shards, builder.settings, seeds, case.out)
        await cluster.run({"vectors": vectors()})
        folder.mark_started()
    return cluster


def crawl(case: Case) -> Result:
    """Crawl, gather, index and measure, in a process of its own."""
    settings, world = case.settings(), SyntheticWorld(SyntheticSpec.parse(case.spec))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        vectors()
        started = time.process_time()
        cluster = None
        if case.shards:
            cluster = asyncio.run(in_shards(path, case, settings))
        else:
            honeyguide.crawl(path, settings, vectors=vectors()).close()
        crawled = time.process_time()
        shard_bytes = sum(map(folder_bytes, shard_folders(path))) if case.shards else folder_bytes(path)
        before = time.process_time()
        gather(path)
        gathered = time.process_time()
        size = folder_bytes(path)
        with Searcher(path):
            pass
        indexed = time.process_time()
        with open_run(path) as run:
            progress, links = run.progress, next(run._select("SELECT count(*) FROM links"))[0]  # noqa: SLF001
            on_topic = sum(world.topic_of(page.url) == case.topic for page in run.pages())
        return Result(
            case=case,
            on_topic=on_topic,
            pages=progress.pages,
            links=links,
            handed_over=progress.handed_over,
            deliveries=cluster.deliveries if cluster else 0,
            delivery_bytes=cluster.delivery_bytes if cluster else 0,
            reports=cluster.reports if cluster else 0,
            report_bytes=cluster.report_bytes if cluster else 0,
            stalest=cluster.hub.stalest if cluster else 0,
            crawl_s=crawled - started,
            gather_s=gathered - before,
            index_s=indexed - gathered,
            shard_bytes=shard_bytes,
            gathered_bytes=size - shard_bytes,
            index_bytes=folder_bytes(path) - size,
            peak_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        )


def measured(cases: list[Case]) -> list[Result]:
    """Every case in a fresh process, one after the other."""
    results = []
    for case in cases:
        # One process a case: else the peak of one would be that of all before it.
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            results.append(pool.submit(crawl, case).result())
        print(f"  {results[-1]}", file=sys.stderr, flush=True)
    return results


def mean(values: list[float]) -> float:
    return statistics.fmean(values)


def harvest_table(name: str, groups: dict[str, list[Result]], base: list[Result]) -> None:
    """Print harvest against the base, case by case: the webs and topics are the same."""
    print(f"\n| {name} | on topic | of the base | from to | stalest | links handed over | deliveries | reports |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for label, results in groups.items():
        ratios = [result.on_topic / max(1, first.on_topic) for result, first in zip(results, base, strict=True)]
        columns = [
            label,
            f"{mean([result.on_topic for result in results]):.0f}",
            f"{100 * mean(ratios):.0f}%",
            f"{100 * min(ratios):.0f}% to {100 * max(ratios):.0f}%",
            f"{max(result.stalest for result in results)}",
            *(
                f"{mean([result.a_page(getattr(result, field)) for result in results]):.2f}"
                for field in ("handed_over", "deliveries", "reports")
            ),
        ]
        print(f"| {' | '.join(columns)} |")


def cost_table(groups: dict[str, list[Result]]) -> None:
    """Print what a page costs."""
    print("\n| shards | crawl, ms | gather | index | shards, KB | gathered | index | sent | links | peak, MB |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for label, results in groups.items():
        per_page = {
            name: mean([result.a_page(getattr(result, name)) for result in results])
            for name in ("crawl_s", "gather_s", "index_s", "shard_bytes", "gathered_bytes", "index_bytes", "links")
        }
        sent = mean([result.a_page(result.delivery_bytes + result.report_bytes) for result in results])
        columns = [
            label,
            *(f"{1000 * per_page[name]:.1f}" for name in ("crawl_s", "gather_s", "index_s")),
            *(f"{per_page[name] / 1000:.1f}" for name in ("shard_bytes", "gathered_bytes", "index_bytes")),
            f"{sent / 1000:.1f}",
            f"{per_page['links']:.1f}",
            f"{max(result.peak_mb for result in results):.0f}",
        ]
        print(f"| {' | '.join(columns)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--shards", type=int, nargs="*", default=[1, 4, 16, 64, 256])
    parser.add_argument("--webs", type=int, default=2, help="synthetic webs, with two topics each")
    parser.add_argument("--budget", type=int, default=300)
    parser.add_argument("--only", choices=("shards", "staleness", "leases", "delay", "cost"))
    given = parser.parse_args()
    pairs = [(seed, topic) for seed in range(1, given.webs + 1) for topic in TOPICS]

    def group(shards: int, **changed: int) -> list[Result]:
        return measured([Case(shards, seed, topic, given.budget, **changed) for seed, topic in pairs])

    print(f"{given.budget} fetches, {len(pairs)} pairs of web and topic, 600 hosts, at most {MOST_OUT} fetches out")
    if given.only == "cost":  # of longer crawls, in which what a shard costs by itself weighs less
        cost_table({"one machine": group(0), **{str(count): group(count) for count in given.shards}})
        return
    base = group(1)
    if given.only in (None, "shards"):
        by_shards = {"the plain engine": group(0), "1": base}
        by_shards |= {str(count): group(count) for count in given.shards if count > 1}
        harvest_table("shards", by_shards, base)
        cost_table(by_shards)
    if given.only in (None, "staleness"):
        groups = {str(every): group(16, share_every=every) for every in (1, 20, 100)}
        groups["never told"] = group(16, share_every=NEVER)
        harvest_table("pages unknown to a learner (16 shards)", groups, base)
    if given.only in (None, "leases"):
        groups = {str(lease): group(16, lease=lease) for lease in (4, 1)}
        groups["one fetch out at a time"] = group(16, lease=1, out=1)
        groups["one fetch out, one shard"] = group(1, lease=1, out=1)
        harvest_table("fetches of a lease (16 shards)", groups, base)
    if given.only in (None, "delay"):
        groups = {str(delay): group(16, delay=delay) for delay in (10, 50)}
        harvest_table("pages while a delivery is on its way (16 shards)", groups, base)


if __name__ == "__main__":
    main()
