"""What does it cost to crawl in shards, and what does it find?

`python benchmarks/cluster.py harvest [--seeds N] [--fetches N] [--shards N] [--share-every N] [--lease N]` crawls every
pair of a synthetic web and a topic once in one piece and once in shards, all in this process, and compares the on-topic
pages by the generator's labels, which no judge sees: the ratio of the sums, with a 95% bootstrap interval over pairs.
Both crawl as live ones in simulated time: one clock for all, hosts rest, and messages take `--latency` seconds.

`python benchmarks/cluster.py scaling [--fetches N] [--delay S]` does the same with one worker and ten hosts, and with
eight workers and eighty hosts, and gives the answers a second.

`python benchmarks/cluster.py cost [--fetches N] [--workers N]` crawls a web over HTTP whose hosts rest between two
requests, once in one process and once on Ray, and gives the processor time of all processes that read pages (user and
system, of the workers or of the one), a page, and how many pages a second came: of the whole crawl, with the start of
workers and shards in it, and of its last two thirds.

`python benchmarks/cluster.py throughput [--fetches N] [--delay S] [--workers N]` crawls on Ray, over HTTP, with one
worker and ten hosts and with N workers and ten hosts for each, and gives the fetches a second between the first third
and nine tenths of them, by the moments that the runs have stored. The delay must be so long that the processors wait.

`python benchmarks/cluster.py kills [--fetches N] [--kills N]` kills workers (SIGKILL) at random moments, and counts the
pages that were lost or stored twice, the fetches beyond the budget and the links that are missing. With `--post S`
every message between workers and hub takes so many seconds, each way (`--kills 0` kills none).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import resource
import signal
import sqlite3
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, closing, suppress
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import simulated_time
from harvest import TOPICS, interval, vectors, world
from honeyguide.cluster import Partition
from honeyguide.crawler import PageJudged, crawl, crawl_async
from honeyguide.crawler.build import Builder
from honeyguide.crawler.live import synthetic_served
from honeyguide.runs import SqliteStore, open_run
from honeyguide.runs.shards import shard_folders, write_cluster_file
from honeyguide.settings import Settings, settings_from, with_overrides
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.crawler import Event


def simulated_settings(topic: str, seed: int, chosen: argparse.Namespace) -> Settings:
    return settings_from(
        {
            "topic": {"name": topic, "keywords": list(world(seed).keywords_for(topic))},
            "crawl": {"world": "synthetic", "seed": seed, "workers": 0},
            "budget": {"fetches": chosen.fetches},
            "politeness": {"delay_s": chosen.delay},
            "search": {"live": "off"},
            "cluster": {"shards": chosen.shards, "share_every": chosen.share_every, "lease": chosen.lease},
        }
    )


def in_one_piece(settings: Settings, seed: int, topic: str) -> tuple[int, float]:
    """On-topic pages, and simulated seconds."""
    web = world(seed)
    with tempfile.TemporaryDirectory() as folder:
        work = crawl_async(Path(folder) / "run", settings, world=simulated_time.Served(web), vectors=vectors())
        run, seconds = simulated_time.run(work)
        with run:
            return sum(web.topic_of(page.url) == topic for page in run.pages()), seconds


def in_shards(settings: Settings, seed: int, topic: str, chosen: argparse.Namespace) -> tuple[int, float, Any]:
    """On-topic pages that shards in one process find, simulated seconds, and the shards."""
    web, builder = world(seed), Builder(settings, vectors())
    with tempfile.TemporaryDirectory() as folder:
        run, shards = Path(folder), settings.cluster.shards
        write_cluster_file(run, shards)
        seeds = builder.seed_urls(web)
        most_out = settings.crawl.fetches_at_once(is_live=True) * chosen.workers
        given = run, shards, builder.settings, seeds, most_out
        cluster = simulated_time.Travelling(chosen.workers, chosen.latency, *given)
        work = cluster.run({"world": simulated_time.Served(web), "vectors": vectors()})
        _, seconds = simulated_time.run(work)
        found = 0
        for path in shard_folders(run):
            with open_run(path) as shard:
                found += sum(web.topic_of(page.url) == topic for page in shard.pages())
        return found, seconds, cluster


def harvest(chosen: argparse.Namespace) -> dict[str, Any]:
    one, many, seconds = [], [], []
    deliveries = links = stalest = reports = 0
    for seed, topic in product(range(chosen.first_seed, chosen.first_seed + chosen.seeds), TOPICS[: chosen.topics]):
        settings = simulated_settings(topic, seed, chosen)
        alone, alone_s = in_one_piece(settings, seed, topic)
        found, found_s, cluster = in_shards(settings, seed, topic, chosen)
        one.append(alone)
        many.append(found)
        seconds.append((alone_s, found_s))
        deliveries += cluster.deliveries
        reports += cluster.reports
        links += sum(report.progress.handed_over for report in cluster.hub.reports)
        stalest = max(stalest, cluster.hub.stalest)
        print(
            f"web {seed} {topic}: {alone} in one piece ({alone_s:.0f} s), {found} in shards ({found_s:.0f} s)",
            flush=True,
        )
    whole, parts = np.array(one, dtype=float), np.array(many, dtype=float)
    low, high = interval((parts - whole) / whole.mean())
    fetches = chosen.fetches * len(one)
    return {
        "pairs": len(one),
        "in one piece": float(whole.mean()),
        "in shards": float(parts.mean()),
        "difference": float((parts - whole).mean() / whole.mean()),
        "interval": [low, high],
        "simulated seconds": np.mean(seconds, axis=0).tolist(),
        "deliveries a fetch": deliveries / fetches,
        "reports a fetch": reports / fetches,
        "links a fetch": links / fetches,
        "pages a learner did not know, at most": stalest,
    }


def scaling(chosen: argparse.Namespace) -> dict[str, Any]:
    """Pages a second in simulated time: one worker with ten hosts, eight with eighty, and one process with those."""
    rates: dict[str, float] = {}
    for name, workers, is_whole in (("1 worker", 1, False), ("8 workers", 8, False), ("one process", 8, True)):
        web = SyntheticWorld(SyntheticSpec.parse(f"seed=5,pages=20000,hosts={10 * workers},crawl_delay_share=0"))
        base = vars(chosen) | {"hosts": 10 * workers, "fetches": chosen.fetches * workers}
        settings = served_settings(argparse.Namespace(**base | {"shards": max(1, chosen.shards * workers // 8)}))
        marks: list[float] = []
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            options: Any = {"world": simulated_time.Served(web, marks), "vectors": vectors()}
            settings = with_overrides(settings, {"crawl.seed_urls": [url.text for url in web.entry_urls()]})
            if is_whole:
                simulated_time.run(crawl_async(run, settings, **options))[0].close()
            else:
                run.mkdir()
                write_cluster_file(run, settings.cluster.shards)
                most_out = settings.crawl.fetches_at_once(is_live=True) * workers
                given = run, settings.cluster.shards, settings, web.entry_urls(), most_out
                cluster = simulated_time.Travelling(workers, chosen.latency, *given)
                simulated_time.run(cluster.run(options))
        first, last = len(marks) // 4, 9 * len(marks) // 10  # all hosts are known, and none has run out of leases
        rates[name] = (last - first) / (marks[last] - marks[first])
        print(f"{name}: {rates[name]:.2f} answers a second", flush=True)
    return {"answers a second": rates, "of linear": rates["8 workers"] / 8 / rates["1 worker"]}


def served_settings(chosen: argparse.Namespace) -> Settings:
    """A web of which politeness, not the processor, is the limit."""
    return settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": f"synthetic+http:seed=5,pages=20000,hosts={chosen.hosts}", "workers": 0, "hurry": 1.0},
            "budget": {"fetches": chosen.fetches},
            "politeness": {"delay_s": chosen.delay},
            "search": {"live": "off"},
            "cluster": {"shards": chosen.shards, "share_every": chosen.share_every, "lease": chosen.lease},
        }
    )


def cost(chosen: argparse.Namespace) -> dict[str, Any]:
    from honeyguide.cluster.crawling import crawl_on_cluster  # noqa: PLC0415 - needs the extra cluster

    settings = served_settings(chosen)
    with tempfile.TemporaryDirectory() as folder:
        with (
            synthetic_served(settings.crawl.world.partition(":")[2]) as (addresses, seeds),
            ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as beside,
        ):
            given = with_overrides(settings, {"crawl.seed_urls": [url.text for url in seeds]})
            one_marks = beside.submit(crawl_beside, Path(folder) / "one", given, dict(addresses)).result()
        spent: dict[int, float] = {}
        marks: list[Mark] = []
        begun: dict[int, float] = {}
        found: list[Any] = []
        processes: dict[int, Any] = {}

        def look(progress: Any) -> None:
            import ray  # noqa: PLC0415

            if not processes:
                processes.update({ray.get(each.process_id.remote()): each for each, _ in found[0].workers()})
                begun.update({process: processor_s(process) for process in processes})
            for process in processes:
                with suppress(OSError):
                    spent[process] = processor_s(process) - begun[process]
            marks.append((sum(spent.values()), progress.status.pages, time.monotonic()))

        with crawl_on_cluster(
            Path(folder) / "many", settings, f"local:{chosen.workers}", on_progress=look, on_cluster=found.append
        ):
            pass
    one, many = both_rates(one_marks), both_rates(marks)
    return {
        "workers": chosen.workers,
        "in one process": one,
        "in workers": many,
        "times": {name: many[name]["ms a page"] / one[name]["ms a page"] for name in one},
    }


Mark = tuple[float, int, float]  # seconds of processor time, pages, and the moment


def both_rates(marks: Sequence[Mark]) -> dict[str, dict[str, float]]:
    """Milliseconds a page and pages a second, of a whole crawl and after its first third."""
    begun = next(mark for mark in marks if mark[1])
    third = next(mark for mark in marks if mark[1] >= marks[-1][1] / 3)
    (end_s, pages, end) = marks[-1]
    return {
        "the whole crawl": {"ms a page": end_s / pages * 1000, "pages/s": (pages - begun[1]) / (end - begun[2])},
        "its last two thirds": {
            "ms a page": (end_s - third[0]) / (pages - third[1]) * 1000,
            "pages/s": (pages - third[1]) / (end - third[2]),
        },
    }


def crawl_beside(run: Path, settings: Settings, addresses: dict[str, tuple[str, int]]) -> list[Mark]:
    """Crawl in a process of its own: its processor time, since it crawls, at every page."""
    shared, before = Builder(settings).vectors, processor_s(os.getpid())
    marks: list[Mark] = []

    def note(event: Event) -> None:
        if isinstance(event, PageJudged):
            marks.append((processor_s(os.getpid()) - before, event.progress.pages, time.monotonic()))

    crawl(run, settings, addresses=addresses, vectors=shared, listeners=[note]).close()
    return marks


def processor_s(process: int) -> float:
    """User and system time of a process so far."""
    if process == os.getpid():
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def throughput(chosen: argparse.Namespace) -> dict[str, Any]:
    from honeyguide.cluster.crawling import crawl_on_cluster  # noqa: PLC0415 - needs the extra cluster

    rates: dict[int, float] = {}
    shares: dict[int, float] = {}
    for workers in (1, chosen.workers):
        given = {"hosts": 10 * workers, "fetches": chosen.fetches * workers, "shards": 2 * workers}
        settings = served_settings(argparse.Namespace(**vars(chosen) | given))
        world = f"{settings.crawl.world},crawl_delay_share=0"
        began, begun = time.monotonic(), all_processor_s()
        with tempfile.TemporaryDirectory() as folder:
            run = Path(folder) / "run"
            crawl_on_cluster(run, with_overrides(settings, {"crawl.world": world}), f"local:{workers}").close()
            shares[workers] = (all_processor_s() - begun) / (time.monotonic() - began)
            with closing(sqlite3.connect(run / "crawl.sqlite")) as database:
                moments = [moment for (moment,) in database.execute("SELECT finished_at FROM steps ORDER BY 1")]
        first, last = len(moments) // 3, 9 * len(moments) // 10
        rates[workers] = (last - first) / (moments[last] - moments[first])
        print(f"{workers} workers: {rates[workers]:.2f} fetches a second", flush=True)
    return {
        "fetches a second": rates,
        "of linear": rates[chosen.workers] / chosen.workers / rates[1],
        "cores busy with all processes of the machine": shares,
    }


def all_processor_s() -> float:
    """What all processes of the machine have used so far."""
    user, nice, system, *_ = Path("/proc/stat").read_text(encoding="ascii").split("\n")[0].split()[1:]
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def let_messages_take(seconds: float) -> None:
    """Let everything that workers and hub tell one another take so long, each way."""
    from honeyguide.cluster import actors, on_ray  # noqa: PLC0415

    class FarWorker(actors.ShardWorker):
        async def deliver(self, deliveries: Any) -> Any:
            await asyncio.sleep(seconds)
            marks = await super().deliver(deliveries)
            await asyncio.sleep(seconds)
            return marks

        async def order(self, orders: Any) -> None:
            await asyncio.sleep(seconds)
            await super().order(orders)

    class FarHub(actors.HubDesk):
        async def report(self, reports: Any, warnings: Any) -> Any:
            await asyncio.sleep(seconds)
            return await super().report(reports, warnings)

    vars(on_ray).update(ShardWorker=FarWorker, HubDesk=FarHub)


def kills(chosen: argparse.Namespace) -> dict[str, Any]:
    import ray  # noqa: PLC0415

    from honeyguide.cluster.crawling import crawl_on_cluster  # noqa: PLC0415

    chance, next_kill, fetched = random.Random(chosen.first_seed), [0.0], [0]
    killed: list[int] = []
    found: list[Any] = []
    if chosen.post:
        let_messages_take(chosen.post)

    def kill_one(progress: Any) -> None:
        is_under_way = progress.status.has_all and progress.status.fetches < 0.9 * chosen.fetches
        is_at_work = progress.status.fetches >= fetched[0] + 10  # the crawl gives up where nothing but death happens
        if len(killed) == chosen.kills or not (is_under_way and is_at_work) or time.monotonic() < next_kill[0]:
            return
        fetched[0] = progress.status.fetches
        with suppress(ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError):  # one that has just begun
            worker, shards = chance.choice(list(found[0].workers()))
            os.kill(ray.get(worker.process_id.remote(), timeout=1.0), signal.SIGKILL)
            killed.append(len(shards))
            print(f"kill {len(killed)} after {progress.status.fetches} fetches", flush=True)
        next_kill[0] = time.monotonic() + chance.uniform(0.5, 4.0)

    with tempfile.TemporaryDirectory() as folder:
        run_path = Path(folder) / "run"
        crawl_on_cluster(
            run_path,
            served_settings(chosen),
            f"local:{chosen.workers}",
            on_progress=kill_one,
            on_cluster=found.append,
        ).close()
        urls: list[str] = []
        handed = taken = fetches = waiting = 0
        for path in shard_folders(run_path):
            with open_run(path) as shard:
                urls += [page.url.text for page in shard.pages()]
                progress = shard.progress
                handed += progress.handed_over
                taken += progress.taken_over
                fetches += progress.fetches
                waiting += progress.waiting
        in_transit = links_in_transit(shard_folders(run_path))
    return {
        "kills": len(killed),
        "fetches": fetches,
        "pages": len(urls),
        "pages stored twice": len(urls) - len(set(urls)),
        "links handed over": handed,
        "links taken in": taken,
        "links in an outbox, and not taken in yet": in_transit,
        "links lost, or taken in twice where below 0": handed - taken - in_transit,
        "fetches beyond the budget": max(0, fetches - chosen.fetches),
        "links waiting": waiting,
    }


def links_in_transit(shards: Sequence[Path]) -> int:
    """Links that are in the outbox of their sender, and that their shard has not taken in."""
    with ExitStack() as opened:
        stores = [opened.enter_context(closing(SqliteStore(path / "crawl.sqlite"))) for path in shards]
        taken = [store.inbox_marks() for store in stores]
        shard_of = Partition(len(shards)).shard_of
        return sum(
            len(part.links)
            for sender, store in enumerate(stores)
            for number, parcel in store.outbox()
            for shard, part in parcel.by_shard(shard_of)
            if number > taken[shard].get(sender, 0)
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("question", choices=("harvest", "cost", "scaling", "throughput", "kills"))
    options.add_argument("--first-seed", type=int, default=20, help="webs before served to choose defaults")
    options.add_argument("--seeds", type=int, default=10)
    options.add_argument("--topics", type=int, default=len(TOPICS))
    options.add_argument("--latency", type=float, default=0.05, help="seconds that a message travels, simulated")
    options.add_argument("--fetches", type=int, default=500)
    options.add_argument("--shards", type=int, default=8)
    options.add_argument("--workers", type=int, default=8)
    options.add_argument("--post", type=float, default=0.0, help="seconds that a message of Ray takes besides")
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--hosts", type=int, default=200)
    options.add_argument("--delay", type=float, default=1.0)
    options.add_argument("--share-every", type=int, default=20)
    options.add_argument("--lease", type=int, default=1)
    chosen = options.parse_args()
    questions = {"harvest": harvest, "cost": cost, "scaling": scaling, "throughput": throughput, "kills": kills}
    answer = questions[chosen.question](chosen)
    print(json.dumps({"machine": machine(), **answer}, indent=2))


if __name__ == "__main__":
    main()
