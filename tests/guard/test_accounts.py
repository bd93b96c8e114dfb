"""What a group of hosts may cost."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.guard.site_budget import DEEPEST, Account
from honeyguide.model import LinkId
from honeyguide.settings import GuardSettings

RULES = GuardSettings(
    allowance=10,
    allowance_per_referrer=2,
    established_referrers=4,
    allowance_per_reference=3,
    allowance_per_host=5,
    knit_per_doubling=0,
)


def spend(account: Account, pages: int, fresh: int = 5, crossing: int = 0, *, is_relevant: bool = False) -> int:
    for page in range(pages):
        account.take(LinkId(page), fresh, crossing, is_relevant=is_relevant)
    return account.settle(RULES)


def test_an_unknown_space_that_only_grows_is_overdrawn_after_its_allowance() -> None:
    assert spend(Account(), 10, fresh=20) == 0
    assert spend(Account(), 11, fresh=20) == 3


def test_one_that_cannot_be_told_to_be_large_is_not() -> None:
    # 5 new addresses on each of 21 pages: 105, none of them twice, may be of 105**2 / 4 = 2,756.
    assert spend(Account(), 21) == 0
    assert spend(Account(), 22) == 4


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
    levels = [spend(Account(), pages, fresh=20) for pages in (19, 20, 39, 40, 80, 160, 320, 640)]
    assert levels == [3, 4, 4, 5, 6, 6, 6, 6]
    assert DEEPEST == 6


def test_pages_that_bring_no_new_addresses_cost_nothing() -> None:
    account = Account()
    spend(account, 100, fresh=0)
    assert spend(account, 10, fresh=20) == 0
    assert spend(account, 1, fresh=20) == 3


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


def test_the_more_pages_were_seen_the_more_of_their_links_have_to_lead_to_known_ones() -> None:
    rules = replace(RULES, knit_per_doubling=0.04)
    for pages, enough in ((10, 0.09), (20, 0.13), (40, 0.17), (160, 0.2), (2560, 0.2)):
        account = Account(spent=pages, fresh=100_000)
        for share, is_enough in ((enough - 0.001, False), (enough + 0.001, True)):
            account.crossing = round(100_000 * share / (1 - share))
            assert account.is_well_knit(rules) == is_enough


def test_an_overdrawn_account_has_to_be_well_beyond_a_bound_to_stand_clear() -> None:
    account = Account()
    assert spend(account, 100, fresh=20) == 6
    account.crossing = 200  # of 2,200, 9.1%: with so much it would not have been overdrawn
    assert replace(account, level=0).settle(RULES) == 0
    assert account.settle(RULES) == 6
    account.crossing = 260  # 11.5%; a quarter above the bound of 9% is 11.25%
    assert account.settle(RULES) == 0


@given(st.lists(st.integers(0, 6), max_size=200))
def test_a_level_is_lowered_or_raised_rarely(fresh: list[int]) -> None:
    """However pages come, an account that is judged after each of them changes sides a few times at most."""
    account, changes, was = Account(), 0, False
    for number, new in enumerate(fresh):
        account.take(LinkId(number), 20 * (new > 1), 2 * new, is_relevant=False)
        is_overdrawn = bool(account.settle(RULES))
        changes += is_overdrawn != was
        was = is_overdrawn
    assert changes <= 6


def test_one_of_anything_is_told_in_the_singular() -> None:
    account = Account(fetched=1, spent=1, relevant=1, referrers=[4])
    told = account.told(RULES)
    assert told.startswith("1 of 1 page on 1 site brought new addresses")
    assert "; 1 other refers to it; 1 was relevant; " in told
    account = Account(fetched=3, spent=2, hosts=2, referrers=[4, 5])
    told = account.told(RULES)
    assert told.startswith("2 of 3 pages on 2 sites brought new addresses")
    assert "; 2 others refer to it; 0 were relevant; " in told
