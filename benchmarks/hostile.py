"""What one hostile host costs a crawl, and the healthy host beside it.

    python benchmarks/hostile.py [--only SHAPE] [--seconds 5] [--parse] [--json]

Two servers on loopback addresses of their own: a healthy one with pages without end, and one that serves a hostile
page three times, or answers everything wrong (`hostile_shapes.py`); of a link farm there are two, with new pages
without end. `honeyguide.crawl` crawls all in a process of its own with its defaults, but a pause of 0.1 s after each
answer. The hostile host holds its answers until the healthy one was asked ten times. Told are, of so many seconds from
then: the pages of the healthy host as a share of what it gave alone at first (the last row is that again), and the
longest time between two of them; when the third hostile page was settled, and how; the memory of the crawl with its
processes at its peak; and the size of the run folder. A row is printed as soon as it is measured; all took 20
minutes on two busy cores. `--only` takes a part of a shape's name, and may be given again. `--parse` only
parses each hostile page, here, and the first quarter and half of it: processor time that grows with the square of the
length would show.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from honeyguide.crawler import crawl
from honeyguide.errors import HoneyguideError
from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.runs import open_run
from honeyguide.settings import settings_from
from hostile_shapes import FARMS, PAGES, ROBOTS, SERVERS, TEXT, head, own_certificate
from machine import machine

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable

    from hostile_shapes import Misbehave

HOSTILE_PATHS: Final = ("/1", "/2", "/3")
HEALTHY, HOSTILE, ALSO_HOSTILE = "127.0.77.1", "127.0.99.1", "127.0.99.2"
HOSTILE_NETWORK: Final = "127.0.99."
RESPONSE_S: Final = 0.05
PAUSE_S: Final = 0.1
WARM: Final = 10  # requests
STOPPING_S: Final = 30.0
WORDS = ("rock", "mineral", "basalt", "granite", "river", "music", "market", "novel", "planet", "engine", "garden")


@dataclass(frozen=True, slots=True)
class Measured:
    """One crawl. Without a shape, that of the healthy host alone."""

    shape: str
    pages: int  # of the healthy host
    longest_gap_s: float  # between two requests to it
    settled_s: float | None  # until the last hostile page of three was; None where it was not
    outcomes: dict[str, int]  # of the hostile host
    peak_mb: float
    disk_mb: float
    stopping_s: float  # from Ctrl-C to the end
    left_behind: int  # processes
    share: float = 1.0


@dataclass(slots=True)
class Servers:
    """Both hosts, and when the healthy one was asked for a page."""

    page: bytes = b""
    robots: bytes | None = None
    misbehave: Misbehave | None = None
    farm: Callable[[int], bytes] | None = None
    pages_grown: int = 0
    asked_at: list[float] = field(default_factory=list)
    is_warm: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer_well(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while True:
                path = await _path(reader)
                if path != "/robots.txt":
                    self.asked_at.append(time.time())
                if len(self.asked_at) >= WARM:
                    self.is_warm.set()
                await asyncio.sleep(RESPONSE_S)
                body = b"" if path == "/robots.txt" else _healthy_page(path)
                writer.write(head(length=len(body)) + body)
        writer.close()

    async def answer_badly(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            path = await _path(reader)
            await self.is_warm.wait()
            if self.misbehave is not None and (self.robots is not None or path != "/robots.txt"):
                await self.misbehave(writer)
            else:
                await self._serve(path, writer)
        writer.close()

    async def _serve(self, path: str, writer: asyncio.StreamWriter) -> None:
        if self.farm is not None and path != "/robots.txt":
            self.pages_grown += 1
            body: bytes | None = self.farm(self.pages_grown)
        else:
            body = self.robots if path == "/robots.txt" else self.page if path in HOSTILE_PATHS else None
        status = "404 Not Found" if body is None else "200 OK"
        writer.write(head(status, "Connection: close", length=len(body or b"")) + (body or b""))
        await writer.drain()


async def _path(reader: asyncio.StreamReader) -> str:
    request = await reader.readuntil(b"\r\n\r\n")
    return request.split(b" ", 2)[1].decode("latin-1")


def _healthy_page(path: str) -> bytes:
    chance = random.Random(path)
    text = " ".join([*chance.choices(WORDS, k=100), *("".join(chance.choices("abcdefgh", k=6)) for _ in range(200))])
    links = "".join(f'<a href="/{chance.randrange(10**9)}">{chance.choice(WORDS)}</a> ' for _ in range(15))
    return f"<title>{chance.choice(WORDS)}</title><p>{text}</p>{links}".encode()


async def measure(shape: str, seconds: float, folder: Path) -> Measured:
    """Crawl both hosts for so long; without a shape the healthy one alone."""
    servers = Servers(TEXT, ROBOTS[shape]() if shape in ROBOTS else b"" if "robots.txt" in shape else None)
    if shape in PAGES:
        servers.page = PAGES[shape]()
    if shape in SERVERS:
        servers.misbehave = SERVERS[shape]()
    servers.farm = FARMS.get(shape)
    tls: ssl.SSLContext | None = own_certificate(folder) if shape == "TLS: signed by itself" else None
    well = await asyncio.start_server(servers.answer_well, HEALTHY, 0)
    badly = await asyncio.start_server(servers.answer_badly, HOSTILE, 0, ssl=tls)
    also_badly = await asyncio.start_server(servers.answer_badly, ALSO_HOSTILE, 0)
    scheme = "https" if shape.startswith("TLS") else "http"
    seeds = [f"http://{_at(well)}/"]
    if shape in FARMS:
        seeds += [f"http://{_at(badly)}/1", f"http://{_at(also_badly)}/1"]
    elif shape:
        seeds += [f"{scheme}://{_at(badly)}{path}" for path in HOSTILE_PATHS]
    process = await asyncio.create_subprocess_exec(sys.executable, __file__, "--crawl", str(folder), *seeds)
    try:
        return await _watch(shape, process, servers, seconds, folder)
    finally:
        for server in (well, badly, also_badly):
            server.close()


def _at(server: asyncio.Server) -> str:
    address, port = server.sockets[0].getsockname()
    return f"{address}:{port}"


async def _watch(
    shape: str, process: asyncio.subprocess.Process, servers: Servers, seconds: float, folder: Path
) -> Measured:
    peak, family = 0, set[int]()
    until = time.time() + 60
    while time.time() < until:
        await asyncio.sleep(0.05)
        if servers.is_warm.is_set():
            until = min(until, servers.asked_at[WARM - 1] + seconds)
        family |= _family(process.pid)
        peak = max(peak, sum(map(_memory_bytes, _family(process.pid))))
    stopping = time.time()
    with suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)
    try:
        await asyncio.wait_for(process.wait(), STOPPING_S)
    except TimeoutError:
        process.kill()
    stopped = time.time()
    await asyncio.sleep(0.2)
    began = servers.asked_at[WARM - 1] if servers.is_warm.is_set() else stopping
    times = [began, *(at for at in servers.asked_at if began < at < began + seconds), began + seconds]
    settled_s, outcomes = _hostile_steps(folder, began)
    return Measured(
        shape,
        len(times) - 2,
        round(max(later - earlier for earlier, later in pairwise(times)), 2),
        settled_s,
        outcomes,
        round(peak / 1e6),
        round(_folder_bytes(folder / "run") / 1e6, 1),
        round(stopped - stopping, 1),
        sum(map(_is_alive, family)),
    )


def crawl_both(folder: Path, seeds: list[str]) -> None:
    """Crawl until Ctrl-C, and note when each page of the hostile host was settled."""
    settings = settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock"]},
            "crawl": {"seed_urls": seeds},
            "budget": {"fetches": 100_000},
            "politeness": {"delay_s": PAUSE_S, "delay_factor": 0.0},
            "fetch": {"allow_private": ["127.0.0.0/8"], "contact": "crawl@example.org"},
        }
    )
    stop = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: stop.set())
    is_farm = any(f"//{ALSO_HOSTILE}:" in seed for seed in seeds)
    with (folder / "settled").open("w", encoding="utf-8", buffering=1) as settled:

        def note(event: object) -> None:
            url = getattr(event, "url", None)
            if not isinstance(url, Url) or not url.host.startswith(HOSTILE_NETWORK):
                return
            if is_farm or url.path in HOSTILE_PATHS:
                settled.write(f"{time.time()}\n")

        crawl(folder / "run", settings, listeners=[note], is_interrupted=stop.is_set).close()


def _hostile_steps(folder: Path, began: float) -> tuple[float | None, dict[str, int]]:
    """Return when the last of the hostile pages was settled, and what became of all requests to their host."""
    outcomes: Counter[str] = Counter()
    with suppress(HoneyguideError), open_run(folder / "run") as run:
        cut_by = {page.url: " ".join(page.cut_by) for page in run.pages()}
        for step in run.steps():
            if f"//{HOSTILE_NETWORK}" not in step.url.text:
                continue
            if step.outcome == "fetched":
                outcomes[f"cut by {cut_by[step.url]}" if cut_by.get(step.url) else "fetched"] += 1
            else:
                outcomes[step.detail.partition(":")[0] if step.outcome in ("failed", "refused") else step.outcome] += 1
    lines = (folder / "settled").read_text(encoding="utf-8").split()
    settled_s = round(float(lines[len(HOSTILE_PATHS) - 1]) - began, 1) if len(lines) >= len(HOSTILE_PATHS) else None
    return settled_s, dict(outcomes.most_common(3))


def _family(process_id: int) -> set[int]:
    """Return a process and those that it has started, and they."""
    found = {process_id}
    with suppress(OSError):
        for task in Path(f"/proc/{process_id}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                found |= _family(int(child))
    return found


def _is_alive(process_id: int) -> bool:
    return Path(f"/proc/{process_id}").exists()


def _folder_bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _memory_bytes(process_id: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{process_id}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")
    return 0


def parse_parts(shapes: list[str]) -> dict[str, list[float]]:
    """Return the processor seconds that a quarter, a half and all of each page take to parse."""
    seconds: dict[str, list[float]] = {}
    for shape in shapes:
        body = PAGES[shape]()
        for part in (4, 2, 1):
            began = time.process_time()
            parse(Url.parse(f"http://{HOSTILE}/1"), Fetched(200, "text/html", body[: len(body) // part]))
            seconds.setdefault(shape, []).append(round(time.process_time() - began, 2))
        if sys.stderr.isatty():
            print(f"{shape}: {seconds[shape]}", file=sys.stderr)
    return seconds


TABLE_HEAD: Final = "| shape | healthy host | longest gap, s | settled, s | hostile host | peak, MB | run, MB |"


def row_of(one: Measured) -> str:
    settled = "" if one.settled_s is None else f"{one.settled_s:.1f}"
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in one.outcomes.items())
    share = f"{one.share:.0%} | {one.longest_gap_s:.1f}"
    return f"| {one.shape or 'alone'} | {share} | {settled} | {outcomes} | {one.peak_mb:.0f} | {one.disk_mb:.1f} |"


def main() -> None:
    if sys.argv[1:2] == ["--crawl"]:
        crawl_both(Path(sys.argv[2]), sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--only", action="append", metavar="SHAPE", help="shapes with this in their name; may be repeated"
    )
    parser.add_argument("--seconds", type=float, default=5.0, help="of each crawl, once it is warm")
    parser.add_argument("--parse", action="store_true", help="only parse the pages, and parts of them")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    arguments = parser.parse_args()
    known = tuple(PAGES) if arguments.parse else (*ROBOTS, *PAGES, *FARMS, *SERVERS)
    wanted: list[str] = arguments.only or [""]
    shapes = [shape for shape in known if any(part in shape for part in wanted)]
    if not shapes:
        parser.error(f"--only {' '.join(wanted)}: no shape is called so; known are {', '.join(known)}")
    if arguments.parse:
        parts = parse_parts(shapes)
        if arguments.json:
            print(json.dumps({"machine": machine(), "seconds": parts}))
        else:
            print("| page | a quarter, s | half, s | all, s |\n| --- | --- | --- | --- |")
            print("\n".join(f"| {shape} | {' | '.join(map(str, seconds))} |" for shape, seconds in parts.items()))
        return
    if not arguments.json:
        print(f"{TABLE_HEAD}\n{'| --- ' * 7}|", flush=True)
    told: list[Measured] = []
    for shape in ("", *shapes, ""):
        with tempfile.TemporaryDirectory() as folder:
            one = asyncio.run(measure(shape, arguments.seconds, Path(folder)))
        told.append(replace(one, share=round(one.pages / max(1, (told or [one])[0].pages), 3)))
        if arguments.json:
            print(f"{shape or 'alone'}: {one.pages} pages of the healthy host", file=sys.stderr, flush=True)
        else:
            print(row_of(told[-1]), flush=True)
    if arguments.json:
        print(json.dumps({"machine": machine(), "seconds": arguments.seconds, "crawls": [asdict(one) for one in told]}))
        return
    print(f"\n{told[0].pages / arguments.seconds:.1f} pages a second alone; machine: {machine()}")


if __name__ == "__main__":
    main()
