"""When links of a host stand better than before, its guard says so: else nobody would look at them again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING

import pytest

from honeyguide.guard import SeenPage, Target, WebGuard, fingerprint_of
from honeyguide.model import LinkId, Url
from honeyguide.settings import GuardSettings
from tiny_webs import Shown, page_with, prose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.settings.guard_section import GuardSettings as Rules

ALONE = replace(GuardSettings(), folding=False, series=False, accounts=False, shares=False, importance="pagerank")
"""No rule at all: each test has the one that it is about."""


@dataclass
class Watched:
    """A guard, and some links whose levels are looked at before and after every page."""

    rules: Rules
    links: Sequence[str]
    carried: int = 0
    fell: list[str] = field(default_factory=list)  # links that have come to stand better, one after the other
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _known: dict[str, LinkId] = field(default_factory=dict)
    _shown_on: dict[str, LinkId] = field(default_factory=dict)  # first

    def __post_init__(self) -> None:
        self.guard = WebGuard(self.rules)

    def levels(self) -> list[int]:
        return [self.guard.level(Url.parse(link), self.carried).level for link in self.links]

    def see(
        self,
        url: str,
        *links: str,
        text: str = "",
        reward: float = 0.0,
        is_seed: bool = False,
        importance: float = 0.0,
        importance_there: float = 0.0,
    ) -> None:
        """Show a page. What stands better after it must be among the hosts that are to be looked at again."""
        targets = [Target(*self._number(link), importance=importance_there) for link in links]
        link, address, _ = self._number(url)
        print_ = fingerprint_of(page_with(url, Shown(text or prose(url), ())))
        parent = self._shown_on.get(url)
        page = SeenPage(link, link, address, parent, float(link), print_, reward, reward > 0, is_seed, importance)
        for each in links:
            self._shown_on.setdefault(each, link)
        before = self.levels()
        judgement = self.guard.observe(page, targets)
        for watched, was, stands in zip(self.links, before, self.levels(), strict=True):
            if stands < was:
                self.fell.append(watched)
                assert Url.parse(watched).host in judgement.reconsider, f"{watched} fell from {was} to {stands}"

    def _number(self, url: str) -> tuple[LinkId, Url, bool]:
        is_new = url not in self._known
        if is_new:
            self._known[url] = LinkId(next(self._numbers))
        return self._known[url], Url.parse(url), is_new


def test_when_a_series_brings_something_again() -> None:
    watched = Watched(replace(ALONE, series=True), ["http://a.test/list/999"])
    for number in range(12):
        watched.see(f"http://a.test/list/{number}", f"http://a.test/list/{number + 1}", text=prose("nothing"))
    assert watched.levels() == [3]
    for number in range(12, 32):
        watched.see(f"http://a.test/list/{number}", f"http://a.test/goods/{prose(number, words=1)}")
    assert watched.levels() == [0]
    assert watched.fell


def test_when_a_site_begins_to_pay() -> None:
    watched = Watched(
        replace(ALONE, shares=True), [f"http://a.test/{prose('x', number, words=1)}" for number in range(20)]
    )
    for number in range(60):
        watched.see(f"http://a.test/{number}")
        watched.see(f"http://b{number}.test/", reward=1.0)
    assert sum(watched.levels()) > 5
    for number in range(60, 120):
        watched.see(f"http://a.test/{number}", reward=1.0)
    assert sum(watched.levels()) == 0
    assert watched.fell


@pytest.mark.parametrize("place", ["a page", "a link that waits", "a link that was fetched"])
def test_when_a_site_has_become_important(place: str) -> None:
    watched = Watched(ALONE, ["http://a.test/x"], carried=2)
    watched.see("http://a.test/", "http://a.test/waits")
    assert watched.levels() == [2]
    if place == "a page":
        watched.see("http://a.test/important", importance=5.0)
    else:
        there = "http://a.test/waits" if place == "a link that waits" else "http://a.test/"
        watched.see("http://b.test/", there, importance_there=5.0)
    assert watched.levels() == [1]
    assert watched.fell == ["http://a.test/x"]


def dig(watched: Watched, place: str, pages: int) -> list[str]:
    """Show so many pages of a space that only grows, each found on the last; gives back addresses of it that wait."""
    waiting: list[str] = []
    page = f"{place}entrance"
    for number in range(pages):
        deeper, *new = (f"{place}{prose(place, number, each, words=2).replace(' ', '-')}" for each in range(21))
        watched.see(page, deeper, *new)
        waiting += new
        page = deeper
    return waiting


def test_when_others_refer_to_a_group_of_sites_that_is_overdrawn() -> None:
    """All its sites are looked at again, not only the one that they refer to."""
    watched = Watched(replace(ALONE, accounts=True), ["http://maze.test/new", "http://maze2.test/new"])
    watched.see("http://maze.test/", "http://maze2.test/")
    watched.see("http://maze2.test/", "http://maze2.test/on")
    waiting = dig(watched, "http://maze.test/", 32)
    assert watched.levels() == [3, 3]
    for number in range(16):
        watched.see(f"http://honest{number}.test/", waiting[0], is_seed=True)
    assert watched.levels() == [0, 0]
    assert set(watched.fell) == set(watched.links)


def test_when_others_refer_to_a_section_that_is_overdrawn() -> None:
    watched = Watched(replace(ALONE, accounts=True), ["http://a.test/x/new"])
    watched.see("http://a.test/", "http://a.test/x/", is_seed=True)
    waiting = dig(watched, "http://a.test/x/", 30)
    assert watched.levels() == [3]
    for number in range(16):
        watched.see(f"http://honest{number}.test/", waiting[number], is_seed=True)
    assert watched.levels() == [0]
    assert watched.fell == ["http://a.test/x/new"]


@pytest.mark.parametrize("is_section", [False, True])
def test_when_the_pages_of_an_overdrawn_account_begin_to_refer_to_one_another(is_section: bool) -> None:
    place = "http://a.test/x/" if is_section else "http://a.test/"
    watched = Watched(replace(ALONE, accounts=True), [f"{place}new"])
    watched.see("http://a.test/" if is_section else "http://b.test/", place, is_seed=True)
    waiting = dig(watched, place, 32)
    assert watched.levels() == [3]
    for number in range(20):
        watched.see(f"{place}{prose('later', number, words=1)}", *waiting[20 * number : 20 * number + 20])
    assert watched.levels() == [0]
    assert watched.fell == [f"{place}new"]


def test_when_a_person_names_a_page_of_an_overdrawn_site_even_if_it_repeats_another() -> None:
    watched = Watched(replace(ALONE, accounts=True), ["http://maze.test/x/new"])
    dig(watched, "http://maze.test/x/", 32)
    assert watched.levels() == [3]
    watched.see("http://maze.test/x/named", is_seed=True, text=prose("http://maze.test/x/entrance"))
    assert watched.levels() == [0]
    assert watched.fell == ["http://maze.test/x/new"]


def test_when_a_part_of_addresses_turns_out_not_to_matter_beside_a_seed() -> None:
    """What was counted is given back to all sections beside the seed's together."""
    watched = Watched(replace(ALONE, accounts=True, folding=True), ["http://s.test/other/new"])
    page = "http://s.test/first/entrance"
    watched.see("http://s.test/", page, is_seed=True)
    for number in range(40):
        names = (prose("name", number, each, words=2).replace(" ", "/") for each in range(21))
        deeper, *new = (f"http://s.test/{name}" for name in names)
        watched.see(page, deeper, *new)
        page = deeper
    assert watched.levels() == [3]
    for number in range(3):
        for visit in "ab":
            watched.see(f"http://s.test/forum/p{number}?ref={visit}", text=prose("thread", number))
    assert watched.levels() == [0]
    assert watched.fell == ["http://s.test/other/new"]


def test_when_a_site_that_was_to_blame_leaves_its_group() -> None:
    watched = Watched(replace(ALONE, accounts=True), ["http://entrance.test/new"])
    watched.see("http://entrance.test/", "http://maze.test/x/", "http://entrance.test/other")
    dig(watched, "http://maze.test/x/", 34)
    assert watched.levels() == [3]
    watched.see("http://maze.test/x/named", is_seed=True)
    assert watched.levels() == [0]
    assert watched.fell == ["http://entrance.test/new"]
