"""A site may cost so many pages: more if others refer to it, and if its pages are relevant."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.guard.bounded import pack, unpack
from honeyguide.guard.site_budget import MOST_REFERRERS, Site, SiteBudgets
from honeyguide.model import HostKey, LinkId
from honeyguide.settings import GuardSettings

RULES = GuardSettings(site_budget=10, budget_per_referrer=2.0, budget_per_relevant=0.5, maze_addresses=20, memory=64)
NUMBERS = count()


def spend(
    budgets: SiteBudgets, host: str, pages: int, *, fresh: int = 5, confirmed: int = 0, relevant: int = 0
) -> Site:
    """Charge so many pages to a site, the first of them confirmed or relevant; gives back who pays."""
    site = budgets.meet(HostKey(host))
    payer = site
    for number in range(pages):
        link = LinkId(next(NUMBERS))
        payer, _, _ = budgets.charge(site, link, fresh, is_confirmed=number < confirmed, is_relevant=number < relevant)
    return payer


def trusted(budgets: SiteBudgets, host: str) -> Site:
    return budgets.meet_seed(HostKey(host))[0]


def level(budgets: SiteBudgets, host: str) -> int:
    return budgets.level(HostKey(host))[0]


def test_a_site_waits_once_its_budget_is_spent_and_deeper_with_each_doubling() -> None:
    budgets = SiteBudgets(RULES)
    levels = []
    for _ in range(90):
        spend(budgets, "maze.test", 1)
        levels.append(level(budgets, "www.maze.test"))  # a site is a registered domain
    assert levels == [0] * 11 + [3] * 9 + [4] * 20 + [5] * 40 + [6] * 10  # the first page costs nothing


def test_pages_that_are_confirmed_or_show_fewer_than_two_new_addresses_cost_nothing() -> None:
    budgets = SiteBudgets(RULES)
    assert spend(budgets, "a.test", 50, confirmed=50).cost == 0
    assert spend(budgets, "book.test", 50, fresh=1).cost == 0


def test_relevant_pages_raise_the_budget() -> None:
    assert spend(SiteBudgets(RULES), "a.test", 40, relevant=6).budget(RULES) == 10 + 3


def test_a_page_costs_nothing_any_more_once_it_is_confirmed() -> None:
    budgets = SiteBudgets(RULES)
    assert spend(budgets, "a.test", 13, fresh=50).level == 3
    raised = [budgets.confirm(HostKey("a.test"), is_costly=True) for _ in range(5)]
    assert raised == [[], [], [], ["a.test"], []]  # 8 is the first cost that the budget exceeds by a quarter
    assert level(budgets, "a.test") == 0


def test_a_site_that_has_few_addresses_does_not_wait() -> None:
    """Of 500 addresses shown, 450 were shown twice."""
    budgets = SiteBudgets(replace(RULES, maze_addresses=3000))
    site = spend(budgets, "a.test", 100)
    assert (site.cost, site.level) == (99, 6)
    for _ in range(450):
        budgets.show_again(site)
    assert 500 < site.estimated_addresses < 1000
    assert spend(budgets, "a.test", 1).level == 0


def test_each_trusted_site_that_refers_to_it_counts_once() -> None:
    budgets = SiteBudgets(RULES)
    for number in range(5):
        for _ in range(3):
            budgets.refer(trusted(budgets, f"seed{number}.test"), HostKey("a.test"))
    assert budgets.referrers(HostKey("a.test")) == 5
    assert budgets.meet(HostKey("a.test")).budget(RULES) == 10 + 2 * 5
    for number in range(2 * MOST_REFERRERS):
        budgets.refer(trusted(budgets, f"seed{number}.test"), HostKey("a.test"))
    assert budgets.referrers(HostKey("a.test")) == MOST_REFERRERS


def test_a_site_is_trusted_once_eight_pages_and_a_quarter_of_all_are_confirmed() -> None:
    budgets = SiteBudgets(RULES)
    assert not spend(budgets, "a.test", 7, fresh=0, confirmed=7).is_trusted
    assert spend(budgets, "a.test", 25, fresh=0, confirmed=1).is_trusted
    assert not spend(budgets, "a.test", 1, fresh=0).is_trusted


def test_sites_first_met_on_a_site_that_is_not_trusted_share_its_budget() -> None:
    budgets = SiteBudgets(RULES)
    entrance = budgets.meet(HostKey("farm0.test"), trusted(budgets, "seed.test"))
    for number in range(1, 20):
        budgets.refer(entrance, HostKey(f"farm{number}.test"))
        spend(budgets, f"farm{number}.test", 1)
    assert entrance.cost == 0, "the first page of each costs nothing"
    for number in range(1, 20):
        spend(budgets, f"farm{number}.test", 1)
    assert {level(budgets, f"farm{number}.test") for number in range(20)} == {3}
    assert entrance.numbers(RULES)["sites"] == 20


def test_sites_that_share_a_budget_do_not_count_as_referrers_of_one_another() -> None:
    budgets = SiteBudgets(RULES)
    entrance = budgets.meet(HostKey("farm0.test"))
    for number in range(1, 30):
        budgets.refer(entrance, HostKey(f"farm{number}.test"))
    for number in range(1, 30):
        for other in range(30):
            budgets.refer(budgets.meet(HostKey(f"farm{number}.test")), HostKey(f"farm{other}.test"))
    assert {budgets.referrers(HostKey(f"farm{number}.test")) for number in range(30)} == {0}


def test_four_trusted_referrers_give_a_site_a_budget_of_its_own() -> None:
    budgets = SiteBudgets(RULES)
    budgets.refer(budgets.meet(HostKey("maze.test")), HostKey("honest.test"))
    spend(budgets, "maze.test", 20)
    raised = []
    for number in range(4):
        assert level(budgets, "honest.test") == 3
        raised += budgets.refer(trusted(budgets, f"seed{number}.test"), HostKey("honest.test"))[1]
    assert level(budgets, "honest.test") == 0
    assert raised == ["honest.test"]
    assert level(budgets, "maze.test") == 3


def test_a_spent_budget_has_to_grow_a_quarter_beyond_what_was_spent_and_all_hosts_are_named_then() -> None:
    budgets = SiteBudgets(RULES)
    budgets.refer(budgets.meet(HostKey("maze.test")), HostKey("shares.test"))
    spend(budgets, "maze.test", 13)  # 12 cost something
    raised = [budgets.refer(trusted(budgets, f"seed{number}.test"), HostKey("maze.test"))[1] for number in range(3)]
    assert list(map(sorted, raised)) == [[], [], ["maze.test", "shares.test"]]  # 16 is the first budget above 15
    assert level(budgets, "maze.test") == level(budgets, "shares.test") == 0


def test_a_site_beyond_its_budget_does_not_count_as_a_referrer() -> None:
    budgets = SiteBudgets(RULES)
    maze = spend(budgets, "maze.test", 30, confirmed=9)
    assert maze.level > 0
    budgets.meet(HostKey("a.test"))
    budgets.refer(maze, HostKey("a.test"))
    assert budgets.referrers(HostKey("a.test")) == 0


def test_the_site_of_a_seed_has_no_bound() -> None:
    budgets = SiteBudgets(RULES)
    spend(budgets, "a.test", 30)
    _, raised = budgets.meet_seed(HostKey("a.test"))
    assert raised == ["a.test"]
    assert spend(budgets, "a.test", 300).level == 0


def test_the_count_begins_again_three_times_at_most() -> None:
    budgets = SiteBudgets(RULES)
    raised = []
    for _ in range(4):
        spend(budgets, "a.test", 30)
        raised.append(budgets.begin_again(HostKey("a.test")))
    assert raised == [["a.test"]] * 3 + [[]]


def test_without_the_rule_no_site_waits_and_referrers_are_counted() -> None:
    budgets = SiteBudgets(replace(RULES, rules=()))
    assert spend(budgets, "a.test", 100).level == 0
    budgets.refer(trusted(budgets, "seed.test"), HostKey("a.test"))
    assert budgets.referrers(HostKey("a.test")) == 1


@pytest.mark.parametrize("number", range(3))
def test_sites_that_were_heard_of_longest_ago_are_forgotten_and_seeds_never(number: int) -> None:
    budgets = SiteBudgets(RULES)
    trusted(budgets, "seed.test")
    for other in range(200 + number):
        budgets.meet(HostKey(f"a{other}.test"))
    assert budgets.find(HostKey("a0.test")) is None
    assert budgets.find(HostKey(f"a{199 + number}.test")) is not None
    assert budgets.find(HostKey("seed.test")) is not None
    assert len(budgets.state()) == RULES.memory + 1


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 4)), max_size=120), st.integers(0, 120)
)
def test_a_saved_table_goes_on_as_the_one_it_was_saved_from(moves: list[tuple[int, int, int]], after: int) -> None:
    rules = replace(RULES, site_budget=2, memory=8)
    whole, broken = SiteBudgets(rules), SiteBudgets(rules)
    for place, (here, there, fresh) in enumerate(moves):
        if place == after:
            state = broken.state()
            broken = SiteBudgets(rules)
            broken.restore(state)
        for budgets in (whole, broken):
            site = trusted(budgets, f"h{here}.test") if here < 2 else budgets.meet(HostKey(f"h{here}.test"))
            budgets.refer(site, HostKey(f"h{there}.test"))
            budgets.charge(site, LinkId(place), fresh, is_confirmed=fresh == 3, is_relevant=fresh == 2)
        assert [level(whole, f"h{n}.test") for n in range(13)] == [level(broken, f"h{n}.test") for n in range(13)]
    assert whole.state() == broken.state()


def test_restored_sites_that_one_site_refers_to_share_the_text_of_its_name() -> None:
    """Else they take more memory in a crawl that was resumed: a text for each referrer of each site."""
    names = ("one.test", "two.test")
    budgets = SiteBudgets(RULES)
    for name in names:
        budgets.refer(trusted(budgets, "seed.test"), HostKey(name))
    restored = SiteBudgets(RULES)
    restored.restore(unpack(pack(budgets.state())))
    sites = [restored.find(HostKey(name)) for name in names]
    one, two = (site.referrers for site in sites if site)
    assert one == two == ["seed.test"]
    assert one[0] is two[0]
