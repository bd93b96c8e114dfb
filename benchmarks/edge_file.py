"""How long does it take to read a file of 5,000,000 edges, and in how much memory?

Run `python benchmarks/edge_file.py [--json] [--vertices N] [--edges N]`. The file is written first, with the made-up
edges of `benchmarks/pagerank.py` and names such as `/wiki/Article_123456`; then it is read in a process of its own,
whose largest memory is told beside that of the same process before it began. Reading it line by line into lists, as one
would by hand, is measured on the same file, in another process. Linux only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from honeyguide.runs import LinkGraph
from honeyguide.runs.exports import read_edge_file, write_edge_file
from machine import machine
from pagerank import made_up_edges


def memory_megabytes() -> float:
    """The most that this process has had; what `getrusage` tells a child begins with its parent's."""
    told = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(told.partition("VmHWM:")[2].split()[0]) / 1024


def read_by_lines(file: Path) -> int:
    number_by_name: dict[str, int] = {}
    sources, targets = [], []
    with file.open(encoding="utf-8") as lines:
        vertices = int(next(lines))
        for line in lines:
            source, target = line.split()
            sources.append(number_by_name.setdefault(source, len(number_by_name)))
            targets.append(number_by_name.setdefault(target, len(number_by_name)))
    return LinkGraph.of(np.array(sources), np.array(targets), vertices, tuple(number_by_name)).edges


def read(how: str, file: Path) -> dict[str, Any]:
    LinkGraph.of(*made_up_edges(10, 20, is_shuffled=False))  # loads scipy
    before = memory_megabytes()
    begun = time.perf_counter()
    edges = read_edge_file(file).edges if how == "ours" else read_by_lines(file)
    seconds = time.perf_counter() - begun
    return {"edges": edges, "seconds": seconds, "before_mb": before, "peak_mb": memory_megabytes()}


def in_a_process(how: str, file: Path) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, "--read", how, str(file)], capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def measure(vertices: int, edges: int) -> dict[str, Any]:
    names = tuple(f"/wiki/Article_{number}" for number in range(vertices))
    graph = LinkGraph.of(*made_up_edges(vertices, edges, is_shuffled=False), vertices, names)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "graph.txt")
        begun = time.perf_counter()
        with file.open("w", encoding="utf-8") as out:
            write_edge_file(graph, out)
        written_s = time.perf_counter() - begun
        return {
            "file_mb": file.stat().st_size / 1e6,
            "written_s": written_s,
            "read": in_a_process("ours", file),
            "read_by_lines": in_a_process("lines", file),
        }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--vertices", type=int, default=325_000)
    options.add_argument("--edges", type=int, default=5_000_000)
    options.add_argument("--read", nargs=2, help=argparse.SUPPRESS)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    if chosen.read:
        print(json.dumps(read(chosen.read[0], Path(chosen.read[1]))))
        return
    measured = measure(chosen.vertices, chosen.edges)
    if chosen.json:
        print(json.dumps({"machine": machine(), **measured}, indent=2))
        return
    print(machine())
    print(f"file of {measured['file_mb']:.0f} MB, written in {measured['written_s']:.1f} s")
    for how in ("read", "read_by_lines"):
        told = measured[how]
        print(
            f"{how}: {told['seconds']:.1f} s, {told['before_mb']:.0f} MB before, {told['peak_mb']:.0f} MB at the peak"
        )


if __name__ == "__main__":
    main()
