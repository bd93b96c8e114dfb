"""Which sites share an account, and how they leave it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.guard.bounded import pack, unpack
from honeyguide.guard.neighbourhoods import VOUCHERS, Neighbourhoods, Site
from honeyguide.guard.site_budget import LEAST_PAGES
from honeyguide.model import HostKey, LinkId
from honeyguide.settings import GuardSettings

if TYPE_CHECKING:
    from honeyguide.guard.site_budget import Account

RULES = GuardSettings(
    allowance=10, allowance_per_referrer=2, established_referrers=8, allowance_per_reference=3, allowance_per_host=5
)


def spend(account: Account, pages: int, fresh: int = 5, crossing: int = 0) -> int:
    for page in range(pages):
        account.take(LinkId(page), fresh, crossing, is_relevant=False)
    return account.settle(RULES)


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
    assert (groups.level(first), groups.level(second)) == (3, 3)
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


def test_only_sites_that_have_proved_themselves_can_say_that_an_address_is_known_elsewhere() -> None:
    groups = Neighbourhoods(RULES)
    unknown = groups.refer(groups.trust(host("seed")), host("unknown"), is_new=True)
    site = groups.meet(host("site"), None)
    groups.refer(unknown, host("site"), is_new=True)
    assert (site.account.from_outside, site.account.referrers) == (0, [unknown.group])
    groups.refer(proven(groups, "known"), host("site"), is_new=True)
    assert site.account.from_outside == 1


def vouched_for(groups: Neighbourhoods, name: str) -> Site:
    """A site that enough others refer to for it to leave a group, though it has not proved itself."""
    for number in range(VOUCHERS):
        site = groups.refer(proven(groups, f"{name}-voucher{number}"), host(name), is_new=True)
    return site


def test_a_site_that_leaves_takes_along_what_it_cost_and_is_not_counted_twice_when_it_comes_back() -> None:
    groups = Neighbourhoods(RULES)
    entrance = groups.refer(groups.trust(host("seed")), host("a"), is_new=True)
    site = groups.refer(entrance, host("b"), is_new=True)
    for account in groups.accounts(site):
        spend(account, 3)
    shared = groups.group(entrance).account
    vouched_for(groups, "b")
    assert site.group != entrance.group
    assert (shared.fetched, shared.spent, shared.fresh) == (0, 0, 0)
    assert (shared.from_outside, shared.referrers) == (1, [0])  # the entrance's own
    for _ in range(3):
        groups.refer(entrance, host("b"), is_new=True)
        groups.refer(site, host("a"), is_new=True)
    assert site.group != entrance.group  # others vouch for it
    spend(shared, 30, fresh=20)
    groups.refer(entrance, host("b"), is_new=True)
    groups.refer(site, host("a"), is_new=True)
    assert site.group == entrance.group
    assert groups.group(site).account.spent == 33


def test_a_site_whose_own_links_show_that_it_is_none_is_not_liable_for_its_group() -> None:
    groups = Neighbourhoods(RULES)
    entrance = groups.refer(groups.trust(host("seed")), host("a"), is_new=True)
    honest, empty = (groups.refer(entrance, host(name), is_new=True) for name in "bc")
    spend(honest.account, LEAST_PAGES // 2, fresh=9, crossing=1)
    spend(groups.accounts(entrance)[1], 30, fresh=20)
    assert [groups.level(site) for site in (entrance, honest, empty)] == [3, 0, 3]
    assert groups.group(entrance).take_pages(groups.is_liable) == []
    spend(entrance.account, 2)
    groups.keep_pages(entrance)
    assert groups.group(entrance).take_pages(groups.is_liable) == [0, 1]
    assert honest.account.pages == [0, 1, 2, 3]
    assert groups.group(entrance).take_pages(groups.is_liable) == []


def test_of_a_few_addresses_one_is_named_twice_by_chance() -> None:
    groups = Neighbourhoods(RULES)
    site = groups.refer(groups.trust(host("seed")), host("a"), is_new=True)
    spend(site.account, 20, fresh=0)
    site.account.fresh, site.account.crossing = 2, 2
    assert not groups.has_proved_itself(site)
    site.account.fresh, site.account.crossing = 12, 12
    assert groups.has_proved_itself(site)


def test_nobody_can_vouch_for_a_site_of_an_overdrawn_group() -> None:
    groups = Neighbourhoods(RULES)
    entrance = groups.refer(groups.trust(host("seed")), host("a"), is_new=True)
    site = groups.refer(entrance, host("b"), is_new=True)
    spend(groups.accounts(site)[1], 30, fresh=20)
    vouched_for(groups, "b")
    assert site.group == entrance.group
    spend(site.account, LEAST_PAGES, fresh=6, crossing=4)
    assert groups.let_go(site)


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
