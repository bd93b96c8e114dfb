"""Webs drawn by Hypothesis, small enough to search by hand, and crawls of them in memory, one fetch at a time."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hypothesis import strategies as st

from crawler.driving import script_settings
from honeyguide.crawler import Builder, CrawlCore, Dispatch, Stop
from scripted_world import ScriptedWorld, page_with, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.learn import Strategy
    from honeyguide.runs import Progress
    from scripted_world import Script

Graph: TypeAlias = "dict[int, list[int]]"
"""The links of each page, in reading order."""

NO_REDIRECTS: Final[Mapping[int, int]] = MappingProxyType({})


def graphs(most_pages: int = 9, most_links: int = 5) -> st.SearchStrategy[Graph]:
    """Any web of a few pages, with cycles, dead ends and pages that nothing leads to."""

    def links_among(count: int) -> st.SearchStrategy[Graph]:
        links = st.lists(st.integers(0, count - 1), unique=True, max_size=most_links)
        return st.fixed_dictionaries(dict.fromkeys(range(count), links))

    return st.integers(1, most_pages).flatmap(links_among)


def address(page: int, hosts: int = 3) -> str:
    return f"http://h{page % hosts}.test/{page}"


def crawl_order(
    graph: Graph,
    seeds: list[int],
    strategy: str | Strategy,
    *,
    hosts: int = 3,
    redirects: Mapping[int, int] = NO_REDIRECTS,
    **overrides: Any,
) -> tuple[list[int], Progress]:
    """The pages in the order in which they were fetched, without pauses, and where the crawl stood at its end.

    A page among the redirects leads to another one instead of showing its links.
    """
    pages = {address(page, hosts): page_with(*(address(link, hosts) for link in graph[page])) for page in graph}
    moved = {address(page, hosts): redirect_to(address(target, hosts)) for page, target in redirects.items()}
    shown: Script = {**pages, **moved}
    return crawl_pages(shown, [address(seed, hosts) for seed in seeds], strategy, **overrides)


def crawl_pages(
    pages: Script, seeds: list[str], strategy: str | Strategy, **overrides: Any
) -> tuple[list[int], Progress]:
    """As `crawl_order`, for pages written as HTML whose addresses end in their numbers."""
    name = strategy if isinstance(strategy, str) else "best-first"
    settings = script_settings(name, politeness__delay_s=0.0, crawl__seed_urls=seeds, **overrides)
    world = ScriptedWorld(pages)
    builder = Builder(settings, hashed_vectors())
    parts = builder.parts()
    if not isinstance(strategy, str):
        parts = replace(parts, strategy=strategy, frontier=builder.frontier(strategy, parts.schedule, parts.links))
    core = CrawlCore(parts, settings)
    core.start(builder.seed_urls(world), 0.0)
    fetched: list[int] = []
    while isinstance(chosen := core.choose(0.0), Dispatch):
        fetched.append(int(chosen.url.path.removeprefix("/")))
        core.apply(chosen, world.answer(chosen.url), 0.0)
    assert isinstance(chosen, Stop)
    assert len(set(fetched)) == len(fetched), "no page is fetched twice"
    return fetched, core.progress
