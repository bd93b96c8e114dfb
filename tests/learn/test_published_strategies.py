"""Each published strategy follows its own rule: on little webs where that is another order than best-first's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crawler.small_graphs import address, crawl_pages
from honeyguide.errors import StrategyError
from honeyguide.learn import Ingredients, Strategy
from honeyguide.learn.exploring import Softmax, UpperConfidence
from honeyguide.learn.in_links import InLinksSettings
from honeyguide.learn.link_classifier import LinkWords
from honeyguide.learn.tag_path_bandit import hashed_path
from honeyguide.learn.tree_frontier import best_split
from honeyguide.model import Topic, Transition, Url
from honeyguide.registry import STRATEGIES
from honeyguide.settings import settings_from
from pages import HERE, candidates_of, rows_of, sighting_of
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


def test_page_rank_prefers_the_only_link_of_a_page_to_one_of_many() -> None:
    """Links 2 and 3 stand on one page each: 2 beside another, 3 alone."""
    graph: Graph = {0: [1, 2], 1: [3], 2: [], 3: []}
    assert order_of("in-links", graph) == [0, 1, 2, 3]
    assert order_of("page-rank", graph, ranks__every=1) == [0, 1, 3, 2]
    assert order_of("page-rank", graph, ranks__every=3) == [0, 1, 2, 3], "before that, all have the same rank"


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


WITH_STATE = [
    "best-n-first",
    "shark-search",
    "link-classifier",
    "host-bandit",
    "linucb",
    "tree-frontier",
    "prioritised-sweeping",
]


@pytest.mark.parametrize("name", WITH_STATE)
@pytest.mark.parametrize("state", [b"", b"{", b"[1]", b"7", b"\xff"])
def test_what_is_no_saved_state_is_refused(name: str, state: bytes) -> None:
    with pytest.raises(StrategyError, match=f"not a saved state of {name}"):
        made(name).load(state)


def made(name: str, **settings: Any) -> Strategy:
    chosen: type[Strategy] = STRATEGIES[name]
    return chosen.build(Ingredients(settings_from(settings), Topic("geology", ("rock",)), hashed_vectors))


def told(strategy: Strategy, *examples: tuple[str, str, bool]) -> Strategy:
    """The strategy after fetches of these addresses and anchors, each with what became of it."""
    for step, (url, anchor, is_relevant) in enumerate(examples):
        (row,) = rows_of(strategy, candidates_of(sighting_of(url, anchor, relevance=0.5)))
        reward = float(is_relevant)
        none = np.empty((0, strategy.row_width), dtype=np.float16)
        strategy.learn(Transition(step + 1, Url.parse(url), row, reward, reward, is_relevant, none))
    return strategy


def scores(strategy: Strategy, *links: tuple[str, str, float]) -> list[float]:
    """Of links by address, anchor and relevance of their page."""
    seen = candidates_of(*(sighting_of(url, anchor, relevance=relevance) for url, anchor, relevance in links))
    return strategy.score(rows_of(strategy, seen)).tolist()


GOOD_WORD = (("http://a.test/1", "granite", True), ("http://a.test/2", "soup", False))


def test_a_link_classifier_learns_words_that_the_topic_does_not_have() -> None:
    """Trained every two fetches: before, the relevance of the page counts, afterwards the words."""
    links = ("http://b.test/x", "granite", 0.1), ("http://b.test/y", "soup", 0.9)
    strategy = made("link-classifier", link_classifier={"every": 2})
    granite, soup = scores(told(strategy, GOOD_WORD[0]), *links)
    assert granite < soup
    granite, soup = scores(told(strategy, GOOD_WORD[1]), *links)
    assert granite > soup


def test_naive_bayes_has_the_odds_that_are_worked_out_by_hand() -> None:
    """Two good links and one bad: odds of 3 to 2 before any word. Of the anchor words, 2 good, 1 bad, 2 different."""
    strategy = made("link-classifier", link_classifier={"every": 3})
    told(strategy, ("http://a.test/", "granite", True), ("http://a.test/", "granite", True))
    told(strategy, ("http://a.test/", "soup", False))
    (known,) = scores(strategy, ("http://a.test/", "granite", 0.0))
    words_of_address = 2 * np.log(((2 + 1) / (4 + 2)) / ((1 + 1) / (2 + 2)))  # a and test, with each link
    assert known == pytest.approx(np.log(3 / 2) + np.log((3 / 4) / (1 / 3)) + words_of_address)


def test_a_host_bandit_prefers_the_host_that_has_paid() -> None:
    strategy = made("host-bandit")
    links = ("http://paid.test/x", "next", 0.0), ("http://new.test/x", "next", 0.0), ("http://poor.test/x", "next", 0.0)
    told(strategy, ("http://paid.test/1", "one", True), ("http://poor.test/2", "two", False))
    paid, new, poor = scores(strategy, *links)
    assert paid > new > poor


def test_linucb_prefers_the_kind_of_link_that_it_knows_less() -> None:
    """After a link to the page's own host has paid nothing, a link elsewhere is uncertain, and tried first."""
    known, other = ("http://here.test/a", "soup", 0.5), ("http://elsewhere.test/b", "granite", 0.5)
    for alpha, prefers_other in ((1.0, True), (0.0, False)):
        strategy = made("linucb", linucb={"alpha": alpha})
        before = scores(strategy, known, other)
        after = scores(told(strategy, (known[0], known[1], False)), known, other)
        assert (after[1] > after[0]) is prefers_other
        assert (after[0] < before[0]) is prefers_other


def test_a_tree_splits_where_the_rewards_differ() -> None:
    """The second feature tells good from bad; the first says nothing, the third splits off one example alone."""
    rows = np.array([[0, 1, 0], [1, 1, 0], [0, 5, 0], [1, 5, 9]], dtype=np.float64)
    assert best_split(rows, np.array([0.0, 0.0, 1.0, 1.0]), smallest=2) == (1, 3.0, 1.0)
    assert best_split(rows, np.array([0.0, 0.0, 0.0, 0.0]), smallest=2) is None
    assert best_split(rows, np.array([0.0, 0.0, 1.0, 1.0]), smallest=3) is None


def test_a_tree_frontier_prefers_the_leaf_that_has_paid() -> None:
    links = ("http://here.test/a", "soup", 0.5), ("http://there.test/a", "soup", 0.5)
    strategy = made("tree-frontier", tree_frontier={"smallest_leaf": 2})
    inside, outside = scores(strategy, *links)
    assert inside == pytest.approx(outside, abs=1e-5), "one leaf: as near as their words are"
    for _ in range(2):
        told(strategy, (*links[0][:2], False), (*links[1][:2], True))
    inside, outside = scores(strategy, *links)
    assert outside > 0.5 > inside


def test_sweeping_hands_the_value_of_a_page_back_to_the_links_that_lead_there() -> None:
    """Links of poor pages lead to good pages, whose links pay. Then the first are worth as much, discounted."""
    strategy = made("prioritised-sweeping", prioritised_sweeping={"discount": 0.5})
    poor = rows_of(strategy, candidates_of(sighting_of("http://here.test/a", "x", relevance=0.0, distance=3)))
    good = rows_of(strategy, candidates_of(sighting_of("http://here.test/b", "x", relevance=0.9, distance=0)))
    strategy.learn(Transition(1, HERE, poor[0], 0.0, 0.0, False, good))
    unpaid = float(strategy.score(poor)[0])
    strategy.learn(Transition(2, HERE, good[0], 1.0, 1.0, True, good[:0]))
    assert unpaid == pytest.approx(0.0, abs=0.2)
    assert float(strategy.score(good)[0]) == pytest.approx(1.0, abs=1e-3)
    assert float(strategy.score(poor)[0]) == pytest.approx(0.5, abs=1e-3)


def test_softmax_chooses_in_proportion_to_exponentials_of_values() -> None:
    """Three distinct rows of values 0, 1 and 2 at temperature 1, many draws."""
    rows, values = np.array([[1, 0], [0, 1], [3, 5]], dtype=np.float16), np.array([0.0, 1.0, 2.0])
    softmax, chosen = Softmax(1.0, 2, seed=7), np.zeros(3)
    for _ in range(4000):
        chosen[np.argmax(values + softmax.bonus(rows))] += 1
        softmax.learn(rows[0])
    assert chosen / chosen.sum() == pytest.approx(np.exp(values) / np.exp(values).sum(), abs=0.03)


def test_upper_confidence_gives_less_to_a_row_the_more_often_it_was_followed() -> None:
    rows = np.eye(2, dtype=np.float16)
    explored = UpperConfidence(1.0, 2)
    for _ in range(3):
        explored.learn(rows[0])
    assert explored.bonus(rows) == pytest.approx([0.5, 1.0])


@pytest.mark.parametrize("explores_by", ["softmax", "ucb"])
def test_linear_sarsa_explores_in_other_ways_and_goes_on_from_where_it_was_saved(explores_by: str) -> None:
    fetches = ("http://a.test/1", "granite", True), ("http://a.test/2", "soup", False)
    links = ("http://b.test/x", "granite", 0.1), ("http://b.test/y", "soup", 0.9)
    crawl = {"strategy": "lfa-sync", "seed": 3}
    one, two = (made("lfa-sync", crawl=crawl, lfa={"explores_by": explores_by}) for _ in range(2))
    assert not any(one.explores(np.random.default_rng(seed)) for seed in range(50))
    two.load(told(one, fetches[0]).save())
    assert scores(told(one, fetches[1]), *links) == scores(told(two, fetches[1]), *links)
    plain = made("lfa-sync", crawl=crawl)
    with pytest.raises(StrategyError, match="with this exploration"):
        one.load(plain.save())


def test_a_tag_path_bandit_tries_every_place_of_a_layout_and_stays_where_it_pays() -> None:
    def linked(*pages: int) -> str:
        return "".join(f'<li><a href="{address(page)}"></a></li>' for page in pages)

    front = f'<nav class="menu"><ul>{linked(1, 2, 3)}</ul></nav><div id="text"><ol>{linked(4, 5, 6)}</ol></div>'
    pages = {address(0): front} | {address(page): "<p>rock mineral</p>" for page in (4, 5, 6)}
    pages |= {address(page): "<p>nothing</p>" for page in (1, 2, 3)}
    order, _ = crawl_pages(pages, [address(0)], "tag-path-bandit", tag_path_bandit__exploration=0.1)
    assert order == [0, 1, 4, 5, 6, 2, 3]


def test_tag_paths_that_are_nearly_the_same_are_one_arm() -> None:
    strategy = made("tag-path-bandit")
    paths = ("html body div#a ul li", "html body div#a ul li.odd", "html body nav p")
    rows = np.array([hashed_path(path) for path in paths])
    strategy.learn(Transition(1, HERE, rows[0], 1.0, 1.0, True, rows))
    same, alike, other = strategy.score(rows)
    assert same == alike < other, "what was never taken comes first"


def test_a_link_classifier_reads_the_words_nearest_to_the_link() -> None:
    """Ten of those around it, from both sides in turn; stop words do not count."""
    before, after = " ".join(f"b{number}" for number in range(20)), " ".join(f"a{number}" for number in range(20))
    words = LinkWords("english")
    (row,) = words.describe(candidates_of(sighting_of("http://x.test/", "the granite", before, after, relevance=0.5)))
    nearest = "a0 a1 a2 a3 a4 b19 b18 b17 b16 b15"
    (alone,) = words.describe(candidates_of(sighting_of("http://x.test/", "granite", "", nearest, relevance=0.5)))
    assert row[:6].tolist() == alone[:6].tolist()
    assert sorted(row[6:16].tolist()) == sorted(alone[6:16].tolist())
