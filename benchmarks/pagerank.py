"""How long does PageRank take on 325,000 vertices and 5,000,000 edges, from edge arrays to ranks?

Run `python benchmarks/pagerank.py [--json] [--epsilon E] [--rounds N] [--shuffled] [--peers PYTHON]`. Ours is held
against a bare power iteration with scipy, the two in turns in one process, best of the rounds: the goal is at most a
fifth more. networkx, igraph and scikit-network follow, once each, each in a process of its own (`benchmarks/peers/`),
by the interpreter named or this one (none with `--peers ""`); one that is not installed is left out, and said to be.
Ranks are compared with ours. The edges are made up: no duplicates and no loops, targets drawn with the cube of a
uniform number so that a few pages have most of the links, pages in no particular order.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix

from honeyguide.runs import LinkGraph, RankRules, pagerank
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Numbers = NDArray[np.int32]

PEERS = ("networkx", "igraph", "scikit-network")
PEER_SCRIPT = Path(__file__).parent / "peers" / "ranks.py"
DAMPING = 0.85


@dataclass(frozen=True, slots=True)
class Timed:
    """What one contender took, and how far its ranks are from ours."""

    name: str
    graph_s: float = 0.0
    ranks_s: float = 0.0
    iterations: int = 0
    largest_difference: float = 0.0
    missing: str = ""

    @property
    def seconds(self) -> float:
        return self.graph_s + self.ranks_s


def made_up_edges(vertices: int, edges: int, *, is_shuffled: bool) -> tuple[Numbers, Numbers]:
    chance = np.random.default_rng(1)
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < edges:
        count = edges - len(keys) + edges // 50
        sources = chance.integers(0, vertices, count)
        targets = (vertices * chance.random(count) ** 3).astype(np.int64)
        keys = np.unique(np.concatenate((keys, (sources * vertices + targets)[sources != targets])))
    keys = np.sort(chance.permutation(keys)[:edges])
    order = chance.permutation(vertices)  # else the pages with most links would lie beside one another
    sources, targets = order[keys // vertices], order[keys % vertices]
    arranged = chance.permutation(edges) if is_shuffled else np.lexsort((targets, sources))
    return sources[arranged].astype(np.int32), targets[arranged].astype(np.int32)


def ours(sources: Numbers, targets: Numbers, vertices: int, epsilon: float) -> tuple[NDArray[np.float64], int, float]:
    graph = LinkGraph.of(sources, targets, vertices)
    made = time.perf_counter()
    found = pagerank(graph, RankRules(DAMPING, epsilon))
    return found.values, found.iterations, made


def bare_scipy(
    sources: Numbers, targets: Numbers, vertices: int, epsilon: float
) -> tuple[NDArray[np.float64], int, float]:
    """As short as it can be written: no checks, and duplicates would count twice."""
    out = np.bincount(sources, minlength=vertices)
    matrix = csr_matrix((DAMPING / out[sources], (targets, sources)), shape=(vertices, vertices))
    made = time.perf_counter()
    dangling = np.flatnonzero(out == 0)
    ranks = np.full(vertices, 1 / vertices)
    iterations, change = 0, 1.0
    while change > epsilon:
        new = matrix @ ranks + (1 - DAMPING + DAMPING * ranks[dangling].sum()) / vertices
        change = np.abs(new - ranks).sum()
        ranks = new
        iterations += 1
    return ranks, iterations, made


def timed(name: str, program: Callable[..., tuple[Any, int, float]], *edges: Any) -> tuple[Timed, NDArray[np.float64]]:
    begun = time.perf_counter()
    ranks, iterations, made = program(*edges)
    return Timed(name, made - begun, time.perf_counter() - made, iterations), ranks


def peer(name: str, python: str, folder: Path, epsilon: float, reference: NDArray[np.float64]) -> Timed:
    ranks = folder / f"{name}.npy"
    done = subprocess.run(
        [python, str(PEER_SCRIPT), name, str(folder / "edges.npz"), str(epsilon), str(ranks)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return Timed(name, missing=done.stderr.strip().rpartition("\n")[2])
    said = json.loads(done.stdout)
    if "missing" in said:
        return Timed(name, missing=said["missing"])
    return Timed(name, said["graph_s"], said["ranks_s"], 0, float(np.abs(np.load(ranks) - reference).max()))


def measure(chosen: argparse.Namespace) -> list[Timed]:
    sources, targets = made_up_edges(chosen.vertices, chosen.edges, is_shuffled=chosen.shuffled)
    edges = sources, targets, chosen.vertices, chosen.epsilon
    rounds = [
        (timed("honeyguide", ours, *edges), timed("bare scipy", bare_scipy, *edges)) for _ in range(chosen.rounds)
    ]
    our_times, bare_times = zip(*rounds, strict=True)
    best, reference = min(our_times, key=lambda each: each[0].seconds)
    best_bare, bare_ranks = min(bare_times, key=lambda each: each[0].seconds)
    difference = float(np.abs(bare_ranks - reference).max())
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "edges.npz"), sources=sources, targets=targets, vertices=chosen.vertices)
        names = PEERS if chosen.peers else ()
        peers = [peer(name, chosen.peers, Path(folder), chosen.epsilon, reference) for name in names]
    bare = Timed("bare scipy", best_bare.graph_s, best_bare.ranks_s, best_bare.iterations, difference)
    return [best, bare, *peers]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--vertices", type=int, default=325_000)
    options.add_argument("--edges", type=int, default=5_000_000)
    options.add_argument("--epsilon", type=float, default=1e-6)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--shuffled", action="store_true", help="edges in any order, not by their source")
    options.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="of the environment that has them")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    contenders = measure(chosen)
    if chosen.json:
        print(json.dumps({"machine": machine(), "contenders": [asdict(each) for each in contenders]}, indent=2))
        return
    print(machine())
    bare_s = contenders[1].seconds
    print("| | graph, s | ranks, s | both, s | times bare scipy | iterations | largest difference |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for each in contenders:
        if each.missing:
            print(f"| {each.name} | not measured: {each.missing} | | | | | |")
            continue
        print(
            f"| {each.name} | {each.graph_s:.3f} | {each.ranks_s:.3f} | {each.seconds:.3f} | "
            f"{each.seconds / bare_s:.2f} | {each.iterations or ''} | {each.largest_difference:.1e} |"
        )


if __name__ == "__main__":
    main()
