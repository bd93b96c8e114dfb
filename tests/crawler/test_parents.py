"""The table of parents: numbers by hand, and against a plain recomputation that replays the order of discovery."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.crawler.parents import BYTES_A_LINK, ParentTable
from honeyguide.errors import StrategyError
from honeyguide.model import LinkId, PageFacts, ParentRules
from plain_parents import Fetch, Known, all_parents, distance, known, smoothed

if TYPE_CHECKING:
    from collections.abc import Sequence

LINKS = 8


def ids(*numbers: int) -> list[LinkId]:
    return [LinkId(number) for number in numbers]


def crawled(crawl: Sequence[Fetch], rules: ParentRules | None = None) -> ParentTable:
    table = ParentTable(rules)
    for fetch in crawl:
        facts = table.facts(LinkId(fetch.page), fetch.relevance, is_relevant=fetch.is_relevant)
        table.add_parent(ids(*fetch.links), facts)
    return table


def known_to(table: ParentTable, link: int) -> Known:
    parents = table.parents(ids(link))
    return Known(
        int(parents.count[0]),
        float(parents.relevance[0]),
        float(parents.relevant_relevance[0]),
        float(parents.smoothed[0]),
        int(parents.distance[0]),
    )


@st.composite
def crawls(draw: st.DrawFn) -> list[Fetch]:
    """Pages of a small random web, each fetched once, in any order, linking to fetched and unfetched ones alike."""
    order = draw(st.permutations(range(LINKS)))[: draw(st.integers(0, LINKS))]
    relevance = st.floats(-1, 1) | st.sampled_from([0.0, 0.1, 0.2, 0.5, 1.0])
    links = st.lists(st.integers(0, LINKS - 1), max_size=LINKS).map(tuple)
    return [Fetch(page, draw(relevance), draw(st.booleans()), draw(links)) for page in order]


all_rules = st.builds(ParentRules, st.floats(0.01, 1), st.integers(1, 9), st.sampled_from([0, 1]))


@settings(deadline=None)
@given(crawls(), all_rules)
def test_the_table_is_what_a_plain_recomputation_finds_after_every_page(crawl: list[Fetch], rules: ParentRules) -> None:
    for fetched in range(len(crawl) + 1):
        table = crawled(crawl[:fetched], rules)
        for link in range(LINKS + 1):
            assert known_to(table, link) == known(link, crawl[:fetched], rules)


@settings(deadline=None)
@given(crawls(), all_rules)
def test_a_pages_facts_are_those_of_a_plain_recomputation(crawl: list[Fetch], rules: ParentRules) -> None:
    for place, fetch in enumerate(crawl):
        facts = crawled(crawl[:place], rules).facts(LinkId(fetch.page), fetch.relevance, is_relevant=fetch.is_relevant)
        assert facts.smoothed == smoothed(place, crawl, rules)
        assert facts.distance == distance(place, crawl, rules)


@settings(deadline=None)
@given(crawls(), st.integers(0, LINKS - 1))
def test_a_new_parent_changes_that_link_alone(crawl: list[Fetch], link: int) -> None:
    table = crawled(crawl)
    before = {other: known_to(table, other) for other in range(LINKS)}
    table.add_parent(ids(link), PageFacts(LinkId(99), 0.7, True, 0.6, 0))
    after = {other: known_to(table, other) for other in range(LINKS)}
    assert {other for other in before if before[other] != after[other]} == {link}


@settings(deadline=None)
@given(crawls())
def test_many_links_at_once_are_as_one_by_one(crawl: list[Fetch]) -> None:
    apart = ParentTable()
    for fetch in crawl:
        facts = apart.facts(LinkId(fetch.page), fetch.relevance, is_relevant=fetch.is_relevant)
        for link in dict.fromkeys(fetch.links):
            apart.add_parent(ids(link), facts)
    assert all_parents(apart) == all_parents(crawled(crawl))


def test_smoothing_over_ancestors_by_hand() -> None:
    """Han 3.1 with β = 0.4: a seed of 0.5, its child of 1.0, a grandchild of 0.2."""
    table = crawled([Fetch(0, 0.5, False, (1,)), Fetch(1, 1.0, True, (2,))])
    seed, child = table.parents(ids(0, 1)).smoothed
    assert (seed, child) == (0.0, 0.5)  # a seed has no parent; w_rl of the seed is its relevance
    grandchild = table.parents(ids(2))
    assert grandchild.smoothed[0] == pytest.approx(0.4 * 1.0 + 0.6 * 0.5)  # 0.7
    assert grandchild.change_to(np.array([0.2]))[0] == pytest.approx(-0.5)
    assert table.facts(LinkId(2), 0.2, is_relevant=False).smoothed == pytest.approx(0.4 * 0.2 + 0.6 * 0.7)


def test_of_several_parents_the_greatest_smoothed_relevance_counts() -> None:
    """Han 3.1: 'the maximum average among them'."""
    table = crawled([Fetch(0, 0.3, False, (9,)), Fetch(1, 0.8, True, (9,)), Fetch(2, 0.5, False, (9,))])
    assert table.parents(ids(9)).smoothed[0] == 0.8


def test_a_negative_relevance_can_be_the_greatest() -> None:
    assert crawled([Fetch(0, -0.5, False, (9,))]).parents(ids(9)).smoothed[0] == -0.5


def test_without_a_parent_there_is_no_change_and_the_distance_is_the_farthest() -> None:
    """Pertejo 3.3.1: no change without parents; the maximum distance without parents, unless relevant."""
    parents = ParentTable().parents(ids(0))
    assert parents.change_to(np.array([0.9])).tolist() == [0.0]
    assert parents.distance_to(np.array([False]), ParentRules()).tolist() == [9]
    assert parents.distance_to(np.array([True]), ParentRules()).tolist() == [0]
    assert ParentTable().facts(LinkId(0), 0.9, is_relevant=False).smoothed == 0.9


def test_means_of_all_and_of_relevant_parents_by_hand() -> None:
    """Han 3.1: parents of 0.2, 0.4 and 0.9, the last two relevant."""
    crawl = [Fetch(0, 0.2, False, (9, 8)), Fetch(1, 0.4, True, (9,)), Fetch(2, 0.9, True, (9,))]
    parents = crawled(crawl).parents(ids(9, 8, 7))
    assert parents.count.tolist() == [3, 1, 0]
    assert parents.relevance.tolist() == pytest.approx([0.5, 0.2, 0.0])
    assert parents.relevant_relevance.tolist() == pytest.approx([0.65, 0.0, 0.0])


def test_distance_is_the_nearest_parents_plus_a_click() -> None:
    """Han 3.1: 'adding 1 to the parent's distance', 'the minimum distance among them', 'capped at 9'."""
    chain = [Fetch(0, 1.0, True, (1,)), *(Fetch(page, 0.0, False, (page + 1,)) for page in range(1, 14))]
    table = crawled(chain)
    assert table.parents(ids(*range(1, 14))).distance.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9]
    assert table.facts(LinkId(1), 0.0, is_relevant=False).distance == 1
    short_cut = crawled([*chain, Fetch(20, 1.0, True, (12,))])
    assert short_cut.facts(LinkId(12), 0.0, is_relevant=False).distance == 1


def test_in_pertejos_text_a_click_adds_nothing_to_a_distance() -> None:
    """Pertejo 3.3.1: 'si tiene padres, escogemos la menor de sus distancias'; his program adds 1."""
    chain = [Fetch(0, 1.0, True, (1,)), Fetch(1, 0.0, False, (2,)), Fetch(2, 0.0, False, (3,))]
    assert crawled(chain, ParentRules(click=0)).facts(LinkId(3), 0.0, is_relevant=False).distance == 0
    assert crawled(chain).facts(LinkId(3), 0.0, is_relevant=False).distance == 3


def test_a_fetched_page_that_gets_a_parent_changes_and_its_children_do_not() -> None:
    crawl = [Fetch(0, 0.1, False, (1,)), Fetch(1, 0.3, False, (2,))]
    before, after = crawled(crawl), crawled([*crawl, Fetch(5, 0.9, True, (1,))])
    assert before.parents(ids(1)).smoothed[0] == 0.1
    assert after.parents(ids(1)).smoothed[0] == 0.9
    assert after.parents(ids(1)).distance[0] == 0
    assert known_to(after, 2) == known_to(before, 2)


def test_a_page_is_not_its_own_parent() -> None:
    assert crawled([Fetch(3, 0.9, True, (3, 4))]).parents(ids(3, 4)).count.tolist() == [0, 1]


def test_a_link_that_stands_twice_on_a_page_gets_one_parent() -> None:
    assert crawled([Fetch(0, 0.5, True, (4, 4, 4))]).parents(ids(4)).count.tolist() == [1]


def test_a_page_without_links_changes_nothing() -> None:
    assert len(crawled([Fetch(0, 0.5, True, ())])) == 0


def test_where_a_redirect_leads_has_the_parents_of_the_link_that_led_there() -> None:
    crawl = [Fetch(0, 0.2, False, (5,)), Fetch(1, 0.6, True, (5, 7)), Fetch(2, 0.4, True, (6,))]
    table = crawled(crawl)
    for target in (6, 8, 2000):
        table.follow_redirect(LinkId(5), LinkId(target))
    assert known_to(table, 5) == known_to(crawled(crawl), 5)
    assert known_to(table, 7) == known_to(crawled(crawl), 7)
    assert known_to(table, 8) == known_to(table, 2000) == known_to(table, 5)
    assert table.parents(ids(6)).count.tolist() == [3]
    assert table.parents(ids(6)).relevance.tolist() == pytest.approx([(0.4 + 0.2 + 0.6) / 3])
    assert table.parents(ids(6)).relevant_relevance.tolist() == pytest.approx([0.5])
    assert table.parents(ids(6)).smoothed.tolist() == [0.6]
    assert table.parents(ids(6)).distance.tolist() == [0]


@pytest.mark.parametrize(("source", "target"), [(4, 4), (9, 4), (5000, 4)])
def test_a_redirect_without_parents_or_to_itself_passes_nothing_on(source: int, target: int) -> None:
    table = crawled([Fetch(0, 0.5, True, (4,)), Fetch(1, 0.5, True, (10,))])
    before = all_parents(table)
    table.follow_redirect(LinkId(source), LinkId(target))
    assert all_parents(table) == before


def test_a_negative_relevance_is_passed_on_by_a_redirect() -> None:
    table = crawled([Fetch(0, -0.5, False, (4,))])
    table.follow_redirect(LinkId(4), LinkId(5))
    assert known_to(table, 5) == known_to(table, 4)


def test_a_million_links_take_33_bytes_each() -> None:
    assert BYTES_A_LINK == 33
    table = ParentTable()
    facts = table.facts(LinkId(0), 0.5, is_relevant=True)
    tracemalloc.start()
    table.add_parent(np.arange(1_000_000), facts)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(table) == 1_000_000
    assert held < 34 * len(table)
    table.add_parent(ids(1_000_001), facts)
    assert table.nbytes <= 2 * BYTES_A_LINK * len(table)


def test_links_never_met_have_no_parents() -> None:
    parents = crawled([Fetch(0, 0.5, True, (0, 1))]).parents(ids(5, 1, 10**12))
    assert parents.count.tolist() == [0, 1, 0]
    assert parents.distance.tolist() == [9, 0, 9]
    assert len(ParentTable().parents([])) == 0


def test_a_negative_number_is_no_link() -> None:
    with pytest.raises(ValueError, match="-1"):
        ParentTable().parents(ids(3, -1))


@pytest.mark.parametrize("relevance", [float("nan"), float("inf")])
def test_a_relevance_that_is_no_number_is_refused(relevance: float) -> None:
    with pytest.raises(StrategyError, match="page 7"):
        ParentTable().facts(LinkId(7), relevance, is_relevant=False)


@pytest.mark.parametrize(
    "rules", [{"smoothing": 0.0}, {"smoothing": 1.1}, {"farthest": 0}, {"farthest": 256}, {"click": 2}]
)
def test_rules_that_make_no_sense_are_refused(rules: dict[str, float]) -> None:
    with pytest.raises(StrategyError):
        ParentRules(**rules)  # type: ignore[arg-type]
