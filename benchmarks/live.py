"""How many pages a second does a crawl of a real site take in, against Scrapy and Crawlee on the same site?

`python benchmarks/live.py --peers PEERS/bin/python FOLDER [FOLDER...] [--rounds 3] [--workers N] [--only TEXT]...
[--before OLD/bin/python]`

Set-up, which this script leaves to you:

- `apt install nginx postgresql-doc-15 python3.11-doc`; the folders are then `/usr/share/doc/postgresql-doc-15/html` and
  `/usr/share/doc/python3.11/html`.
- the peers in an environment of their own: `python3 -m venv PEERS && PEERS/bin/pip install 'scrapy==2.19.*'
  'crawlee[parsel]==1.11.*'`. Without `--peers` only our own crawls are run.
- an older version of ours, to be measured in turn with this one, in an environment of its own (`--before`).

nginx is started here with a configuration of its own, on a free port of loopback, and stopped at the end. Each round
runs every contender once, one after the other, in a process of its own (`benchmarks/peers/`). Seconds are from the call
that starts the crawl to its end, without imports; ours have the start of the worker processes and the loading of word
vectors in them. All are compiled to byte code, as pip does when it installs them. Processor time is of the whole
process with its children, imports included. All follow every link within the site; the peers keep the title of each
page, ours judges every page, scores every link where the strategy does, and stores everything; where it says so, guard
and full-text index are at work as well: with the default strategy, that is what `honeyguide crawl` does unless told
otherwise. Ours keeps to one request at a time, the peers send 32. A second table tells how the processor time of our
crawls is spread over their processes, in milliseconds a page, and with `--parts` a third how over their parts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from honeyguide.settings import Settings
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE: Final = Path(__file__).parent
COMPILE: Final = (
    "import compileall, honeyguide, pathlib; compileall.compile_dir(pathlib.Path(honeyguide.__file__).parent, quiet=1)"
)
REFERENCE: Final = "Scrapy, LinkExtractor"
NGINX: Final = """
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
  types {{ text/html html htm; text/css css; text/plain txt; application/javascript js; image/png png; }}
  default_type application/octet-stream; access_log off; sendfile on; keepalive_requests 1000000;
  client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder}; uwsgi_temp_path {folder};
  scgi_temp_path {folder};
  server {{ listen 127.0.0.1:{port}; root {folder}/site; {locations} }}
}}
"""


@dataclass(frozen=True, slots=True)
class Contender:
    """Something that crawls the site."""

    name: str
    command: tuple[str, ...]  # the URL to start from goes after the second word


@dataclass(frozen=True, slots=True)
class Lap:
    """One crawl."""

    pages: int
    seconds: float
    processor_s: float
    parts: dict[str, float] = field(default_factory=dict)  # seconds of processor time, of ours
    processes: dict[str, float] = field(default_factory=dict)  # the same, without imports

    @property
    def rate(self) -> float:
        return self.pages / self.seconds


def contenders(peers: str, before: str, workers: int, *timed: str) -> list[Contender]:
    theirs = [
        Contender(REFERENCE, (peers, str(HERE / "peers/scrapy_site.py"), "late")),
        Contender("Scrapy, early filter", (peers, str(HERE / "peers/scrapy_site.py"), "early")),
        Contender("Crawlee, Parsel", (peers, str(HERE / "peers/crawlee_site.py"))),
    ]
    older = ours(before, "before", workers, *timed) if before else []
    return [*(theirs if peers else []), *older, *ours(sys.executable, "ours", workers, *timed)]


def ours(python: str, version: str, workers: int, *timed: str) -> list[Contender]:
    script = str(HERE / "peers/honeyguide_site.py")
    bare = [
        Contender(f"{version}, {strategy}{_told(count)}", (python, script, strategy, str(count), *timed))
        for strategy in ("breadth-first", "best-first")
        for count in sorted({0, workers})
    ]
    whole = [
        Contender(
            f"{version}, {strategy}{_told(workers)}, guard and index",
            (python, script, strategy, str(workers), "whole", *timed),
        )
        for strategy in ("breadth-first", "best-first", Settings().crawl.strategy)
    ]
    return [*bare, *whole]


def _told(workers: int) -> str:
    return "" if workers < 0 else f", {workers or 'no'} worker{'s' if workers > 1 else ''}"


def run(contender: Contender, start: str) -> Lap:
    program, script, *rest = contender.command
    # As pip installs a program, its byte code is there; a checkout may be told not to write it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [program, script, start, *rest]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{contender.name} ended with status {process.returncode}")
    told = json.loads(output.strip().splitlines()[-1])
    return Lap(
        told["pages"],
        told["seconds"],
        usage.ru_utime + usage.ru_stime,
        told.get("parts", {}),
        told.get("processes", {}),
    )


@contextmanager
def served(folders: Sequence[Path]) -> Iterator[str]:
    """The folders as one site on loopback, with a page that links to each; gives its address."""
    nginx = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if nginx is None:
        raise SystemExit("nginx is not installed; apt install nginx")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        folder.chmod(0o755)
        (folder / "site").mkdir()
        names = [f"part{number}" for number in range(len(folders))]
        links = " ".join(f'<a href="{name}/index.html">{path}</a>' for name, path in zip(names, folders, strict=True))
        (folder / "site" / "index.html").write_text(f"<title>Documentation</title><p>{links}", encoding="utf-8")
        locations = " ".join(
            f"location /{name}/ {{ alias {path.resolve()}/; }}" for name, path in zip(names, folders, strict=True)
        )
        configuration = folder / "nginx.conf"
        configuration.write_text(NGINX.format(folder=folder, port=port, locations=locations), encoding="utf-8")
        with subprocess.Popen([nginx, "-c", str(configuration), "-e", str(folder / "error.log")]) as server:
            try:
                _wait_for(port)
                yield f"http://127.0.0.1:{port}/"
            finally:
                server.terminate()


def _wait_for(port: int) -> None:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise SystemExit("nginx does not answer")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="with an index.html in it")
    options.add_argument("--peers", default="", metavar="PYTHON", help="of the environment that has the peers")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--workers", type=int, default=-1, help="crawl.workers; -1 leaves it to the crawl")
    options.add_argument("--before", default="", metavar="PYTHON", help="of the environment that has an older version")
    options.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="TEXT",
        help="only those with this in their name; may be repeated",
    )
    options.add_argument("--parts", action="store_true", help="time the parts of our crawls, at some cost")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    timed = ["timed"] if chosen.parts else []
    there = contenders(chosen.peers, chosen.before, chosen.workers, *timed)
    for text in chosen.only:
        if not any(text in each.name for each in there):
            options.error(f"--only {text!r} is in none of these names: {'; '.join(each.name for each in there)}")
    running = [each for each in there if any(text in each.name for text in chosen.only or [""])]
    for python in filter(None, (sys.executable, chosen.before)):
        subprocess.run([python, "-c", COMPILE], check=True)
    laps: dict[str, list[Lap]] = {}
    loads = []
    with served(chosen.folders) as start:
        for _ in range(chosen.rounds):
            for contender in running:
                loads.append(os.getloadavg()[0])
                lap = run(contender, start)
                laps.setdefault(contender.name, []).append(lap)
                print(f"{contender.name}: {lap.rate:.0f} pages/s, load {loads[-1]:.1f}", file=sys.stderr, flush=True)
    if chosen.json:
        told = {name: [asdict(lap) for lap in each] for name, each in laps.items()}
        print(json.dumps({"machine": machine(), "loads": loads, "laps": told}, indent=2))
        return
    print(machine(), f"load before each crawl: {min(loads):.1f} to {max(loads):.1f}")
    print("| crawl | pages | pages/s (median; lowest–highest) | times Scrapy | processor ms a page |\n|" + " --- |" * 5)
    for name, each in laps.items():
        print(_row(name, each, laps.get(REFERENCE)))
    ours = {name: each for name, each in laps.items() if each[0].processes}
    if chosen.parts:
        print_parts("part", {name: [(lap.pages, lap.parts) for lap in each] for name, each in ours.items()})
    print_parts("process", {name: [(lap.pages, lap.processes) for lap in each] for name, each in ours.items()})


def print_parts(what: str, laps: dict[str, list[tuple[int, dict[str, float]]]]) -> None:
    """Milliseconds of processor time a page by part or process: medians of the rounds. Laps are pages and seconds."""
    if not laps:
        return
    print(f"\n| {what} |", " | ".join(laps), "|\n|" + " --- |" * (len(laps) + 1))
    for part in next(iter(laps.values()))[0][1]:
        medians = (statistics.median(1e3 * seconds[part] / pages for pages, seconds in each) for each in laps.values())
        print(f"| {part} |", " | ".join(f"{median:.2f}" for median in medians), "|")


def _row(name: str, laps: Sequence[Lap], reference: Sequence[Lap] | None) -> str:
    rates = sorted(lap.rate for lap in laps)
    pages = "/".join(str(count) for count in sorted({lap.pages for lap in laps}))
    # By rounds, because both crawls of a round meet about the same load.
    times = "–"
    if reference is not None:
        times = f"{statistics.median(lap.rate / other.rate for lap, other in zip(laps, reference, strict=True)):.2f}"
    processor = statistics.median(1e3 * lap.processor_s / lap.pages for lap in laps)
    rate = f"{statistics.median(rates):.0f} ({rates[0]:.0f}–{rates[-1]:.0f})"
    return f"| {name} | {pages} | {rate} | {times} | {processor:.2f} |"


if __name__ == "__main__":
    main()
