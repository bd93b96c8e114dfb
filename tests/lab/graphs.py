"""Small graphs by hand and by chance, and the best crawl of one, found by trying them all."""

from __future__ import annotations

from functools import cache
from itertools import accumulate

import numpy as np
from hypothesis import strategies as st

from honeyguide.crawler import WorldGraph


def graph_of(links: dict[int, list[int]], redirects: tuple[int, ...] = ()) -> WorldGraph:
    """A graph of the nodes that are keys; the page of node 3 is http://web.test/3."""
    nodes = sorted(links)
    return WorldGraph(
        urls=tuple(f"http://web.test/{node}" for node in nodes),
        is_page=np.array([node not in redirects for node in nodes]),
        starts=np.array([0, *accumulate(len(links[node]) for node in nodes)], dtype=np.int64),
        targets=np.array([target for node in nodes for target in links[node]], dtype=np.int32),
    )


def labels_of(graph: WorldGraph, on_topic: set[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([node in on_topic for node in range(len(graph.urls))])


def best_harvest(links: dict[int, list[int]], on_topic: set[int], seeds: list[int], budget: int) -> int:
    """On-topic pages of the best crawl there is."""

    @cache
    def best(fetched: frozenset[int], left: int) -> int:
        known = {target for node in fetched for target in links[node]} | set(seeds)
        following = [best(fetched | {node}, left - 1) for node in known - fetched] if left else []
        return max(following, default=len(fetched & on_topic))

    return best(frozenset(), budget)


@st.composite
def small_webs(draw: st.DrawFn) -> tuple[dict[int, list[int]], set[int], list[int], int]:
    """Links, on-topic nodes, seeds and a budget, small enough to try every crawl."""
    size = draw(st.integers(2, 8))
    nodes = st.integers(0, size - 1)
    links = {node: sorted(draw(st.sets(nodes, max_size=3)) - {node}) for node in range(size)}
    on_topic = draw(st.sets(nodes))
    seeds = draw(st.lists(nodes, min_size=1, max_size=2, unique=True))
    return links, on_topic, seeds, draw(st.integers(1, 6))
