"""How much of what politeness allows a live crawl makes use of: many hosts, each at an address of its own.

    python benchmarks/many_hosts.py [--hosts 200] [--delay 1.0] [--seconds 60] [--concurrency 0] [--response 0.02]
        [--guard]

A server process listens on every loopback address 127.x.y.z and gives pages whose links lead to their own host and to
others. The crawl is `honeyguide.crawl` on the world `live`, everything on: robots.txt, the gate, judging by embeddings,
scoring every link, storing every step. With a pause of `delay` seconds after each answer, which takes `response`
seconds, `hosts / (delay + response)` pages a second are allowed. Told are the pages of the server's own log, each
second, the share of the allowed that they are after the start, and whether any host was asked too early.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import socket
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.crawler import crawl
from honeyguide.settings import settings_from
from machine import machine

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

WORDS = (
    "rock", "mineral", "basalt", "granite", "sediment", "river", "music", "football", "market", "novel", "planet",
    "engine", "garden",
)  # fmt: skip


def address_of(host: int) -> str:
    return f"127.10.{host // 200}.{host % 200 + 1}"


def serve(port: int, hosts: int, response_s: float, log_file: str, ready: Connection) -> None:
    """Answer on every address until the parent closes its end; then write the log of requests."""
    import asyncio  # noqa: PLC0415 - in the server's process

    from aiohttp import web  # noqa: PLC0415

    log: list[tuple[str, str, float, float]] = []

    async def answer(request: web.BaseRequest) -> web.Response:
        began_at = time.time()
        await asyncio.sleep(response_s)
        host = request.host.partition(":")[0]
        if request.path == "/robots.txt":
            response = web.Response(text="User-agent: *\nDisallow: /private/\n")
        else:
            response = web.Response(text=page(host, request.path), content_type="text/html")
        log.append((host, request.path, began_at, time.time()))
        return response

    def page(host: str, path: str) -> str:
        number = int(path.strip("/") or 0)
        own = [f"/{number * 3 + step}" for step in range(1, 7)]
        others = [f"http://{address_of((number * 7 + step * 31 + hash(host)) % hosts)}:{port}/" for step in range(6)]
        links = "".join(
            f'<p>{WORDS[n % 13]} <a href="{url}">{WORDS[n % 7]}</a></p>' for n, url in enumerate(own + others)
        )
        text = " ".join(WORDS[(number * step + len(host)) % 13] for step in range(300))
        return f"<html><head><title>{number}</title></head><body><main><p>{text}</p>{links}</main></body></html>"

    async def main() -> None:
        runner = web.ServerRunner(web.Server(answer), access_log=None)
        await runner.setup()
        await web.TCPSite(runner, "0.0.0.0", port, backlog=1024).start()
        ready.send(None)
        while not await asyncio.to_thread(ready.poll, 0.2):
            pass
        await runner.cleanup()

    asyncio.run(main())
    Path(log_file).write_text(json.dumps(log), encoding="utf-8")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def too_early(log: list[tuple[str, str, float, float]], delay_s: float) -> int:
    """Requests that came before the pause was over; half a millisecond is the difference between two clocks."""
    ended_at: dict[str, float] = defaultdict(float)
    early = 0
    for host, _, began_at, finished_at in sorted(log, key=lambda entry: entry[2]):
        early += began_at < ended_at[host] + delay_s - 0.0005
        ended_at[host] = max(ended_at[host], finished_at)
    return early


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--hosts", type=int, default=200)
    reader.add_argument("--delay", type=float, default=1.0)
    reader.add_argument("--seconds", type=float, default=60.0)
    reader.add_argument("--warm-up", type=float, default=10.0, help="seconds at the start that do not count")
    reader.add_argument("--concurrency", type=int, default=0)
    reader.add_argument("--response", type=float, default=0.0, help="seconds that every answer takes")
    reader.add_argument("--strategy", default="online-ridge")
    reader.add_argument(
        "--guard",
        action="store_true",
        help="have one, as crawls do; all pages are made of thirteen words, so it takes nearly all for near-duplicates",
    )
    chosen = reader.parse_args()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        log_file = str(Path(folder) / "log.json")
        here, there = multiprocessing.Pipe()
        server = multiprocessing.get_context("spawn").Process(
            target=serve, args=(port, chosen.hosts, chosen.response, log_file, there)
        )
        server.start()
        here.recv()
        settings = settings_from(
            {
                "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
                "crawl": {
                    "world": "live", "strategy": chosen.strategy, "concurrency": chosen.concurrency,
                    "seed_urls": [f"http://{address_of(host)}:{port}/" for host in range(chosen.hosts)],
                },
                "budget": {"fetches": 10_000_000, "seconds": chosen.seconds},
                "politeness": {"delay_s": chosen.delay},
                "fetch": {"allow_private": ["127.0.0.0/8"], "contact": "benchmark@example.org"},
                "guard": {"on": chosen.guard},
            }
        )  # fmt: skip
        started, before = time.time(), resource.getrusage(resource.RUSAGE_SELF)
        with crawl(Path(folder) / "run", settings) as run:
            progress = run.progress
        after = resource.getrusage(resource.RUSAGE_SELF)
        here.send(None)
        server.join()
        log = [tuple(entry) for entry in json.loads(Path(log_file).read_text(encoding="utf-8"))]
    begun = min(entry[2] for entry in log)
    pages = [entry[3] - begun for entry in log if entry[1] != "/robots.txt"]
    counted_s = chosen.seconds - chosen.warm_up - 1.0
    counted = sum(chosen.warm_up <= moment < chosen.warm_up + counted_s for moment in pages)
    allowed = chosen.hosts / (chosen.delay + chosen.response)
    by_second = [sum(int(moment) == second for moment in pages) for second in range(int(chosen.seconds))]
    print(f"machine        {machine()}")
    print(f"hosts          {chosen.hosts}, {chosen.delay:g} s after each answer, which takes {chosen.response:g} s")
    print(f"pages a second {' '.join(map(str, by_second[:20]))} ...")
    print(
        f"steady         {counted / counted_s:.1f} pages/s, {counted / counted_s / allowed:.1%} of {allowed:g} allowed"
    )
    print(f"all in all     {len(pages)} pages, {len(log) - len(pages)} robots.txt, in {time.time() - started:.1f} s")
    used_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"processor      {1000 * used_s / len(pages):.1f} ms a page, of one core, start included")
    print(f"host not ready {progress.waited_for_hosts} of {progress.dispatches}")
    early = too_early(log, chosen.delay)
    print(f"too early      {early} of {len(log)} requests")
    sys.exit(1 if early else 0)


if __name__ == "__main__":
    main()
