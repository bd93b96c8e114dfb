"""Make the starts that are shipped: what the learners of many runs have in common.

Run `python benchmarks/make_start_weights.py COMPARISON…`, with folders that `honeyguide lab compare` has made of
`benchmarks/harvest.toml` with `--strategy online-ridge` and with `--strategy lfa-sync`. The mean over all runs of one
kind of learner is written to `src/honeyguide/learn/starts`.
Numbers are rounded to single precision. `benchmarks/transfer.py` measures what a start is worth.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from honeyguide.crawler import learned_weights
from honeyguide.learn import STARTS
from honeyguide.learn.online_ridge import KIND, from_means
from honeyguide.settings import table_of

if TYPE_CHECKING:
    from honeyguide.learn import LearnedWeights


def mean_of(runs: list[LearnedWeights]) -> LearnedWeights:
    """The mean of what runs with the same columns have learned, each run counting alike."""
    if len({each.columns for each in runs}) != 1:
        raise SystemExit(
            f"runs of {runs[0].strategy} have different columns: crawl topics without categories, by one version"
        )
    alike = [_alike(each) for each in runs]
    numbers = {name: np.mean([each[name] for each in alike], axis=0).astype(np.float32) for name in alike[0]}
    return replace(runs[0], numbers=numbers, step=sum(each.step for each in runs))


def _alike(learned: LearnedWeights) -> dict[str, Any]:
    """The numbers of a run as if it had seen one page, measured from its own means."""
    if learned.kind != KIND:
        return dict(learned.numbers)
    rows, rewards = from_means(learned.numbers["rows"], learned.numbers["rewards"], learned.columns)
    return {"weights": learned.numbers["weights"], "rows": rows, "rewards": rewards}


def main(comparisons: list[str]) -> None:
    by_table: dict[str, list[LearnedWeights]] = defaultdict(list)
    for comparison in comparisons:
        for file in sorted(Path(comparison).glob("runs/*/*/run/settings.toml")):
            learned = learned_weights(file.parent)
            by_table[table_of(learned.strategy)].append(learned)
    if not by_table:
        raise SystemExit(__doc__)
    for table, runs in by_table.items():
        file = STARTS / f"{table}.npz"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(mean_of(runs).save())
        print(f"{file}: {len(runs)} runs, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
