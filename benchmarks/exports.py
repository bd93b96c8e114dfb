"""How fast is a run exported, and does memory stay flat? And how large is the report of a large run?

`python benchmarks/exports.py [--pages 100000] [--formats jsonl,csv] [--run FOLDER] [--json]`: writes a run of so many
pages straight into its tables (500 different pages of the synthetic web over and over, sixteen links each), then
exports it in every format, each in a process of its own. Resident memory is looked at after a tenth of the pages, after
half of them and at the end; flat means that the last two do not rise above the first. The last row is the report.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import honeyguide
from honeyguide.guard import fingerprint_of
from honeyguide.model import Fetched, Page, Url
from honeyguide.parse import parse
from honeyguide.runs import Progress, RunFolder, SqliteStore, StepRecord, body_packer
from honeyguide.runs.exports import EXPORTS
from honeyguide.settings import settings_from, to_toml
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from machine import machine
from memory import peak_mb, resident_mb

if TYPE_CHECKING:
    from collections.abc import Iterator

DIFFERENT = 500
LINKS = 16


@dataclass(frozen=True, slots=True)
class Measured:
    """One export."""

    format: str
    seconds: float
    pages_per_s: float
    megabytes: float
    at_a_tenth_mb: float
    at_half_mb: float
    at_the_end_mb: float
    peak_mb: float


async def bodies() -> list[tuple[Page, bytes]]:
    """Different pages of the synthetic web, each with its body."""
    world = SyntheticWorld(SyntheticSpec.parse("seed=1,pages=2000,hosts=50"))
    found: list[tuple[Page, bytes]] = []
    waiting, met = list(world.entry_urls()), set[Url]()
    while len(found) < DIFFERENT:
        url = waiting.pop(0)
        outcome = (await world.fetch(url)).outcome
        if isinstance(outcome, Fetched):
            page = parse(url, outcome)
            found.append((page, outcome.body))
            new = {link.target: None for link in page.links if link.target not in met}
            met |= new.keys()
            waiting += new
    return found


def write_run(path: Path, pages: int) -> None:
    """A run of so many pages, all of them fetched, one in five relevant."""
    settings = settings_from({"topic": {"name": "geology", "keywords": ["rock", "mineral"]}})
    folder, lock = RunFolder.create(path, to_toml(settings))
    lock.close()
    store = SqliteStore(folder.database_file)
    progress = Progress(steps=pages, dispatches=pages, pages=pages, relevant=-(-pages // 5), now=float(pages), seeds=1)
    store.record(StepRecord(progress, learner=b""))
    folder.mark_started()
    store.close()
    different, pack, chance = asyncio.run(bodies()), body_packer(), np.random.default_rng(1)
    packed = [(page, pack(body), len(body), fingerprint_of(page).pack()) for page, body in different]
    import sqlite3  # noqa: PLC0415

    database = sqlite3.connect(folder.database_file)

    def each() -> Iterator[tuple[int, Page, bytes, int, bytes]]:
        return ((number, *packed[number % len(packed)]) for number in range(pages))

    with database:
        database.executemany(
            """INSERT INTO links (id, url, state, page, anchor, description, score)
               VALUES (?, ?, 2, ?, '', x'', 0.5)""",
            ((n, f"http://h{n % 997}.test/{n // 997}/page-{n}", n // 3 if n else None) for n in range(pages)),
        )
        database.executemany(
            "INSERT INTO steps VALUES (?,?,?,?,?,?,0.5,0,'fetched',200,'',NULL,'',0.1,?,0.5,?)",
            ((n + 1, n, n, n, float(n), n + 0.5, size, n) for n, _, _, size, _ in each()),
        )
        database.executemany(
            """INSERT INTO pages VALUES
               (?1,?2,?3,'text/html; charset=utf-8','text/html','utf-8',?4,?5,?6,?5,?6,?7,0,?8,NULL,'')""",
            (
                (n, n + 1, page.title, len(page.words), n % 1000 / 1000, n % 5 == 0, n % 9, page.digest)
                for n, page, _, _, _ in each()
            ),
        )
        database.executemany("INSERT INTO bodies VALUES (?,?)", ((n, body) for n, _, body, _, _ in each()))
        database.executemany(
            "INSERT OR IGNORE INTO edges VALUES (?, ?)",
            ((n, int(target)) for n in range(pages) for target in chance.integers(0, pages, LINKS)),
        )
        database.executemany(
            "INSERT INTO prints VALUES (?, ?, 0.0, ?)", ((n + 1, n, kept) for n, _, _, _, kept in each())
        )
    database.close()


def measure(run: Path, file_format: str) -> Measured:
    """Export in this process, and look at its memory on the way."""
    looks: list[float] = []
    started = time.perf_counter()

    def look(done: int, total: int) -> None:
        if done in (total // 10, total // 2):
            looks.append(resident_mb())

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        pages = honeyguide.open_run(run).progress.pages
        if file_format == "report":
            honeyguide.write_report(run, out)
            looks = [resident_mb()] * 2
        else:
            honeyguide.export(run, out, file_format, look)
        seconds, at_the_end = time.perf_counter() - started, resident_mb()
        files = [out] if out.is_file() else [each for each in out.rglob("*") if each.is_file()]
        size = sum(each.stat().st_size for each in files) / 1e6
    at_a_tenth, at_half = looks
    return Measured(file_format, seconds, pages / seconds, size, at_a_tenth, at_half, at_the_end, peak_mb())


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=100_000)
    options.add_argument("--formats", default=",".join([*EXPORTS, "report"]))
    options.add_argument("--run", type=Path, help="where the run is, or is to be left; else it is thrown away")
    options.add_argument("--one", help=argparse.SUPPRESS)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    if chosen.one:
        print(json.dumps(asdict(measure(chosen.run, chosen.one))))
        return
    with tempfile.TemporaryDirectory() as folder:
        run = chosen.run or Path(folder) / "run"
        if not run.exists():
            write_run(run, chosen.pages)
        rows = []
        for file_format in chosen.formats.split(","):
            command = [sys.executable, __file__, "--run", str(run), "--one", file_format]
            rows.append(Measured(**json.loads(subprocess.run(command, check=True, capture_output=True).stdout)))
            if not chosen.json:
                row = rows[-1]
                memory = f"{row.at_a_tenth_mb:5.0f} {row.at_half_mb:5.0f} {row.at_the_end_mb:5.0f}"
                speed = f"{row.seconds:7.1f} s {row.pages_per_s:9,.0f} pages/s {row.megabytes:8.1f} MB"
                print(f"{row.format:9} {speed}; memory {memory}, at most {row.peak_mb:5.0f} MB", flush=True)
    if chosen.json:
        print(json.dumps({"machine": machine(), "exports": [asdict(row) for row in rows]}, indent=2))


if __name__ == "__main__":
    main()
