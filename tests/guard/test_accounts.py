"""What a group of hosts may cost, and which hosts share an account."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.domain import HostKey, LinkId
from honeyguide.guard.accounts import DEEPEST, Account
from honeyguide.guard.neighbourhoods import LEAVING, Neighbourhoods
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
    assert spend(Account(), 10) == 0
    assert spend(Account(), 11) == 1


def test_it_waits_a_level_deeper_for_each_doubling() -> None:
    assert [spend(Account(), pages) for pages in (19, 20, 39, 40, 80, 160, 320, 640, 1280)] == [
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
    assert spend(account, 10) == 0


def test_a_space_that_stops_growing_is_a_finite_one() -> None:
    account = Account()
    assert spend(account, 30) > 0
    assert spend(account, 40, fresh=0) == 0


def test_pages_that_refer_to_one_another_are_no_maze() -> None:
    assert spend(Account(), 100, fresh=19, crossing=1) == 0
    assert spend(Account(), 100, fresh=20, crossing=1) > 0


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


def test_relevant_pages_earn_no_more_than_the_allowance_again() -> None:
    account = Account()
    spend(account, 7, fresh=0, is_relevant=True)
    assert account.allowance(RULES) == 17
    spend(account, 70, fresh=0, is_relevant=True)
    assert account.allowance(RULES) == 20


def test_a_seed_is_never_overdrawn() -> None:
    assert spend(Account(is_trusted=True), 1000) == 0


def test_what_it_says_has_the_numbers_that_decide() -> None:
    account = Account(hosts=2)
    spend(account, 20, fresh=4, crossing=0)
    told = account.told(RULES)
    for number in ("20 of 20 pages", "2 hosts", "4.0 a page", "0%", "0 others", "allowance is 15"):
        assert number in told


def host(name: str) -> HostKey:
    return HostKey(f"{name}.test")


def test_a_host_first_met_on_an_unknown_one_joins_it_and_one_met_on_a_seed_does_not() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    first = groups.refer(seed, host("first"), is_new=True)
    second = groups.refer(first, host("second"), is_new=True)
    assert seed is not first
    assert second is first
    assert first.account.hosts == 2
    assert groups.refer(seed, host("third"), is_new=True) is not first


def test_hosts_of_one_registered_domain_belong_together() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    shop = groups.refer(seed, HostKey("shop.example.co.uk"), is_new=True)
    assert groups.refer(seed, HostKey("www.example.co.uk"), is_new=True) is shop
    assert groups.refer(seed, HostKey("www.other.co.uk"), is_new=True) is not shop
    assert shop.hosts == ("shop.example.co.uk", "www.example.co.uk")
    assert shop.account.hosts == 1


def test_references_from_within_do_not_count() -> None:
    groups = Neighbourhoods(RULES)
    entrance = groups.refer(groups.trust(host("seed")), host("a"), is_new=True)
    groups.refer(entrance, host("b"), is_new=True)
    groups.refer(entrance, host("b"), is_new=False)
    assert entrance.account.referrers == [0]
    assert entrance.account.from_outside == 1


def test_references_from_overdrawn_groups_do_not_count() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    one, two = (groups.refer(seed, host(name), is_new=True) for name in "ab")
    spend(one.account, 50)
    groups.refer(one, host("b"), is_new=True)
    assert two.account.referrers == [seed.number]


def test_a_host_leaves_when_enough_established_groups_refer_to_it() -> None:
    groups = Neighbourhoods(RULES)
    entrance = groups.refer(groups.trust(host("seed")), host("a"), is_new=True)
    groups.refer(entrance, host("b"), is_new=True)
    for number in range(LEAVING - 1):
        assert groups.refer(groups.trust(host(f"seed{number}")), host("b"), is_new=False) is entrance
    own = groups.refer(groups.trust(host("last")), host("b"), is_new=False)
    assert own is not entrance
    assert (own.account.hosts, entrance.account.hosts) == (1, 1)
    assert len(own.account.referrers) == LEAVING


def test_references_from_unknown_groups_do_not_let_a_host_leave() -> None:
    groups = Neighbourhoods(RULES)
    seed = groups.trust(host("seed"))
    entrance = groups.refer(seed, host("a"), is_new=True)
    groups.refer(entrance, host("b"), is_new=True)
    for number in range(3 * LEAVING):
        unknown = groups.refer(seed, host(f"unknown{number}"), is_new=True)
        assert groups.refer(unknown, host("b"), is_new=False) is entrance


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=200))
def test_groups_never_hold_more_hosts_than_there_is_room_for(links: list[tuple[int, int]]) -> None:
    rules = GuardSettings(memory=64, allowance=2)
    groups, again = Neighbourhoods(rules), Neighbourhoods(rules)
    for one, other in links:
        for each in (groups, again):
            group = each.meet(host(f"a{one}"), None)
            found = each.refer(group, host(f"b{one}x{other}"), is_new=True)
            assert each.find(host(f"b{one}x{other}")) is found
        again.restore(unpack(pack(again.state())))
        assert len(groups) == len(again) <= 64
        assert groups.state() == again.state()


@pytest.mark.parametrize("name", ["127.0.0.1:8080", "localhost", "[::1]:80", "com"])
def test_awkward_hosts_have_groups(name: str) -> None:
    groups = Neighbourhoods(RULES)
    assert groups.trust(HostKey(name)).hosts == (name,)
