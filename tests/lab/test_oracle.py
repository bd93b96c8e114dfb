"""The oracle: never above what can be done, a legal crawl, and good where the best is known."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from honeyguide_lab.oracle import RULES, best_informed_crawl, oracle
from lab.graphs import best_harvest, graph_of, labels_of, small_webs

Web = tuple[dict[int, list[int]], set[int], list[int], int]


@settings(max_examples=150, deadline=None)
@given(small_webs())
def test_the_oracle_is_at_most_the_best_crawl_and_that_is_at_most_the_bound(web: Web) -> None:
    links, on_topic, seeds, budget = web
    graph = graph_of(links)
    answer = oracle(graph, labels_of(graph, on_topic), seeds, budget)
    for step in range(1, budget + 1):
        best = best_harvest(links, on_topic, seeds, step)
        assert answer.curve[step] <= best <= answer.bound[step]
    assert (answer.curve[budget] > 0) == (best_harvest(links, on_topic, seeds, budget) > 0)


@settings(max_examples=150, deadline=None)
@given(small_webs())
def test_every_informed_crawl_fetches_only_what_it_has_met_and_nothing_twice(web: Web) -> None:
    links, on_topic, seeds, budget = web
    graph = graph_of(links)
    for rule in RULES:
        fetched = best_informed_crawl(graph, labels_of(graph, on_topic), seeds, budget, rule)
        assert len(fetched) == len(set(fetched)) <= budget
        for place, node in enumerate(fetched):
            assert node in seeds or any(node in links[earlier] for earlier in fetched[:place])


def test_the_curve_counts_pages_at_the_step_at_which_they_come() -> None:
    graph = graph_of({0: [1], 1: [2], 2: [3], 3: []})
    answer = oracle(graph, labels_of(graph, {1, 3}), [0], budget=6)
    assert answer.reachable == 2
    assert answer.bound == [0, 1, 2, 2, 2, 2, 2]
    assert answer.curve == [0, 0, 1, 1, 2, 2, 2]


def test_a_redirect_costs_a_fetch_and_is_no_page() -> None:
    graph = graph_of({0: [1], 1: [2], 2: []}, redirects=(1,))
    answer = oracle(graph, labels_of(graph, {1, 2}), [0], budget=3)
    assert answer.reachable == 1
    assert answer.curve == [0, 0, 0, 1]


def test_a_hub_further_away_is_worth_more_than_a_single_page_near_by() -> None:
    hub = list(range(10, 20))
    links = {0: [1, 3], 1: [2], 2: [], 3: [4], 4: hub} | {node: [] for node in (5, 6, 7, 8, 9, *hub)}
    graph = graph_of(links)
    answer = oracle(graph, labels_of(graph, {2, *hub}), [0], budget=10)
    assert answer.curve[10] == 7


def test_what_no_seed_leads_to_does_not_count() -> None:
    graph = graph_of({0: [], 1: [0], 2: []})
    answer = oracle(graph, labels_of(graph, {0, 1, 2}), [0], budget=3)
    assert answer.reachable == 1
    assert answer.curve[-1] == 1


def test_a_web_of_on_topic_pages_alone_is_harvested_without_loss() -> None:
    chance = np.random.default_rng(0)
    links = {node: sorted(set(chance.integers(0, 300, 4).tolist()) - {node}) for node in range(300)}
    graph = graph_of(links)
    answer = oracle(graph, labels_of(graph, set(range(300))), [0], budget=200)
    assert answer.curve == answer.bound
