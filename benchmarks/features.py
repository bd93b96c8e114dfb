"""What do the short vectors and half-precision rows of waiting links lose?

Run `python benchmarks/features.py [--pages N] [--json]`. Links of the synthetic web are described with all numbers
of a word vector in double precision, and as they are kept: at most 128 numbers, rows in half precision. The second
question is speed: a page of 2,900 words with 90 links is judged and its links described, all words being in the cache;
the peer of the same run adds up the same windows from running sums over the page.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from honeyguide.judge import EmbeddingJudge
from honeyguide.learn.features import COLUMNS, HEAD, LinkFeatures
from honeyguide.model import Candidates, Fetched, Link, Occurrence, Origin, Page, Rows, Topic
from honeyguide.parse import parse
from honeyguide.text import EnglishVectors, WordVectors
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable


def batches(pages: int, world: SyntheticWorld) -> list[Candidates]:
    found = []
    for number in range(pages):
        url = world.url_of(number * (world.spec.pages // pages))
        outcome = world.answer(url).outcome
        if isinstance(outcome, Fetched) and (page := parse(url, outcome)).links:
            found.append(Candidates.on_page(page, page.links, Origin(url.host, 0.3, 1, 2)))
    return found


def long_page(world: SyntheticWorld) -> Page:
    """2,900 words of the synthetic web with 90 links, one every 32 words."""
    words: list[str] = []
    for number in range(0, 2000, 20):
        outcome = world.answer(world.url_of(number)).outcome
        if isinstance(outcome, Fetched):
            words += parse(world.url_of(number), outcome).words
    url = world.url_of(0)
    links = tuple(
        Link(world.url_of(number), url, (Occurrence("", 32 * number, 32 * number + 3, in_main=True),))
        for number in range(90)
    )
    return Page(url, "text/html", "utf-8", "", "", tuple(words[:2900]), ((0, 2900),), links)


def pages_per_s(work: Callable[[], object], times: int = 300) -> float:
    work()
    started = time.perf_counter()
    for _ in range(times):
        work()
    return times / (time.perf_counter() - started)


def rows_of(features: LinkFeatures, candidates: Candidates) -> Rows:
    return features.rows(features.describe(candidates), candidates.parents)


def speeds(page: Page, topic: Topic, vectors: WordVectors) -> dict[str, float]:
    """Judging and describing a long page, and adding up its windows in two ways."""
    judge, links = EmbeddingJudge(topic, vectors), LinkFeatures(topic, vectors)
    candidates = Candidates.on_page(page, page.links, Origin(page.url.host, 0.3, 1, 2))
    first, _, _, last = candidates.spans.T
    rows = vectors.look_up(page.words)

    def running_sums() -> object:
        sums = np.zeros((len(page.words) + 1, HEAD))
        np.cumsum(rows.table[rows.numbers, :HEAD], axis=0, dtype=np.float64, out=sums[1:])
        return sums[last] - sums[first]

    def judge_and_describe() -> object:
        return judge.relevance(replace(page)), rows_of(
            links, candidates
        )  # a copy, because the last page's answer is kept

    return {
        "judged_and_described_pages_per_s": pages_per_s(judge_and_describe),
        "windows_summed_pages_per_s": pages_per_s(lambda: rows.sums_between(candidates.spans[:, [0, -1]], HEAD)),
        "windows_from_running_sums_pages_per_s": pages_per_s(running_sums),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=1000)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    world = SyntheticWorld(SyntheticSpec())
    topic = Topic("geology", tuple(world.keywords_for("geology")))
    vectors = WordVectors(EnglishVectors())
    links = batches(chosen.pages, world)
    kept = LinkFeatures(topic, vectors)
    short = np.concatenate([kept.similarity(kept.describe(batch)) for batch in links])
    halved = np.concatenate([rows_of(kept, batch) for batch in links])
    whole = LinkFeatures(topic, vectors, size=vectors.dimension)
    full = np.concatenate([whole.similarity(whole.describe(batch)) for batch in links])
    figures: dict[str, float] = {
        "links": len(full),
        "columns": len(COLUMNS),
        "bytes_a_stored_link": kept.description_type.itemsize,
        "bytes_a_row": halved.dtype.itemsize * halved.shape[1],
        "correlation_of_similarity_with_all_256": float(np.corrcoef(short, full)[0, 1]),
        "largest_rounding_of_a_row": float(np.abs(halved[:, 1:4].mean(axis=1) - short).max()),
    }
    with threadpool_limits(1, "blas"):
        figures |= speeds(long_page(world), topic, vectors)
    if chosen.json:
        print(json.dumps({"machine": machine(), **figures}, indent=2))
        return
    print(machine())
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):40} {value:,.4f}" if isinstance(value, float) else f"{name:40} {value:,}")


if __name__ == "__main__":
    main()
