"""What sites of a group answer for, what they give back and what is remembered of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide.guard.bounded import pack, unpack
from honeyguide.guard.neighbourhoods import VOUCHERS, Neighbourhoods
from honeyguide.model import HostKey, LinkId
from honeyguide.settings import GuardSettings

if TYPE_CHECKING:
    from honeyguide.guard.neighbourhoods import Site
    from honeyguide.guard.site_budget import Account

RULES = GuardSettings(allowance=10, allowance_per_referrer=0, allowance_per_host=0)


def host(name: str) -> HostKey:
    return HostKey(f"{name}.test")


def spend(groups: Neighbourhoods, site: Site, pages: int, fresh: int = 20, crossing: int = 0, first: int = 0) -> None:
    """Have a site cost pages, as its own account and that of its group see it."""
    for account in groups.accounts(site):
        for number in range(pages):
            link = LinkId(first + number) if account is site.account else None
            account.take(link, fresh, crossing, is_relevant=False)
        account.settle(RULES)
    groups.keep_pages(site)


def counts(account: Account) -> tuple[int, int, int]:
    return account.fetched, account.spent, account.fresh


@pytest.fixture
def groups() -> Neighbourhoods:
    return Neighbourhoods(RULES)


@pytest.fixture
def entrance(groups: Neighbourhoods) -> Site:
    """A site that a seed refers to, in a group with what it shows."""
    return groups.refer(groups.trust(host("seed")), host("entrance"), is_new=False)


def member(groups: Neighbourhoods, entrance: Site, name: str) -> Site:
    site = groups.refer(entrance, host(name), is_new=False)
    assert site.group == entrance.group
    return site


@pytest.mark.parametrize(("fresh", "crossing", "is_liable"), [(3, 1, True), (6, 1, True), (7, 1, False), (8, 0, True)])
def test_a_site_is_liable_until_enough_of_its_addresses_were_named(
    groups: Neighbourhoods, entrance: Site, fresh: int, crossing: int, is_liable: bool
) -> None:
    """Eight at least: of four, one is named twice by chance."""
    site = member(groups, entrance, "a")
    spend(groups, site, 4, fresh=0)
    site.account.fresh, site.account.crossing = fresh, crossing
    assert groups.is_liable(site) == is_liable


def test_a_site_is_liable_until_enough_of_its_pages_were_seen(groups: Neighbourhoods, entrance: Site) -> None:
    site = member(groups, entrance, "a")
    spend(groups, site, 3, fresh=6, crossing=2)
    assert groups.is_liable(site)
    spend(groups, site, 1, fresh=0)
    assert not groups.is_liable(site)


def test_a_site_of_which_nothing_was_seen_is_not_liable_where_two_that_have_proved_themselves_know_it(
    groups: Neighbourhoods, entrance: Site
) -> None:
    site = member(groups, entrance, "a")
    spend(groups, entrance, 12)
    for number, level in ((1, 3), (2, 0)):
        known = groups.meet(host(f"known{number}"), None)
        spend(groups, known, 10, fresh=4, crossing=2)
        groups.refer(known, host("a"), is_new=True)
        assert len(site.vouchers) == number < VOUCHERS
        assert groups.level(site) == level
    assert site.group == entrance.group
    assert groups.level(entrance) == 3


def test_a_site_does_not_prove_itself_while_it_may_be_vast(groups: Neighbourhoods, entrance: Site) -> None:
    """19% of 2,000 addresses shown on 20 pages were met again: there must be 4,751 at least."""
    site = member(groups, entrance, "a")
    spend(groups, site, 20, fresh=81, crossing=19)
    assert not groups.has_proved_itself(site)
    assert not groups.let_go(site)
    assert groups.refer(site, host("b"), is_new=True).group == entrance.group
    small = member(groups, entrance, "c")
    spend(groups, small, 20, fresh=8, crossing=2)
    assert groups.let_go(small)


def test_so_many_hosts_of_a_site_are_remembered_and_no_more(groups: Neighbourhoods) -> None:
    hosts = [HostKey(f"h{number}.wild.test") for number in range(300)]
    for each in hosts:
        site = groups.meet(each, None)
    assert site.hosts == hosts[:256]
    assert groups.find(hosts[299]) is site


def test_a_site_that_turns_out_to_be_a_seeds_leaves_its_group(groups: Neighbourhoods, entrance: Site) -> None:
    site = member(groups, entrance, "a")
    spend(groups, site, 5)
    spend(groups, entrance, 30)
    assert groups.level(site) > 0
    assert groups.trust(host("a")) is site
    assert site.group != entrance.group
    assert groups.group(site).account is site.account
    assert groups.level(site) == 0
    shared = groups.group(entrance).account
    assert counts(shared) == counts(entrance.account) == (30, 30, 600)
    assert shared.hosts == 1
    assert groups.refer(site, host("new"), is_new=True).group not in (site.group, entrance.group)


def test_groups_that_become_one_grow_as_both_did(groups: Neighbourhoods, entrance: Site) -> None:
    """Each alone is within its allowance of 10, and both together are beyond it."""
    other = groups.refer(groups.trust(host("seed")), host("other"), is_new=False)
    spend(groups, entrance, 9, fresh=12)
    spend(groups, other, 6, fresh=32)
    assert (groups.level(entrance), groups.level(other)) == (0, 0)
    groups.refer(entrance, host("other"), is_new=False)
    groups.refer(other, host("entrance"), is_new=False)
    shared = groups.group(other).account
    assert groups.group(entrance).account is shared
    assert shared.growth == (9 * 12 + 6 * 32) / 15 == 20.0
    assert shared.settle(RULES) == 3


def test_a_site_that_begins_anew_gives_its_counts_back_to_its_group(groups: Neighbourhoods, entrance: Site) -> None:
    site = member(groups, entrance, "a")
    spend(groups, entrance, 8)
    spend(groups, site, 8)
    shared = groups.group(entrance).account
    assert (shared.spent, shared.level) == (16, 3)
    assert groups.begin_anew(site)
    assert counts(site.account) == (0, 0, 0)
    assert counts(shared) == counts(entrance.account) == (8, 8, 160)
    assert (shared.level, groups.level(entrance), groups.level(site)) == (0, 0, 0)
    assert groups.group(site).take_pages(lambda _: True) == list(range(8))  # the entrance's


def test_a_site_begins_anew_three_times_and_then_stands_as_it_stood(groups: Neighbourhoods) -> None:
    site = groups.refer(groups.trust(host("seed")), host("a"), is_new=False)
    for _ in range(3):
        spend(groups, site, 12)
        assert groups.level(site) == 3
        assert groups.begin_anew(site)
        assert groups.level(site) == 0
    spend(groups, site, 12)
    assert not groups.begin_anew(site)
    assert groups.level(site) == 3


def test_a_group_begins_anew_with_one_of_its_sites_only_once(groups: Neighbourhoods, entrance: Site) -> None:
    """A farm can have parts of addresses that do not matter on each of its sites."""
    sites = [member(groups, entrance, name) for name in "ab"]
    for site in sites:
        spend(groups, site, 8)
    shared = groups.group(entrance).account
    assert (shared.spent, shared.level) == (16, 3)
    assert groups.begin_anew(sites[0])
    assert (shared.spent, shared.level) == (8, 0)
    assert groups.begin_anew(sites[1])
    assert shared.spent == 8
    spend(groups, sites[1], 6)
    assert (shared.spent, shared.level) == (14, 3)


def test_a_group_that_an_overdrawn_site_leaves_is_settled_without_it(groups: Neighbourhoods, entrance: Site) -> None:
    site = member(groups, entrance, "a")
    spend(groups, entrance, 4)
    spend(groups, site, 12)
    left = groups.group(entrance)
    assert left.level == 3
    groups.trust(host("a"))
    assert (left.level, left.account.spent) == (0, 4)


def test_a_site_that_was_alone_in_its_group_in_the_end_is_judged_by_itself_once_it_is_a_seed(
    groups: Neighbourhoods, entrance: Site
) -> None:
    site = member(groups, entrance, "a")
    groups.trust(host("entrance"))
    assert list(groups.group(site).sites) == ["a.test"]
    spend(groups, site, 12)
    assert groups.level(site) == 3
    groups.trust(host("a"))
    spend(groups, site, 50)
    assert groups.level(site) == 0


@pytest.mark.parametrize("is_saved", [False, True])
def test_the_pages_of_liable_sites_are_taken_in_the_order_of_their_numbers(is_saved: bool) -> None:
    groups = Neighbourhoods(RULES)
    entrance = groups.refer(groups.trust(host("seed")), host("entrance"), is_new=False)
    others = [member(groups, entrance, name) for name in "cab"]
    honest = member(groups, entrance, "honest")
    for round_ in range(3):
        for place, site in enumerate((*others, entrance)):
            spend(groups, site, 2, first=100 - 10 * place + 2 * round_)
    spend(groups, honest, 4, fresh=8, crossing=2, first=500)
    groups.meet(host("c"), None)  # now the last to be forgotten
    if is_saved:
        again = Neighbourhoods(RULES)
        again.restore(unpack(pack(groups.state())))
        groups = again
    found = groups.find(host("entrance"))
    assert found is not None
    taken = groups.group(found).take_pages(groups.is_liable)
    assert taken == [*range(70, 76), *range(80, 86), *range(90, 96), *range(100, 106)]
    assert groups.group(found).take_pages(groups.is_liable) == []
    assert groups.group(found).take_pages(lambda _: True) == [500, 501, 502, 503]
