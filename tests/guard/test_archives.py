"""Lists of what an archive holds are alike and go on and on; what they lead to is not, and they are no trap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide.guard import SeenPage, Target, WebGuard, fingerprint_of
from honeyguide.guard.series import Series
from honeyguide.guard.url_pattern import is_id, shape_of
from honeyguide.model import LinkId, Url
from honeyguide.settings import GuardSettings
from tiny_webs import Shown, crawl, honest_web, page_with, prose, with_trap

if TYPE_CHECKING:
    from collections.abc import Callable

HONEST = honest_web(hosts=6, pages=30)
SEED = "http://honest0.test/"
SITE = "http://archive.test"
LISTS = 60
ITEMS = 4
BUDGET = 400  # of 481 pages
HEAD = prose("masthead", words=60)


def alike(number: int) -> str:
    """The text of a list: most of it is on every other, too, but it is no near-duplicate."""
    return f"{HEAD} {prose('teasers', number, words=30)}"


def item_names(scheme: str, number: int) -> list[str]:
    """Addresses of what the list with this number holds."""
    each = range(ITEMS)
    return {
        "titles": [f"/issues/{number}/{prose('title', number, item, words=2).replace(' ', '-')}.html" for item in each],
        "numbers": [f"/issues/{number}/art/{item}/" for item in each],
        "dates": [f"/archive/{2000 + number}/01/{item + 1}/{prose('news', number, item, words=1)}" for item in each],
    }[scheme]


def list_name(scheme: str, number: int) -> str:
    return f"/archive/{2000 + number}/01/" if scheme == "dates" else f"/issues/{number}/"


def archive(scheme: str) -> Callable[[str], Shown | None]:
    """A contents page for each number, which names the next and items that are like no other page."""
    lists = {SITE + list_name(scheme, number): number for number in range(LISTS)}
    items = {SITE + name for number in range(LISTS) for name in item_names(scheme, number)}

    def show(url: str) -> Shown | None:
        if url in items:
            return Shown(prose("item", url), ("/",), prose("title", url, words=3))
        if url == f"{SITE}/":
            return Shown(prose("home"), tuple(list_name(scheme, number) for number in range(LISTS)), "Archive")
        if url in lists:
            number = lists[url]
            links = (*item_names(scheme, number), list_name(scheme, (number + 1) % LISTS))
            return Shown(alike(number), links, f"Issue {number}")
        return None

    return show


@pytest.mark.parametrize("breadth_first", [True, False])
@pytest.mark.parametrize("scheme", ["titles", "numbers", "dates"])
def test_what_an_archive_holds_is_found_as_without_a_guard(scheme: str, breadth_first: bool) -> None:
    web = with_trap(HONEST, archive(scheme), {SEED: (f"{SITE}/",)})
    without = crawl(web, [SEED], BUDGET, None, breadth_first=breadth_first)
    guarded = crawl(web, [SEED], BUDGET, WebGuard(GuardSettings()), breadth_first=breadth_first)
    wanted = {SITE + name for number in range(LISTS) for name in item_names(scheme, number)}
    assert len(wanted & set(without.fetched)) > 100
    assert len(wanted & set(guarded.fetched)) >= 0.9 * len(wanted & set(without.fetched))


def see(guard: WebGuard, number: int, url: str, parent: int | None, *links: str, text: str = "") -> tuple[object, ...]:
    """Show a page, whose link has this number; links to new addresses have numbers that follow it."""
    print_ = fingerprint_of(page_with(url, Shown(text or prose(url), ())))
    found_on = None if parent is None else LinkId(parent)
    page = SeenPage(LinkId(number), Url.parse(url), found_on, float(number), print_, is_relevant=False)
    targets = [Target(LinkId(number * 100 + place), Url.parse(link), is_new=True) for place, link in enumerate(links)]
    judgement = guard.observe(page, targets)
    return judgement.finding, judgement.earlier, judgement.raised


def test_a_list_that_was_taken_for_idle_is_cleared_by_the_pages_that_it_led_to() -> None:
    guard = WebGuard(GuardSettings())
    waiting = Url.parse("http://a.test/issues/999/")
    for number in range(1, 8):
        links = (f"http://a.test/issues/{number}/art/1/", f"http://a.test/issues/{number + 1}/")
        see(guard, number, f"http://a.test/issues/{number}/", number - 1 or None, *links, text=alike(number))
    assert guard.level(waiting, 0).level >= 3
    _, _, raised = see(guard, 50, "http://a.test/issues/1/art/1/", 1)
    assert guard.level(waiting, 0).level == 0
    assert raised == ("a.test",)
    # Every second page has to lead to such a one.
    levels = []
    for number in range(8, 11):
        following = f"http://a.test/issues/{number + 1}/"
        see(guard, number, f"http://a.test/issues/{number}/", None, following, text=alike(number))
        levels.append(guard.level(waiting, 0).level)
    assert levels[0] == 0
    assert min(levels[1:]) >= 3


@pytest.mark.parametrize(
    ("child", "text"),
    [
        ("http://a.test/issues/1/art/1/", alike(1)),  # repeats what led to it
        ("http://a.test/goods/1/", prose("goods")),  # of another section: counted when it was shown
        ("http://a.test/issues/word", prose("word")),  # so was what has a name
        ("http://a.test/issues/77/", prose("another")),  # of the series itself
    ],
)
def test_only_numbered_pages_of_the_section_that_are_like_no_other_clear_it(child: str, text: str) -> None:
    guard = WebGuard(GuardSettings())
    for number in range(1, 8):
        links = (f"http://a.test/issues/{number}/art/1/", f"http://a.test/issues/{number + 1}/")
        see(guard, number, f"http://a.test/issues/{number}/", number - 1 or None, *links, text=alike(number))
    see(guard, 50, child, 1, text=text)
    assert guard.level(Url.parse("http://a.test/issues/999/"), 0).level >= 3


def test_names_that_no_numbered_address_of_the_section_had_are_brought_at_once() -> None:
    guard = WebGuard(GuardSettings())
    for number in range(1, 20):
        links = (f"http://a.test/issues/{number}/{prose(number, words=1)}", f"http://a.test/issues/{number + 1}/")
        see(guard, number, f"http://a.test/issues/{number}/", None, *links, text=alike(number))
        assert guard.level(Url.parse("http://a.test/issues/99/"), 0).level == 0


def test_a_word_that_numbered_addresses_of_the_section_had_before_brings_nothing() -> None:
    guard = WebGuard(GuardSettings())
    for number in range(1, 8):
        links = [f"http://a.test/diary/{number}/{view}" for view in ("list", "week")]
        links.append(f"http://a.test/diary/{number + 1}/")
        see(guard, number, f"http://a.test/diary/{number}/", None, *links, text=alike(number))
    assert guard.level(Url.parse("http://a.test/diary/99/"), 0).level >= 3


@pytest.mark.parametrize("name", ["/topic/12/page-{}/", "/forum/7/page{}.html", "/calendar/2031/{}-apr-2031/"])
def test_a_number_inside_a_word_makes_no_new_word(name: str) -> None:
    guard = WebGuard(GuardSettings())
    for number in range(1, 10):
        url, following = (f"http://a.test{name.format(each)}" for each in (number, number + 1))
        see(guard, number, url, None, following, text=alike(number))
    assert guard.level(Url.parse(f"http://a.test{name.format(99)}"), 0).level >= 3


def test_a_page_of_an_idle_series_that_is_like_no_other_is_not_named_later_either() -> None:
    guard = WebGuard(GuardSettings())
    named: list[LinkId] = []
    for number in range(1, 14):
        text = "" if number in (10, 11) else alike(number)
        following = f"http://a.test/log/{number + 1}/"
        found, earlier, _ = see(guard, number, f"http://a.test/log/{number}/", None, following, text=text)
        assert isinstance(earlier, tuple)
        named += [LinkId(number)] * (found is not None) + [late.link for late in earlier]
    assert sorted(named) == [LinkId(number) for number in range(1, 14) if number not in (10, 11)]


def test_pages_of_a_series_that_a_copy_gives_away_carry_nothing() -> None:
    guard = WebGuard(GuardSettings())
    for number in range(1, 7):
        text = alike(3 if number == 6 else number)
        following = f"http://a.test/log/{number + 1}/"
        _, earlier, _ = see(guard, number, f"http://a.test/log/{number}/", None, following, text=text)
    assert isinstance(earlier, tuple)
    assert [late.link for late in earlier]
    assert {late.demotion for late in earlier} == {0}


def test_a_series_that_is_found_out_by_a_page_that_is_not_part_of_it_has_evidence_all_the_same() -> None:
    guard = WebGuard(GuardSettings())
    told: list[tuple[object, ...]] = []
    for number in range(1, 9):
        text = alike(number) if number != 6 else ""
        next_one = f"http://a.test/log/{number + 1}/"
        told.append(see(guard, number, f"http://a.test/log/{number}/", None, next_one, text=text))
        if number == 6:
            assert guard.level(Url.parse("http://a.test/log/99/"), 0).level >= 3
    found, earlier, _ = told[5]
    assert found is None
    assert isinstance(earlier, tuple)
    assert [late.link for late in earlier] == [LinkId(number) for number in range(1, 6)]
    assert {str(late.finding.kind) for late in earlier} == {"pagination"}


def test_credit_is_bounded() -> None:
    series = Series()
    for _ in range(100):
        series.lead_to()
    assert series.credit == 4.0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("SloopAngiogenesis291", False), ("HTTPServerConnection2Factory", False),
        ("3f2504e04f8941d39a0c0305e82c3301", True), ("a8Kd03jQm29xLpT7vRz1", True), ("20260401", True),
    ],
)  # fmt: skip
def test_a_long_name_with_a_number_in_it_is_no_id(name: str, expected: bool) -> None:
    assert is_id(name) is expected


def test_the_words_of_an_address_are_what_is_no_number_and_no_section() -> None:
    assert shape_of(Url.parse("http://a.test/issues/3/coral-reefs.html")).words == ("coral-reefs.html",)
    assert shape_of(Url.parse("http://a.test/vol/3/no/2/")).words == ("no",)
    assert shape_of(Url.parse("http://a.test/calendar/2026/10/?view=list")).words == ()
