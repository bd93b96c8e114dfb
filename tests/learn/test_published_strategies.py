"""Each published strategy follows its own rule: on little webs where that is another order than best-first's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crawler.small_graphs import address, crawl_pages
from honeyguide.errors import StrategyError
from honeyguide.learn import Ingredients, Strategy
from honeyguide.learn.in_links import InLinksSettings
from honeyguide.model import Topic
from honeyguide.registry import STRATEGIES
from honeyguide.settings import settings_from
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Collection

    from crawler.small_graphs import Graph


def order_of(strategy: str, graph: Graph, relevant: Collection[int] = (), **overrides: Any) -> list[int]:
    """The order in which pages are fetched from 0 on; some are about rocks, the others about nothing."""
    pages = {
        address(page): f"<p>{'rock mineral' if page in relevant else 'nothing'} here</p>"
        + "".join(f'<a href="{address(link)}"></a>' for link in links)
        for page, links in graph.items()
    }
    return crawl_pages(pages, [address(0)], strategy, **overrides)[0]


SHOWN_TWICE: Graph = {0: [1, 2, 3], 1: [4, 3], 2: [], 3: [], 4: []}


def test_in_links_takes_the_link_that_most_pages_show() -> None:
    assert order_of("breadth-first", SHOWN_TWICE) == [0, 1, 2, 3, 4]
    assert order_of("in-links", SHOWN_TWICE) == [0, 1, 3, 2, 4]


def test_in_links_of_the_page_are_handed_down_to_its_links() -> None:
    """Page 1 has an in-link when it is read, so its link 4 comes before the links of the seed, which has none."""
    assert order_of("in-links", SHOWN_TWICE, in_links__counted="page") == [0, 1, 4, 2, 3]


def test_the_profile_of_the_loop_detection_document_orders_by_in_links_of_the_page() -> None:
    settings = settings_from({"crawl": {"profile": "loop-detection"}})
    assert settings.crawl.strategy == "in-links"
    assert settings.of(InLinksSettings).counted == "page"


GOOD_FIRST: Graph = {0: [1, 2], 1: [3], 2: [4], 3: [5], 4: [], 5: []}


@pytest.mark.parametrize(("batch", "order"), [(1, [0, 1, 3, 2, 5, 4]), (2, [0, 1, 2, 3, 4, 5])])
def test_best_n_first_takes_a_batch_before_it_looks_at_new_links(batch: int, order: list[int]) -> None:
    assert order_of("best-n-first", GOOD_FIRST, {1}, best_n_first__batch=batch) == order


def test_shark_search_hands_relevance_down_past_pages_without_any() -> None:
    """Page 3 has none itself, and yet its link 5 comes before 2, which has inherited nothing."""
    assert order_of("shark-search", GOOD_FIRST, {1}) == [0, 1, 3, 5, 2, 4]


def test_shark_search_weighs_words_against_what_is_inherited() -> None:
    pages = {
        address(0): f'<p>rock mineral <a href="{address(1)}">soup</a> and so on</p>' * 3,
        address(1): f'<a href="{address(2)}">onion</a> <a href="{address(3)}">rock mineral</a>',
    }
    for weight, order in ((0.0, [0, 1, 3, 2]), (1.0, [0, 1, 2, 3])):
        assert crawl_pages(pages, [address(0)], "shark-search", shark_search__inherited=weight)[0] == order


CHAIN: Graph = {0: [1], 1: [2], 2: [3], 3: [4], 4: [5], 5: []}


@pytest.mark.parametrize(
    ("cutoff", "relevant", "order"),
    [(1, {1}, [0, 1, 2]), (2, {1}, [0, 1, 2, 3]), (2, {1, 3}, [0, 1, 2, 3, 4, 5]), (2, {}, [0, 1])],
)
def test_tunnelling_gives_a_path_up_so_many_pages_after_the_last_relevant_one(
    cutoff: int, relevant: set[int], order: list[int]
) -> None:
    assert order_of("tunnelling", CHAIN, relevant, tunnelling__cutoff=cutoff) == order


@pytest.mark.parametrize("name", ["best-n-first", "shark-search"])
@pytest.mark.parametrize("state", [b"", b"{", b"[1]", b"7", b"\xff"])
def test_what_is_no_saved_state_is_refused(name: str, state: bytes) -> None:
    made: type[Strategy] = STRATEGIES[name]
    strategy = made.build(Ingredients(settings_from({}), Topic("rocks"), hashed_vectors))
    with pytest.raises(StrategyError, match=f"not a saved state of {name}"):
        strategy.load(state)
