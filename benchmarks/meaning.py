"""Searching by meaning: what does it cost to look at every page of a large run?

`python benchmarks/meaning.py [--pages 100000] [--dimension 256] [--json]`: an index in memory of so many pages of forty
chance words, with chance vectors, and a query of two words. The cosine of every page is computed, all pages are scored
and the best ten chosen, those with the same text as one. Means over ten queries; the parts are the product of vectors,
and all the rest but making snippets. Then the same for one host of a hundred, and for the ten that come after half of
all pages.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from honeyguide.model import Url
from honeyguide.search.choosing import choose
from honeyguide.search.indexing import IndexedPage
from honeyguide.search.page_index import PageIndex
from honeyguide.search.page_table import StepKeys
from honeyguide.search.query import parse_query
from honeyguide.search.shard import Nearness, PageFilter, PageVectors, Shard, ShardQuery, Weights
from machine import machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from honeyguide.runs import Run

SEED = 1
QUERIES = 10
HOSTS = 100
WEIGHTS = Weights(text=1.0, rank=0.1, topic=0.2, meaning=1.0)


class NoGuard:
    """A run of which nobody took fingerprints."""

    def guard_simhashes(self, _batch: int) -> Iterator[None]:
        return iter(())


def pages(count: int) -> Iterator[IndexedPage]:
    chance = np.random.default_rng(SEED)
    for step in range(1, count + 1):
        text = " ".join(f"word{number}" for number in chance.integers(0, 5_000, 40))
        yield IndexedPage(
            step=step,
            url=Url(f"http://h{step % HOSTS}.test/{step}"),
            title=f"page {step}",
            text=text,
            vocabulary=text,
            fetched_at=float(step),
            relevance=float(chance.random()),
            is_relevant=step % 5 == 0,
            quality=1.0,
            text_print=step,
        )


def shard_of(count: int) -> Shard:
    index = PageIndex.in_memory("english")
    index.add_all(pages(count), 50_000)
    index.close()
    standing = np.random.default_rng(SEED).random(count + 1).astype(np.float32)
    return Shard(
        run=cast("Run", NoGuard()),
        index=index,
        searcher=index.searcher(),
        numbers=StepKeys(),
        rank_by_step=standing,
        is_in_folder=False,
        may_write=False,
    )


def mean_ms(work: Callable[[], object]) -> dict[str, float]:
    work()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(QUERIES):
        work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"ms": round(wall / QUERIES * 1e3, 1), "cpu_ms": round(cpu / QUERIES * 1e3, 1)}


def measured(count: int, dimension: int) -> dict[str, Any]:
    """Each part by the clock and in time of the processor."""
    shard = shard_of(count)
    chance = np.random.default_rng(SEED)
    vectors = chance.normal(size=(count, dimension))
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    meanings, wanted = PageVectors.of(np.arange(1, count + 1), vectors), chance.normal(size=dimension)
    matcher = shard.matcher({"title": 2.0}, needs_all=True)
    match = matcher.match(parse_query("word7 word9"), words_are_optional=True)
    asked = [ShardQuery(shard, match, Nearness(meanings, wanted), matcher.optional, matcher.decides)]

    def best(hits: int = 10, hosts: tuple[str, ...] = ()) -> int:
        return choose(asked, PageFilter(hosts), WEIGHTS, hits, collapses=True).total

    near = best()
    return {
        "pages": count,
        "near": near,
        "cosines": mean_ms(lambda: Nearness(meanings, wanted)),
        "first_ten": mean_ms(best),
        "first_ten_of_a_host": mean_ms(lambda: best(hosts=("h5.test",))),
        "ten_after_half": mean_ms(lambda: best(near // 2 + 10)),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pages", type=int, default=100_000)
    options.add_argument("--dimension", type=int, default=256)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    figures = measured(chosen.pages, chosen.dimension) | {"machine": machine()}
    if chosen.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        print(f"{name:20} {value}")


if __name__ == "__main__":
    main()
