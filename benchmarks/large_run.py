"""Do the commands that read a run stay quick and small, however large it is?

`python benchmarks/large_run.py [--pages 1000000] [--run FOLDER] [--only results,stats] [--limit 60] [--json]`: writes a
run of so many pages straight into its tables (`exports.write_run`; one page in ten is a duplicate for the guard), and a
second one beside it in which one URL in ten is another and one page in ten has another relevance. Then it starts each
command in a process of its own, as a person would who sends its output into a file: stderr is a terminal, on which bars
show. It says when the first output came, on stdout or on the terminal, and how much of the processor it had taken by
then; when the first came on stdout; how long it took by the clock and on the processor; and its peak memory. A command
that takes longer than the limit is stopped: an export of a million pages takes its time, and its memory is told after
the first minute. Byte code is kept, as an installed program has it; the first start of all, which makes it, is not
counted.
"""

from __future__ import annotations

import argparse
import json
import os
import selectors
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from machine import machine

COMMANDS: Final = {
    "results": ["results", "RUN"],
    "results --all": ["results", "RUN", "--all"],
    "results --json": ["results", "RUN", "--json"],
    "stats": ["stats", "RUN"],
    "traps": ["traps", "RUN"],
    "traps --pages": ["traps", "RUN", "--pages"],
    "diff": ["diff", "RUN", "OTHER"],
    "diff --json": ["diff", "RUN", "OTHER", "--json"],
    "report": ["report", "RUN", "-o", "OUT", "--overwrite"],
    "export jsonl": ["export", "RUN", "--format", "jsonl", "--no-text"],
    "export csv": ["export", "RUN", "--format", "csv", "--no-text"],
    "export edges": ["export", "RUN", "--format", "edges"],
    "export graphml": ["export", "RUN", "--format", "graphml"],
    "export warc": ["export", "RUN", "--format", "warc"],
    "export parquet": ["export", "RUN", "OUT", "--format", "parquet", "--no-text", "--overwrite"],
    "export markdown": ["export", "RUN", "--format", "markdown", "--one-file"],
}


@dataclass(frozen=True, slots=True)
class Measured:
    """One command."""

    command: str
    first_output_s: float | None  # on stdout or the terminal; None where there was none
    first_output_cpu_s: float | None
    first_stdout_s: float | None
    seconds: float
    cpu_s: float
    peak_mb: float
    is_finished: bool  # or stopped at the limit
    megabytes: float  # of output


def write_runs(path: Path, other: Path, pages: int) -> None:
    """A large run with findings of the guard, and one that differs from it in a tenth of its pages."""
    # In another process: a command that is started counts the memory of this one as its own.
    script = "import sys, pathlib, exports; exports.write_run(pathlib.Path(sys.argv[1]), int(sys.argv[2]))"
    subprocess.run([sys.executable, "-c", script, str(path), str(pages)], check=True, cwd=Path(__file__).parent)
    numbers = json.dumps({"words": 200, "copies": 1})
    with closing(sqlite3.connect(path / "crawl.sqlite")) as database, database:
        database.executemany(
            "INSERT INTO findings VALUES (?, ?, ?, 'duplicate', ?, '', ?, ?, 1)",
            ((n, n + 1, n + 1, f"h{n % 997}.test/", n - 10, numbers) for n in range(10, pages, 10)),
        )
        database.executemany(
            "INSERT INTO moves VALUES (?, 'copies', '', 'duplicate', ?, 0, 0, 1, ?)",
            ((f"h{n}.test", n, pages) for n in range(997)),
        )
    shutil.copytree(path, other)
    with closing(sqlite3.connect(other / "crawl.sqlite")) as database, database:
        database.execute("UPDATE links SET url = url || '-anew' WHERE id % 10 = 0")
        database.execute("UPDATE pages SET relevance = relevance / 2 WHERE link % 10 = 1")


def measure(name: str, run: Path, other: Path, out: Path, limit_s: float) -> Measured:
    """Run one command, and watch its output and its memory."""
    places = {"RUN": str(run), "OTHER": str(other), "OUT": str(out)}
    command = [sys.executable, "-m", "honeyguide", *(places.get(word, word) for word in COMMANDS[name])]
    terminal, its_end = os.openpty()
    first = first_cpu_s = first_stdout = None
    started, size = time.perf_counter(), 0
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=its_end, env=environment(out.parent))
    os.close(its_end)
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        selector.register(terminal, selectors.EVENT_READ)
        while selector.get_map() and time.perf_counter() - started < limit_s:
            for key, _ in selector.select(0.1):
                data = read(key.fd)
                if not data:
                    selector.unregister(key.fileobj)
                    continue
                if first is None:
                    first, first_cpu_s = time.perf_counter() - started, processor_s(process.pid)
                if key.fd != terminal:
                    first_stdout = first_stdout or time.perf_counter() - started
                    size += len(data)
        is_finished = not selector.get_map()
    if not is_finished:
        process.kill()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    process.stdout.close()
    os.close(terminal)
    if is_finished and status:
        raise SystemExit(f"{name} failed: {' '.join(command)}")
    size = size if size > 1000 or not out.is_file() else out.stat().st_size
    cpu_s, peak_mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6
    seconds = time.perf_counter() - started
    return Measured(name, first, first_cpu_s, first_stdout, seconds, cpu_s, peak_mb, is_finished, size / 1e6)


def environment(folder: Path) -> dict[str, str]:
    """Let byte code be written, somewhere else, whatever this shell says."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "byte-code"), "TERM": "xterm"}


def read(stream: int) -> bytes:
    try:
        return os.read(stream, 1 << 20)
    except OSError:  # a terminal whose other end is closed
        return b""


def processor_s(process: int) -> float:
    """Return what a process that runs has taken of the processor."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=1_000_000)
    options.add_argument("--run", type=Path, help="where the runs are, or are to be left; else they are thrown away")
    options.add_argument("--only", default=",".join(COMMANDS), help="commands, by the beginning of their names")
    options.add_argument("--limit", type=float, default=60.0, metavar="SECONDS")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = (chosen.run or Path(folder) / "run").resolve()
        other = run.with_name(f"{run.name}-other")
        if not run.exists():
            write_runs(run, other, chosen.pages)
        rows = []
        measure("results", run, other, Path(folder) / "out", chosen.limit)  # makes the byte code
        for name in COMMANDS:
            if name.startswith(tuple(chosen.only.split(","))):
                row = measure(name, run, other, Path(folder) / "out", chosen.limit)
                rows.append(row)
                if not chosen.json:
                    first, first_cpu, first_stdout = (
                        "none" if each is None else f"{each:.2f} s"
                        for each in (row.first_output_s, row.first_output_cpu_s, row.first_stdout_s)
                    )
                    end = "finished" if row.is_finished else "stopped"
                    print(
                        f"{row.command:16} first output {first:>8}, processor {first_cpu:>7}, on stdout "
                        f"{first_stdout:>8}; {end} after {row.seconds:6.1f} s, processor "
                        f"{row.cpu_s:6.1f} s; at most {row.peak_mb:5.0f} MB; wrote {row.megabytes:7.1f} MB",
                        flush=True,
                    )
    if chosen.json:
        print(json.dumps({"machine": machine(), "commands": [asdict(row) for row in rows]}, indent=2))


if __name__ == "__main__":
    main()
