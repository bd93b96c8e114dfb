"""What a group of hosts may cost, and which hosts share an account."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.domain import HostKey, LinkId
from honeyguide.guard.accounts import DEEPEST, Account
from honeyguide.guard.neighbourhoods import LEAST_PAGES, VOUCHERS, Neighbourhoods, Site
from honeyguide.guard.saving import pack, unpack
from honeyguide.settings import GuardSettings

RULES = GuardSettings(
    allowance=10, allowance_per_referrer=2, established_referrers=4, allowance_per_reference=3, allowance_per_host=5
)


def spend(account: Account, pages: int, fresh: int = 5, crossing: int = 0, *, is_relevant: bool = False) -> int:
    for page in range(pages):
        account.take(LinkId(page), fresh, crossing, is_relevant=is_relevant)
    return account.settle(RULES)


def test_an_unknown_space_that_only_grows_is_overdrawn_after_its_allowance() -> None:
    assert spend(Account(), 10, fresh=20) == 0
    assert spend(Account(), 11, fresh=20) == 1


def test_one_that_cannot_be_told_to_be_large_is_not() -> None:
    # 5 new addresses on each of 21 pages: 105, none of them twice, may be of 105**2 / 4 = 2,756.
    assert spend(Account(), 21) == 0
    assert spend(Account(), 22) == 2


def test_the_estimated_size_by_hand() -> None:
    account = Account(fresh=84, crossing=16)
    assert account.estimated_size == 100**2 / (2 * (16 + 2 * 4 + 2))


def test_large_is_more_than_pages_and_references_explain() -> None:
    rules = GuardSettings(vast_addresses=100, vast_per_page=10, vast_per_reference=50)
    account = Account(fresh=100)  # 2,500 at the least
    assert account.is_vast(rules)
    account.spent = 251
    assert not account.is_vast(rules)
    account.spent, account.from_outside = 0, 50
    assert not account.is_vast(rules)
    account.from_outside = 48
    assert account.is_vast(rules)


def test_it_waits_a_level_deeper_for_each_doubling() -> None:
    assert [spend(Account(), pages, fresh=20) for pages in (19, 20, 39, 40, 80, 160, 320, 640, 1280)] == [
        1,
        2,
        2,
        3,
        4,
        5,
        6,
        6,
        6,
    ]
    assert DEEPEST == 6


def test_pages_that_bring_no_new_addresses_cost_nothing() -> None:
    account = Account()
    spend(account, 100, fresh=0)
    assert spend(account, 10, fresh=20) == 0
    assert spend(account, 1, fresh=20) == 1


def test_a_space_that_stops_growing_is_a_finite_one() -> None:
    account = Account()
    assert spend(account, 30, fresh=20) > 0
    assert spend(account, 60, fresh=0) == 0


def test_pages_that_refer_to_one_another_are_no_maze() -> None:
    """9% is enough: 9 in 100, but not 9 in 101."""
    rules = replace(RULES, vast_per_page=0)
    for fresh, is_maze in ((91, False), (92, True)):
        account = Account()
        spend(account, 100, fresh=fresh, crossing=9)
        assert (account.settle(rules) > 0) == is_maze


def test_addresses_that_others_named_first_count_as_much() -> None:
    rules = replace(RULES, vast_per_page=0, vast_per_reference=0)
    for named, is_maze in ((90, False), (80, True)):
        account = Account(from_outside=named)
        spend(account, 91, fresh=10)
        assert (account.settle(rules) > 0) == is_maze


def test_a_section_is_judged_more_carefully() -> None:
    """It takes three new addresses a page and half the share: 4.5%, 9 in 200, but not 9 in 201."""
    assert spend(Account(is_section=True), 100, fresh=2) == 0
    rules = replace(RULES, vast_per_page=0)
    for fresh, is_maze in ((191, False), (192, True)):
        account = Account(is_section=True)
        spend(account, 100, fresh=fresh, crossing=9)
        assert (account.settle(rules) > 0) == is_maze


def test_the_allowance_by_hand() -> None:
    account = Account(hosts=3)
    assert account.allowance(RULES) == 10 + 2 * 5
    for group in (1, 2, 2, 3):
        account.refer(group, is_new=True)
    assert account.allowance(RULES) == 20 + 3 * 2
    account.refer(4, is_new=True)  # established: now what was first met outside counts as well
    assert account.allowance(RULES) == 20 + 4 * 2 + 5 * 3
    account.refer(5, is_new=False)
    assert account.allowance(RULES) == 20 + 4 * 2 + 5 * 3


def test_relevant_pages_earn_no_more_than_half_the_allowance() -> None:
    account = Account()
    spend(account, 3, fresh=0, is_relevant=True)
    assert account.allowance(RULES) == 13
    spend(account, 70, fresh=0, is_relevant=True)
    assert account.allowance(RULES) == 15


def test_a_seed_is_never_overdrawn() -> None:
    assert spend(Account(is_trusted=True), 1000) == 0


def test_what_it_says_has_the_numbers_that_decide() -> None:
    account = Account(hosts=2)
    spend(account, 20, fresh=4, crossing=0)
    told = account.told(RULES)
    for number in ("20 of 20 pages", "2 sites", "4.0 a page", "0.0%", "0 others", "allowance is 15"):
        assert number in told


def host(name: str) -> HostKey:
    return HostKey(f"{name}.test")


def proven(groups: Neighbourhoods, name: str) -> Site:
    """A site of its own whose pages refer to one another."""
    site = groups.meet(host(name), None)
    spend(site.account, 10, fresh=4, crossing=2)
    return site


def test_a_site_first_met_on_an_unknown_one_joins_it_and_one_met_on_a_seed_does_not() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    first = groups.refer(seed, host("first"), is_new=True)
    second = groups.refer(first, host("second"), is_new=True)
    assert seed.group != first.group == second.group
    assert groups.group(first).account.hosts == 2
    assert groups.refer(seed, host("third"), is_new=True).group != first.group


def test_a_group_shares_one_account_and_each_site_has_its_own_beside_it() -> None:
    groups = Neighbourhoods(RULES)
    first = groups.refer(groups.trust(host("seed")), host("first"), is_new=True)
    spend(first.account, 6, fresh=20)
    second = groups.refer(first, host("second"), is_new=True)
    own, shared = groups.accounts(second)
    assert (own.fetched, shared.fetched, shared.from_outside) == (0, 6, 1)
    spend(shared, 12, fresh=20)  # 18 by now, where 10 + 2 for the seed's reference + 5 for the second site are allowed
    assert (groups.level(first), groups.level(second)) == (1, 1)
    assert first.account.level == 0


def test_hosts_of_one_registered_domain_are_one_site() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    shop = groups.refer(seed, HostKey("shop.example.co.uk"), is_new=True)
    assert groups.refer(seed, HostKey("www.example.co.uk"), is_new=True) is shop
    assert groups.refer(seed, HostKey("www.other.co.uk"), is_new=True) is not shop
    assert shop.hosts == ["shop.example.co.uk", "www.example.co.uk"]


def test_references_from_within_do_not_count() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    entrance = groups.refer(seed, host("a"), is_new=True)
    groups.refer(entrance, host("b"), is_new=True)
    groups.refer(entrance, host("b"), is_new=False)
    shared = groups.group(entrance).account
    assert shared.referrers == [seed.group]
    assert shared.from_outside == 1


def test_references_from_overdrawn_groups_do_not_count() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    one, two = (groups.refer(seed, host(name), is_new=True) for name in "ab")
    spend(one.account, 50)
    groups.refer(one, host("b"), is_new=True)
    assert two.account.referrers == [seed.group]


def test_groups_that_refer_to_each_other_become_one_unless_they_have_proved_themselves() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    one, two = (groups.refer(seed, host(name), is_new=True) for name in "ab")
    spend(one.account, 3)
    spend(two.account, 4)
    groups.refer(one, host("b"), is_new=True)
    assert one.group != two.group
    groups.refer(two, host("a"), is_new=True)
    assert one.group == two.group
    assert groups.group(one).account.spent == 7
    assert groups.group(one).account.referrers == [seed.group]
    assert len(groups) == 2

    three, four = proven(groups, "c"), proven(groups, "d")
    groups.refer(three, host("d"), is_new=True)
    groups.refer(four, host("c"), is_new=True)
    assert three.group != four.group


def test_a_site_whose_pages_refer_to_one_another_leaves_its_group() -> None:
    groups = Neighbourhoods(RULES)
    entrance = groups.refer(groups.trust(host("seed")), host("a"), is_new=True)
    site = groups.refer(entrance, host("b"), is_new=True)
    spend(site.account, LEAST_PAGES, fresh=10, crossing=0)
    assert not groups.let_go(site)
    spend(site.account, LEAST_PAGES, fresh=6, crossing=4)
    assert groups.let_go(site)
    assert site.group != entrance.group
    assert groups.group(entrance).account.hosts == 1
    assert not groups.let_go(site)


def test_a_site_leaves_when_enough_groups_that_have_proved_themselves_refer_to_it() -> None:
    groups = Neighbourhoods(RULES)
    entrance = groups.refer(groups.trust(host("seed")), host("a"), is_new=True)
    for number in range(VOUCHERS):
        site = groups.refer(entrance, host("b"), is_new=False)
        assert site.group == entrance.group
        site = groups.refer(proven(groups, f"known{number}"), host("b"), is_new=False)
    assert site.group != entrance.group
    assert len(site.account.referrers) == VOUCHERS


def test_references_from_unknown_groups_do_not_let_a_site_leave() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    entrance = groups.refer(seed, host("a"), is_new=True)
    groups.refer(entrance, host("b"), is_new=True)
    for number in range(3 * VOUCHERS):
        unknown = groups.refer(seed, host(f"unknown{number}"), is_new=True)
        assert groups.refer(unknown, host("b"), is_new=False).group == entrance.group


def test_the_entrance_of_a_maze_does_not_prove_itself_by_a_few_comments() -> None:
    groups = Neighbourhoods(RULES)
    for number in range(RULES.established_referrers - 1):
        entrance = groups.refer(proven(groups, f"known{number}"), host("maze"), is_new=True)
    assert groups.refer(entrance, host("deeper"), is_new=True).group == entrance.group


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 3)), max_size=200))
def test_groups_never_hold_more_sites_than_there_is_room_for(links: list[tuple[int, int, int]]) -> None:
    """And a saved and loaded one does as one that never was."""
    rules = GuardSettings(memory=64, allowance=2)
    groups, again = Neighbourhoods(rules), Neighbourhoods(rules)
    for one, other, crossing in links:
        for each in (groups, again):
            site = each.meet(host(f"a{one}"), None)
            found = each.refer(site, host(f"a{other}" if crossing else f"b{one}x{other}"), is_new=True)
            spend(found.account, 1, fresh=2, crossing=crossing)
            each.let_go(found)
            assert each.group(found).sites[found.domain] is found
        again.restore(unpack(pack(again.state())))
        assert len(groups) == len(again) <= 64
        assert groups.state() == again.state()


@pytest.mark.parametrize("name", ["127.0.0.1:8080", "localhost", "[::1]:80", "com"])
def test_awkward_hosts_have_groups(name: str) -> None:
    groups = Neighbourhoods(RULES)
    assert groups.trust(HostKey(name)).hosts == [name]


def test_one_of_anything_is_told_in_the_singular() -> None:
    account = Account(fetched=1, spent=1, relevant=1, referrers=[4])
    told = account.told(RULES)
    assert told.startswith("1 of 1 page on 1 site brought new addresses")
    assert "; 1 other refers to it; 1 was relevant; " in told
    account = Account(fetched=3, spent=2, hosts=2, referrers=[4, 5])
    told = account.told(RULES)
    assert told.startswith("2 of 3 pages on 2 sites brought new addresses")
    assert "; 2 others refer to it; 0 were relevant; " in told
