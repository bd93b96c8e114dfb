"""Where the bounds of an account lie, worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from honeyguide.guard.site_budget import Account
from honeyguide.model import LinkId
from honeyguide.settings import GuardSettings

RULES = GuardSettings(allowance=10, allowance_per_host=5, knit_per_doubling=0)


def maze(spent: int = 20, fresh: int = 400, **counts: float) -> Account:
    """An account of which everything but its allowance says that it is a maze: 400**2 / 4 addresses, 20 a page."""
    account = Account(fetched=spent, spent=spent, deep=spent, fresh=fresh, growth=20.0)
    for name, value in counts.items():
        setattr(account, name, value)
    return account


def is_overdrawn(account: Account) -> bool:
    return account.settle(RULES) > 0


@pytest.mark.parametrize(("sites", "allowance"), [(1, 10), (2, 15), (11, 60), (12, 60), (1000, 60)])
def test_the_allowance_of_a_group_grows_with_its_sites_up_to_as_many_as_the_allowance(
    sites: int, allowance: int
) -> None:
    assert Account(hosts=sites).allowance(RULES) == allowance


@pytest.mark.parametrize(
    ("spent", "deep", "expected"),
    [
        (11, 4, False),  # more than 10, but less than half of 10 behind what is just behind an entrance
        (11, 5, True),
        (10, 10, False),
        (15, 0, False),
        (15, 4, False),
        (16, 0, True),  # one and a half times the allowance is enough, wherever it was spent
    ],
)
def test_an_allowance_is_spent_by_half_in_the_deep_or_half_as_much_again(spent: int, deep: int, expected: bool) -> None:
    assert is_overdrawn(maze(spent, deep=deep)) == expected


def test_pages_just_behind_an_entrance_are_not_deep() -> None:
    account = Account()
    for number in range(6):
        account.take(LinkId(number), 3, 0, is_relevant=False, is_deep=number >= 2)
    account.take(LinkId(6), 0, 3, is_relevant=False, is_deep=True)  # it brought nothing
    assert (account.spent, account.deep) == (6, 4)


def test_an_overdrawn_account_stands_clear_a_fifth_below_its_allowance() -> None:
    assert is_overdrawn(maze(9, level=3))
    assert not is_overdrawn(maze(8, level=3))
    assert not is_overdrawn(maze(9))


def test_an_overdrawn_account_stands_clear_when_it_is_a_fifth_smaller_than_what_is_vast() -> None:
    """3,000 addresses are vast: 100**2 / 4 = 2,500 are more than four fifths of that, 97**2 / 4 = 2,352 are not."""
    assert is_overdrawn(maze(fresh=100, level=3))
    assert not is_overdrawn(maze(fresh=97, level=3))
    assert not is_overdrawn(maze(fresh=100))
    assert is_overdrawn(maze(fresh=110))


@pytest.mark.parametrize(("is_section", "bound"), [(False, 2.0), (True, 3.0)])
def test_an_overdrawn_account_stands_clear_when_it_grows_a_fifth_more_slowly(is_section: bool, bound: float) -> None:
    for growth, stays in ((0.81, True), (0.79, False)):
        assert is_overdrawn(maze(growth=growth * bound, is_section=is_section, level=3)) == stays
        assert not is_overdrawn(maze(growth=growth * bound, is_section=is_section))
    assert is_overdrawn(maze(growth=bound, is_section=is_section))


def test_what_two_accounts_grew_by_lately_is_weighed_with_their_pages() -> None:
    account = Account(fetched=10, growth=6.0)
    account.add(Account(fetched=30, growth=2.0))
    assert account.growth == (10 * 6 + 30 * 2) / 40
    nothing = Account()
    nothing.add(Account())
    assert nothing.growth == 0.0


def test_an_account_that_begins_anew_counts_from_nothing_and_keeps_what_others_say() -> None:
    account = maze(level=4, crossing=7, relevant=2, from_outside=3, repetitions=0b101)
    account.referrers, account.pages = [4, 5], [LinkId(1), LinkId(2)]
    assert account.begin_anew()
    expected = Account(relevant=2, from_outside=3, referrers=[4, 5], repetitions=0b101, renewals=1)
    assert account == expected


def test_an_account_begins_anew_three_times_at_most() -> None:
    account = Account()
    for _ in range(3):
        account.take(LinkId(1), 5, 0, is_relevant=False)
        assert account.begin_anew()
        assert account.fresh == 0
    account.take(LinkId(1), 5, 0, is_relevant=False)
    before = replace(account)
    assert not account.begin_anew()
    assert account == before


def test_repetitions_are_usual_where_a_quarter_of_the_last_sixteen_pages_repeated_others() -> None:
    account = Account()
    assert [account.note(is_repetition=True) for _ in range(4)] == [False, False, False, True]
    assert [account.note(is_repetition=False) for _ in range(13)] == [True] * 12 + [False]


def test_the_pages_of_an_account_that_has_shown_that_it_is_no_maze_are_forgotten() -> None:
    """After 256 pages that brought something; one that is overdrawn by then has pages to name."""
    for crossing, kept in ((0, 256), (10, 0)):
        account = Account()
        for number in range(257):
            account.take(LinkId(number), 20, crossing, is_relevant=False)
            if number == 255:
                account.settle(RULES)
                assert len(account.pages) == 256
        assert is_overdrawn(account) == (crossing == 0)
        assert len(account.pages) == kept


def test_an_account_has_not_proved_itself_while_it_may_be_vast() -> None:
    """19% of the shown addresses were met again, which is enough: of 2,000 it is still 4,751 that there must be."""
    few, many = (Account(fetched=20, spent=20, fresh=81 * n, crossing=19 * n) for n in (2, 20))
    assert few.knit_share == many.knit_share >= 2 * RULES.knit
    assert round(many.estimated_size) == 4751
    assert few.has_proved_itself(RULES)
    assert not many.has_proved_itself(RULES)
