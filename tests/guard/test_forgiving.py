"""What importance forgives: near-duplicates, also where they are usual, and never copies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from honeyguide.guard import SeenPage, Target, WebGuard, fingerprint_of
from honeyguide.model import LinkId, Url
from honeyguide.settings import GuardSettings
from tiny_webs import Shown, page_with, prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.guard import Judgement

RULES = GuardSettings()
LINK = Url.parse("http://big.test/a/link")


def observe(
    guard: WebGuard, number: int, url: str, targets: Sequence[Target] = (), *, text: str = "", importance: float = 0.0
) -> Judgement:
    shown = Shown(text or prose("forgiving", number), (), f"{prose('title', number, words=2)}")
    print_ = fingerprint_of(page_with(url, shown))
    page = SeenPage(number, LinkId(number), Url.parse(url), None, float(number), print_, 0.0, False, False, importance)
    return guard.observe(page, targets)


def levels(guard: WebGuard) -> list[int]:
    """Of a link that carries nothing, near-duplicates of two kinds and where these are usual, and copies."""
    return [guard.level(LINK, carried).level for carried in range(7)]


AS_THEY_ARE = [0, 1, 2, 3, 4, 5, 6]
ONE_FORGIVEN = [0, 0, 1, 2, 4, 5, 6]
ALL_FORGIVEN = [0, 0, 0, 0, 4, 5, 6]


def test_near_duplicates_are_forgiven_one_level_by_8_referring_groups_and_all_by_16() -> None:
    guard = WebGuard(RULES)
    observe(guard, 0, "http://big.test/a/page")
    for referrers in range(1, 21):
        link = Target(LinkId(1000 + referrers), Url.parse(f"http://big.test/a/{referrers}"), is_new=True)
        judgement = observe(guard, referrers, f"http://referrer{referrers}.test/", [link])
        assert judgement.reconsider == (("big.test",) if referrers in (8, 16) else ())
        assert levels(guard) == (AS_THEY_ARE if referrers < 8 else ONE_FORGIVEN if referrers < 16 else ALL_FORGIVEN)


def test_one_site_that_refers_again_and_again_is_one() -> None:
    guard = WebGuard(RULES)
    observe(guard, 0, "http://big.test/a/page")
    for number in range(1, 40):
        link = Target(LinkId(1000 + number), Url.parse(f"http://big.test/a/{number}"), is_new=True)
        observe(guard, number, f"http://h{number}.referrer.test/", [link])
    assert levels(guard) == AS_THEY_ARE


@pytest.mark.parametrize(
    ("rank", "expected"),
    [(3.9, AS_THEY_ARE), (4.0, ONE_FORGIVEN), (15.9, ONE_FORGIVEN), (16.0, ALL_FORGIVEN)],
)
@pytest.mark.parametrize("is_own_page", [True, False])
def test_by_pagerank_it_takes_4_and_16_times_the_average(rank: float, expected: list[int], is_own_page: bool) -> None:
    guard = WebGuard(replace(RULES, importance="pagerank"))
    observe(guard, 0, "http://big.test/a/page", importance=1.0)
    assert levels(guard) == AS_THEY_ARE
    if is_own_page:
        judgement = observe(guard, 1, "http://big.test/a/other", importance=rank)
    else:
        link = Target(LinkId(9), Url.parse("http://big.test/b/x"), is_new=True, importance=rank)
        judgement = observe(guard, 1, "http://small.test/", [link])
    assert levels(guard) == expected
    assert judgement.reconsider == (("big.test",) if expected != AS_THEY_ARE else ())


def test_without_importance_nothing_is_forgiven() -> None:
    guard = WebGuard(replace(RULES, importance="none"))
    observe(guard, 0, "http://big.test/a/page", importance=100.0)
    for number in range(1, 21):
        link = Target(LinkId(1000 + number), Url.parse(f"http://big.test/a/{number}"), is_new=True)
        assert observe(guard, number, f"http://referrer{number}.test/", [link]).reconsider == ()
    assert levels(guard) == AS_THEY_ARE


def near_duplicate(number: int) -> str:
    return f"{prose('alike', words=400)} {prose(number, words=1)}"


def test_the_links_of_near_duplicates_wait_a_level_deeper_where_these_are_usual() -> None:
    """A quarter of the section's last sixteen pages; sixteen clean ones later one is an accident again."""
    guard = WebGuard(RULES)
    carried = [
        observe(guard, n, f"http://big.test/a/{prose('page', n, words=1)}", text=near_duplicate(n)).demotion
        for n in range(7)
    ]
    assert carried == [0, 2, 2, 2, 3, 3, 3]
    elsewhere = observe(guard, 50, "http://big.test/b/page", text=near_duplicate(50))
    assert elsewhere.finding is not None
    assert elsewhere.demotion == 1  # by its similarity, which the other shape of its address makes less
    for number in range(100, 116):
        observe(guard, number, f"http://big.test/a/{prose('page', number, words=1)}")
    assert observe(guard, 200, "http://big.test/a/again", text=near_duplicate(200)).demotion == 2


def test_where_copies_are_usual_they_are_demoted_as_copies() -> None:
    guard = WebGuard(replace(RULES, folding=False))
    copies = [observe(guard, n, f"http://big.test/a/p{'abcdefgh'[n]}", text=prose("copied")).demotion for n in range(8)]
    assert copies == [0] + [4] * 7
