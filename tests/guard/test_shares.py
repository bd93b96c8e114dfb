"""What share of the budget a host or shape has for what it earned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.guard import SeenPage, Target, WebGuard, fingerprint_of
from honeyguide.guard.shares import MOST_HALVINGS, Shares
from honeyguide.model import LinkId, Url
from honeyguide.settings import GuardSettings
from tiny_webs import Shown, page_with, prose

ADDRESSES = [f"http://a.test/{number}" for number in range(1024)]


def shares_of(pages: int, pay: float = 0.0, *, mean: float = 0.5, credit: float = 4.0, unit: float = 1.0) -> Shares:
    """Of a host of so many pages, in a crawl whose relevant pages pay `unit` each."""
    shares = Shares(credit, memory=100)
    if mean:
        shares.begin_page(unit)
    for _ in range(pages):
        shares.count("a.test", pay * unit, mean * unit)
    return shares


def share(shares: Shares) -> float:
    return sum(not shares.is_behind("a.test", address) for address in ADDRESSES) / len(ADDRESSES)


@pytest.mark.parametrize(("pages", "expected"), [(23, 1.0), (24, 0.5), (56, 0.25), (120, 0.125), (10_000, 1 / 16)])
def test_what_never_pays_has_its_share_halved_again_and_again(pages: int, expected: float) -> None:
    # At 0.5 a page 24 pages should have paid 12; (12 + 4) / (0 + 4) is 4, the first halving that counts.
    assert share(shares_of(pages)) == pytest.approx(expected, rel=0.2)


def test_what_pays_a_little_less_than_others_keeps_its_share() -> None:
    assert share(shares_of(1000, pay=0.2)) == 1.0


@pytest.mark.parametrize("unit", [0.01, 1.0, 30.0])
def test_the_scale_of_rewards_does_not_matter(unit: float) -> None:
    assert share(shares_of(23, unit=unit)) == 1.0
    assert share(shares_of(24, unit=unit)) == pytest.approx(0.5, rel=0.2)


def test_where_nothing_pays_nobody_is_behind() -> None:
    assert share(shares_of(1000, mean=0.0)) == 1.0


def test_credit_is_patience() -> None:
    assert share(shares_of(24, credit=8.0)) == 1.0


def test_what_begins_to_pay_is_noticed_and_gets_its_share_back() -> None:
    shares = shares_of(60)
    assert share(shares) < 0.3
    risen = [shares.count("a.test", 1.0, 0.5) for _ in range(30)]
    assert sum(risen) == 2  # a quarter, a half, all of it
    assert share(shares) == 1.0


def test_at_the_bound_it_does_not_go_up_and_down() -> None:
    # The first page makes it (12.5 + 4) / (0.25 + 4), less than 4, the second (13 + 4) / (0.25 + 4), and so on.
    shares = shares_of(24)
    assert not any(shares.count("a.test", pay, 0.5) for pay in (0.25, 0.0) * 50)
    assert share(shares) == pytest.approx(0.5, rel=0.2)


def test_it_gets_its_share_back_half_a_step_later_than_it_lost_it() -> None:
    # Lost at 4, back at the square root of 8, 2.83: (12.5 + 4) / (1.83 + 4) is 2.830, and with 1.84 it is 2.825.
    for pay, is_back in ((1.83, False), (1.84, True)):
        assert shares_of(24).count("a.test", pay, 0.5) is is_back


def test_a_page_is_compared_with_what_the_pages_before_it_paid() -> None:
    shares = Shares(4.0, memory=100)
    assert [shares.begin_page(pay) for pay in (1.0, 0.0, 0.0, 6.0, 0.0)] == [0.0, 1.0, 0.5, 1 / 3, 1.75]


def test_an_address_is_always_on_the_same_side_and_one_let_in_stays_in_when_the_share_grows() -> None:
    before, after = shares_of(120), shares_of(24)
    for address in ADDRESSES:
        assert before.is_behind("a.test", address) or not after.is_behind("a.test", address)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 5)), max_size=80))
def test_saved_and_loaded_it_says_the_same(pages: list[tuple[str, float]]) -> None:
    shares, again = Shares(4.0, memory=2), Shares(4.0, memory=2)
    for key, pay in pages:
        for each in (shares, again):
            each.count(key, pay, each.begin_page(pay))
        state, again = again.state(), Shares(4.0, memory=2)
        again.restore(state)
        assert again.state() == shares.state()
        assert len(shares.state()[2]) <= 2
        assert all(halvings <= MOST_HALVINGS for _, (_, _, halvings) in shares.state()[2])


def guard_that_saw(host: str, pages: int, *, relevant_elsewhere: int, **rules: object) -> WebGuard:
    """A guard that saw relevant pages on hosts of their own and then worthless ones on one host."""
    guard = WebGuard(GuardSettings(**rules))  # type: ignore[arg-type]
    for number in range(relevant_elsewhere + pages):
        is_relevant = number < relevant_elsewhere
        url = f"http://good{number}.test/page" if is_relevant else f"http://{host}/text/{prose(number, words=1)}"
        print_ = fingerprint_of(page_with(url, Shown(prose(host, number), ())))
        reward = 1.0 if is_relevant else 0.9  # only what is relevant pays
        guard.observe(
            SeenPage(
                number + 1, LinkId(number), Url.parse(url), None, float(number), print_, reward, is_relevant, False
            ),
            [Target(LinkId(100_000 + number), Url.parse(f"http://{host}/text/more{number}"), is_new=True)],
        )
    return guard


def test_most_links_of_a_host_that_never_pays_wait_and_say_why() -> None:
    guard = guard_that_saw("poor.test", 100, relevant_elsewhere=100)
    standings = [guard.level(Url.parse(f"http://poor.test/text/x{number}"), 0) for number in range(400)]
    behind = [standing for standing in standings if standing.level]
    assert 200 <= len(behind) <= 380
    assert {(standing.level, standing.reason) for standing in behind} == {
        (1, "poor.test hardly pays: most of its links wait")
    }
    assert guard.level(Url.parse("http://good7.test/x"), 0).level == 0


def test_shares_can_be_switched_off() -> None:
    guard = guard_that_saw("poor.test", 100, relevant_elsewhere=100, shares=False)
    assert not any(guard.level(Url.parse(f"http://poor.test/text/x{number}"), 0).level for number in range(400))


def test_a_shape_of_addresses_that_never_pays_is_behind_on_a_host_that_does() -> None:
    guard = WebGuard(GuardSettings())
    for number in range(300):
        is_relevant = number % 2 == 0
        url = f"http://a.test/{'good' if is_relevant else 'poor'}/{prose(number, words=1)}"
        print_ = fingerprint_of(page_with(url, Shown(prose(number), ())))
        page = SeenPage(number, LinkId(number), Url.parse(url), None, 0.0, print_, 1.0, is_relevant, False)
        guard.observe(page, [])
    levels = {
        name: sum(guard.level(Url.parse(f"http://a.test/{name}/x{number}"), 0).level for number in range(100))
        for name in ("good", "poor")
    }
    assert levels["good"] == 0
    assert levels["poor"] > 40
