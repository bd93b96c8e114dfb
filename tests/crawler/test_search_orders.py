"""Uninformed strategies fetch pages in the order in which the textbook algorithms first visit them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crawler.driving import HandWired, script_settings
from crawler.small_graphs import Graph, address, crawl_order, graphs
from honeyguide.learn import BreadthFirst
from honeyguide.runs import open_run
from scripted_world import ScriptedWorld, page_with

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.model import Transition

some_seeds = st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True)

# A page found again while it waits: 3 is a link of 0 and of 1, and 2 of both as well.
FOUND_AGAIN: Graph = {0: [1, 2, 3], 1: [3, 2], 2: [4], 3: [4, 0], 4: []}


def among(graph: Graph, seeds: list[int]) -> list[int]:
    return [seed for seed in seeds if seed in graph] or [0]


def recursive_depth_first(graph: Graph, seeds: list[int]) -> list[int]:
    visited: list[int] = []

    def visit(page: int) -> None:
        if page not in visited:
            visited.append(page)
            for link in graph[page]:
                visit(link)

    for seed in seeds:
        visit(seed)
    return visited


def queued_breadth_first(graph: Graph, seeds: list[int]) -> list[int]:
    queue, met = deque(seeds), list(seeds)
    while queue:
        for link in graph[queue.popleft()]:
            if link not in met:
                met.append(link)
                queue.append(link)
    return met


def inline(page: int, redirects: dict[int, int], visited: list[int]) -> int | None:
    """Visit a page, and what it redirects to in its place; the page whose links count, or None if that was visited."""
    while page not in visited:
        visited.append(page)
        if page not in redirects:
            return page
        page = redirects[page]
    return None


def recursive_depth_first_with(graph: Graph, seeds: list[int], redirects: dict[int, int]) -> list[int]:
    visited: list[int] = []

    def visit(page: int) -> None:
        end = inline(page, redirects, visited)
        for link in [] if end is None else graph[end]:
            visit(link)

    for seed in seeds:
        visit(seed)
    return visited


def queued_breadth_first_with(graph: Graph, seeds: list[int], redirects: dict[int, int]) -> list[int]:
    queue, visited = deque(seeds), list[int]()
    while queue:
        end = inline(queue.popleft(), redirects, visited)
        queue += [] if end is None else graph[end]
    return visited


def walked_iterative_deepening(graph: Graph, seeds: list[int], deepest: int) -> list[int]:
    """Every path from a seed is walked to a limit that grows; pages are visited again and again, first visits count."""
    visited: list[int] = []

    def walk(path: list[int], limit: int) -> None:
        if path[-1] not in visited:
            visited.append(path[-1])
        if limit > 0:
            for link in graph[path[-1]]:
                if link not in path:
                    walk([*path, link], limit - 1)

    for limit in range(deepest + 1):
        for seed in seeds:
            walk([seed], limit)
    return visited


def depth_first_as_in_the_text(graph: Graph, seeds: list[int], patience: int, hosts: int) -> tuple[list[int], int]:
    """Lim (2016), section 5.1, steps 1 to 9, but nothing is fetched twice. Also the pages left without links."""
    stack, visited, crawled = list(reversed(seeds)), list[int](), list[str]()
    barren = 0
    while stack:
        page = stack.pop()
        if page in visited:
            continue
        visited.append(page)
        host = address(page, hosts).split("/")[2]
        is_barren = len(crawled) >= patience and set(crawled[-patience:]) == {host}
        crawled.append(host)
        barren += is_barren
        if not is_barren:
            stack += [link for link in reversed(graph[page]) if link not in visited]
    return visited, barren


@settings(deadline=None)
@given(graphs(), some_seeds)
@example(FOUND_AGAIN, [0])
@example(FOUND_AGAIN, [2, 0])
def test_depth_first_is_the_recursive_algorithm(graph: Graph, seeds: list[int]) -> None:
    seeds = among(graph, seeds)
    assert crawl_order(graph, seeds, "depth-first")[0] == recursive_depth_first(graph, seeds)


@settings(deadline=None)
@given(graphs(), some_seeds)
@example(FOUND_AGAIN, [0])
def test_breadth_first_is_the_queue(graph: Graph, seeds: list[int]) -> None:
    seeds = among(graph, seeds)
    assert crawl_order(graph, seeds, "breadth-first")[0] == queued_breadth_first(graph, seeds)


some_redirects = st.dictionaries(st.integers(0, 8), st.integers(0, 8), max_size=4)


@settings(deadline=None)
@given(graphs(), some_seeds, some_redirects)
@example({0: [1, 2], 1: [], 2: [], 3: [4], 4: []}, [0], {1: 3})  # 3 is new, and comes before 2
@example({0: [1, 2, 3], 1: [], 2: [], 3: []}, [0], {1: 3})  # 3 waits behind 2
@example({0: [1, 2], 1: [3], 2: [], 3: []}, [0], {2: 3, 3: 0})
def test_a_redirect_leads_to_a_link_in_the_same_place(graph: Graph, seeds: list[int], drawn: dict[int, int]) -> None:
    seeds = among(graph, seeds)
    redirects = {page: target for page, target in drawn.items() if {page, target} <= graph.keys()}
    orders = ("depth-first", "breadth-first", "iterative-deepening")
    fetched = {name: crawl_order(graph, seeds, name, redirects=redirects)[0] for name in orders}
    assert fetched == {
        "depth-first": recursive_depth_first_with(graph, seeds, redirects),
        "breadth-first": queued_breadth_first_with(graph, seeds, redirects),
        "iterative-deepening": queued_breadth_first_with(graph, seeds, redirects),
    }


@settings(deadline=None)
@given(graphs(most_pages=7, most_links=4), some_seeds)
@example(FOUND_AGAIN, [0])
def test_iterative_deepening_is_the_order_of_first_visits(graph: Graph, seeds: list[int]) -> None:
    seeds = among(graph, seeds)
    first_visits = walked_iterative_deepening(graph, seeds, deepest=len(graph))
    assert crawl_order(graph, seeds, "iterative-deepening")[0] == first_visits
    assert first_visits == queued_breadth_first(graph, seeds), "without second visits, it is breadth-first's order"


@settings(deadline=None)
@given(graphs(most_pages=7, most_links=4), some_seeds, st.integers(1, 4))
def test_iterative_deepening_stops_at_the_largest_depth(graph: Graph, seeds: list[int], deepest: int) -> None:
    seeds = among(graph, seeds)
    fetched, _ = crawl_order(graph, seeds, "iterative-deepening", scope__max_depth=deepest)
    assert fetched == walked_iterative_deepening(graph, seeds, deepest)


@settings(deadline=None)
@given(graphs(most_pages=14), some_seeds, st.integers(1, 3), st.integers(1, 3))
@example({0: [1, 2, 3, 4, 5], 1: [6], 2: [7], 3: [8], 4: [9], 5: [], 6: [], 7: [], 8: [], 9: []}, [0], 3, 1)
def test_modified_depth_first_follows_the_text(graph: Graph, seeds: list[int], patience: int, hosts: int) -> None:
    seeds = among(graph, seeds)
    fetched, progress = crawl_order(
        graph, seeds, "modified-depth-first", hosts=hosts, modified_depth_first__patience=patience
    )
    assert (fetched, progress.pages_not_followed) == depth_first_as_in_the_text(graph, seeds, patience, hosts)


class Moody(BreadthFirst):
    """Says after every page that its scores have changed, as only a strategy with scores of its own may."""

    def learn(self, transition: Transition) -> bool:
        return True


@settings(deadline=None)
@given(graphs(), some_seeds)
def test_an_order_by_arrival_is_never_repriced(graph: Graph, seeds: list[int]) -> None:
    seeds = among(graph, seeds)
    fetched, progress = crawl_order(graph, seeds, Moody())
    assert fetched == queued_breadth_first(graph, seeds)
    assert not progress.is_repriced


@pytest.mark.parametrize(
    ("strategy", "order"),
    [
        ("breadth-first", ["s", "a/1", "b", "c", "a/2"]),
        ("iterative-deepening", ["s", "a/1", "b", "a/2", "c"]),
    ],
)
def test_only_iterative_deepening_waits_for_a_host_that_rests(tmp_path: Path, strategy: str, order: list[str]) -> None:
    """Both links of host a are one click away; c is two clicks away, and ready while a rests."""
    script = {
        "http://s.test/": page_with("http://a.test/1", "http://a.test/2", "http://b.test/"),
        "http://b.test/": page_with("http://c.test/"),
    }
    HandWired(tmp_path / "run", ScriptedWorld(script), script_settings(strategy, politeness__delay_s=10.0)).run()
    with open_run(tmp_path / "run") as run:
        fetched = [step.url.text.removeprefix("http://").replace(".test", "").rstrip("/") for step in run.steps()]
    assert fetched == order
