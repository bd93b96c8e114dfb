"""What does a file of word vectors cost to convert, to open and to look words up in, and what does rounding lose?

Run `python benchmarks/vectors.py FILE [--json]`. The file is converted into an empty cache and opened again. Its words
are looked up in an order drawn by chance: all in one call, and as pages would, 200 at a time. Then 100,000 pairs of
words are compared as they are in the file and as the table of a crawl holds them, in steps of 1/256 and none above 8;
and as it would hold them if every number of the file were a hundredth of what it is, with the scale that is then chosen
and without. Seconds are of processor time, the best of three where a thing can be done again.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.text.vector_files import open_file_vectors
from honeyguide.text.vector_files.conversion import NumberSpread
from honeyguide.text.vectors import GRAIN, LARGEST
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

PAIRS = 100_000
A_PAGE = 200


def seconds(work: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        started = time.process_time()
        work()
        taken.append(time.process_time() - started)
    return min(taken)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def in_table(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    rounded: NDArray[np.float64] = np.round(np.clip(vectors, -LARGEST, LARGEST) / GRAIN) * GRAIN
    return rounded


def pair_cosines(vectors: NDArray[np.float64], pairs: NDArray[np.int64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(vectors, axis=1)
    one, other = pairs
    products = (vectors[one] * vectors[other]).sum(axis=1)
    return np.divide(products, lengths[one] * lengths[other], out=np.zeros(len(one)), where=lengths[one] > 0)


def losses(vectors: NDArray[np.float64], chance: np.random.Generator) -> dict[str, float]:
    pairs = chance.integers(0, len(vectors), (2, PAIRS))
    exact = pair_cosines(vectors, pairs)
    small = NumberSpread()
    small.add((vectors / 100).astype(np.float32))
    kept = {
        "as_it_is": in_table(vectors),
        "a_hundredth_scaled": in_table(vectors / 100 * small.scale),
        "a_hundredth_unscaled": in_table(vectors / 100),
    }
    return {
        f"{measure.__name__}_cosine_error_{name}": float(measure(np.abs(pair_cosines(table, pairs) - exact)))
        for name, table in kept.items()
        for measure in (np.mean, np.max)
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    chance = np.random.default_rng(0)
    with TemporaryDirectory() as cache:
        before = peak_megabytes()
        convert_s = seconds(lambda: open_file_vectors(chosen.file, Path(cache)), times=1)
        memory = peak_megabytes() - before
        open_s = seconds(lambda: open_file_vectors(chosen.file, Path(cache)))
        source = open_file_vectors(chosen.file, Path(cache))
        words = [str(word) for word in chance.permutation(np.array(source.words(), dtype=object))]
        pages = [words[first : first + A_PAGE] for first in range(0, len(words), A_PAGE)]
        at_once_s = seconds(lambda: source.vectors(words))
        by_page_s = seconds(lambda: [source.vectors(page) for page in pages])
        figures = {
            "words": float(len(words)),
            "dimension": float(source.dimension),
            "scale": source.about.scale,
            "file_megabytes": chosen.file.stat().st_size / 1e6,
            "cache_megabytes": source.size_bytes() / 1e6,
            "converted_in_s": convert_s,
            "memory_of_conversion_megabytes": memory,
            "opened_again_in_ms": 1000 * open_s,
            "words_looked_up_per_s_at_once": len(words) / at_once_s,
            "words_looked_up_per_s_by_page": len(words) / by_page_s,
            **losses(source.vectors(words).astype(np.float64), chance),
        }
    if chosen.json:
        print(json.dumps({"machine": machine(), **figures}, indent=2))
        return
    print(machine())
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):50} {value:,.4f}")


if __name__ == "__main__":
    main()
