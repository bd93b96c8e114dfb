"""Mazes beside a seed, farms of many domains and mazes that make up variants are found; indexes and atlases are not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from honeyguide.guard import SeenPage, Target, WebGuard, fingerprint_of
from honeyguide.model import LinkId, Url
from honeyguide.settings import GuardSettings
from tiny_webs import Crawl, Shown, crawl, drawn, honest_web, page_with, prose, with_trap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from honeyguide.guard.tables import Tables

HONEST = honest_web(hosts=20, pages=80)
SEED = "http://honest0.test/"
BUDGET = 600
RULES = GuardSettings()


def word(*key: object) -> str:
    return "".join(drawn("word", *key).choices("abcdefghij", k=6))


def guarded(web: Callable[[str], Shown | None], budget: int = BUDGET, *, breadth_first: bool = False) -> Crawl:
    return crawl(web, [SEED], budget, WebGuard(RULES), breadth_first=breadth_first)


def maze_in_sections(sections: str) -> Callable[[str], Shown | None]:
    """A maze on the seed's own site whose links lead into any of its sections; without names, each into one more."""

    def section(url: str, number: int) -> str:
        return drawn(url, number).choice(sections) if sections else word(url, number, 2)

    def show(url: str) -> Shown | None:
        if not url.startswith("http://honest0.test/maze-"):
            return None
        links = [f"/maze-{section(url, n)}/{word(url, n)}-{word(url, n, 1)}/" for n in range(8)]
        return Shown(prose("maze", url), tuple(links), word(url))

    return show


@pytest.mark.parametrize("sections", ["a", "ab", "abcde", ""])
def test_a_maze_beside_the_section_of_a_seed_costs_little_however_many_sections_it_has(sections: str) -> None:
    web = with_trap(HONEST, maze_in_sections(sections), {SEED: ("/maze-a/in/",)})
    assert crawl(web, [SEED], BUDGET).count("/maze-") == BUDGET - 1
    result = guarded(web)
    assert result.count("/maze-") <= 60
    assert result.kinds("/maze-").keys() == {"maze"}
    assert result.kinds() == result.kinds("/maze-")


def atlas(pages: int, popularity: int) -> Callable[[str], Shown | None]:
    """Four sections of a seed's site whose pages refer to pages of their own and of the others, some more often."""
    names = ("rivers", "hills", "towns", "lakes")

    def show(url: str) -> Shown | None:
        own = url.removeprefix("http://honest0.test/").partition("/")[0]
        if own not in names:
            return None
        chance = drawn("atlas", url)
        numbers = [int(pages * chance.random() ** popularity) for _ in range(8)]
        sections = [own] * 4 + chance.choices(names, k=4)
        links = [f"/{name}/{word(name, n)}-{word(n)}" for name, n in zip(sections, numbers, strict=True)]
        return Shown(prose(url), tuple(links), word(url))

    return show


@pytest.mark.parametrize(("pages", "popularity"), [(1000, 2), (3000, 3)])
def test_honest_sections_of_a_seeds_site_that_refer_to_one_another_are_no_maze(pages: int, popularity: int) -> None:
    doors: dict[str, tuple[str, ...]] = {SEED: ("/rivers/first", "/hills/first", "/towns/first", "/lakes/first")}
    web = with_trap(HONEST, atlas(pages, popularity), doors)
    without, result = crawl(web, [SEED], BUDGET), guarded(web)
    assert without.count("honest0.test") >= BUDGET - 20
    assert result.fetched == without.fetched
    assert result.findings == {}


def farm(domains: int) -> Callable[[str], Shown | None]:
    """Each page links to eight new ones on domains drawn from all."""

    def show(url: str) -> Shown | None:
        if not url.startswith("http://farm"):
            return None
        chance = drawn("farm", url)
        links = [f"http://farm{chance.randrange(domains)}.test/{word(url, n)}/" for n in range(8)]
        return Shown(prose("farm", url), tuple(links), word(url))

    return show


def fresh_domains(url: str) -> Shown | None:
    """One page on each domain, with links to six more."""
    if not url.startswith("http://farm"):
        return None
    return Shown(prose("farm", url), tuple(f"http://farm-{word(url, n)}.test/" for n in range(6)), word(url))


@pytest.mark.parametrize(
    "trap", [farm(40), farm(300), farm(1000), fresh_domains], ids=["40 domains", "300", "1000", "a domain a page"]
)
def test_a_farm_costs_little_however_many_domains_it_has(trap: Callable[[str], Shown | None]) -> None:
    web = with_trap(HONEST, trap, {SEED: ("http://farm0.test/in/",)})
    assert crawl(web, [SEED], BUDGET).count("//farm") == BUDGET - 1
    result = guarded(web)
    assert 1 <= result.count("//farm") <= 130
    assert result.kinds("//farm").keys() == {"maze"}
    assert result.kinds() == result.kinds("//farm")


def forum(url: str) -> Shown | None:
    """An index of 40 boards, each of which lists 25 threads that no other lists."""
    if not url.startswith("http://forum.test/"):
        return None
    board, _, thread = url.removeprefix("http://forum.test/").partition("/")
    if not board:
        links = [f"/{word('board', number)}/" for number in range(40)]
    elif not thread:
        links = ["/", *(f"/{board}/{word('thread', board, number)}" for number in range(25))]
    else:
        links = ["/", f"/{board}/"]
    return Shown(prose(url), tuple(links), word(url))


def test_an_index_of_boards_that_list_different_threads_is_no_maze() -> None:
    """Breadth first: all boards are fetched, which is more than an allowance, before any thread is."""
    doors: dict[str, tuple[str, ...]] = {f"http://honest{host}.test/text/p1": ("http://forum.test/",)
                                         for host in range(4)}  # fmt: skip
    web = with_trap(HONEST, forum, doors)
    without = crawl(web, [SEED], 1500, breadth_first=True)
    assert without.count("forum.test") >= 41
    result = guarded(web, 1500, breadth_first=True)
    assert result.fetched == without.fetched
    assert result.findings == {}


def renewing(url: str) -> Shown | None:
    """A maze in which one page in four shows variants of itself, each page by a parameter of its own."""
    if not url.startswith("http://maze"):
        return None
    page, _, query = url.partition("?")
    links = [f"/{word(page, n)}/{word(page, n, 1)}/" for n in range(8)]
    if not query and drawn("shows variants", page).randrange(4) == 0:
        links += [f"?{word('parameter', page)[:4]}={value}" for value in range(4)]
    return Shown(prose("maze", page), tuple(links), word(page))


def test_a_maze_that_makes_up_parameters_is_not_let_off_each_time() -> None:
    web = with_trap(HONEST, renewing, {SEED: ("http://maze0.test/in/a/",)})
    assert crawl(web, [SEED], BUDGET).count("//maze") == BUDGET - 1
    result = guarded(web)
    assert result.count("//maze") <= 100
    assert {"maze", "variant"} <= result.kinds("//maze").keys()


class Web:
    """Pages shown to a guard one by one, each with new addresses on it and with a text of its own."""

    def __init__(self, rules: GuardSettings = RULES) -> None:
        self.guard = WebGuard(rules)
        self._met: dict[str, LinkId] = {}
        self._shown = 0

    @property
    def tables(self) -> Tables:
        return self.guard._tables

    def show(self, url: str, *links: str, text: object = None, is_seed: bool = False) -> tuple[str, ...]:
        """The hosts that are to be looked at again."""
        targets = []
        for link in links:
            is_new = link not in self._met
            targets.append(Target(self._number(link), Url.parse(link), is_new))
        self._shown += 1
        shown = Shown(prose("shown", url if text is None else text), ())
        print_, number = fingerprint_of(page_with(url, shown)), self._number(url)
        parent = None if is_seed else LinkId(number - 1)
        page = SeenPage(self._shown, number, Url.parse(url), parent, float(self._shown), print_, 0.0, False, is_seed)
        return self.guard.observe(page, targets).reconsider

    def fan_out(self, start: str, pages: int, links: int = 20) -> None:
        """Show pages that bring so many new addresses each."""
        for page in range(pages):
            self.show(f"{start}{word(start, page)}", *(f"{start}{word(start, page, n)}-x" for n in range(links)))

    def first_met_outside(self, section: str) -> int:
        account = self.tables.find_section(section)
        return 0 if account is None else account.from_outside

    def level(self, url: str) -> int:
        return self.guard.level(Url.parse(url), 0).level

    def _number(self, url: str) -> LinkId:
        return self._met.setdefault(url, LinkId(len(self._met)))


def knit(web: Web, start: str, pages: int = 12) -> None:
    """Show pages that refer to one another: each names six addresses, and most of these are named twice."""
    for page in range(pages):
        web.show(f"{start}{word(start, page)}", *(f"{start}{word(start, 'known', page + n)}" for n in range(6)))


def established_maze(web: Web, start: str) -> None:
    """Show a maze that 16 sites refer to, so that it counts as a place of its own, and which is overdrawn."""
    web.show(f"{start}in")
    for number in range(16):
        web.show(f"http://referrer{number}.test/", f"{start}in")
    web.fan_out(start, 160)


def test_only_pages_of_a_proven_section_of_the_site_say_that_an_address_is_known_outside_its_section() -> None:
    web = Web()
    web.show("http://a.test/texts/seed", "http://a.test/maps/one", is_seed=True)
    assert web.first_met_outside("a.test/maps/") == 1
    web.show("http://a.test/unknown/page", "http://a.test/maps/two")
    assert web.first_met_outside("a.test/maps/") == 1
    knit(web, "http://a.test/known/")
    web.show("http://a.test/known/page", "http://a.test/maps/three", "http://a.test/maps/one")
    assert web.first_met_outside("a.test/maps/") == 2
    web.show("http://a.test/maps/page", "http://a.test/maps/four")
    assert web.first_met_outside("a.test/maps/") == 2
    web.show("http://a.test/known/other", "http://a.test/known/new")  # from within
    assert web.first_met_outside("a.test/known/") == 0


def test_what_sections_beside_those_of_seeds_say_of_one_another_is_not_said_from_outside() -> None:
    """All of them share an account as well, which a maze of many sections could feed otherwise."""
    web = Web()
    seed = Url.parse("http://a.test/texts/seed")
    web.show(seed.text, "http://a.test/maps/one", is_seed=True)
    knit(web, "http://a.test/known/")
    web.show("http://a.test/known/page", "http://a.test/maps/two")
    assert web.first_met_outside("a.test/maps/") == 2
    site = web.tables.groups.find(seed.host)
    assert site is not None
    assert site.beside is not None
    assert site.beside.from_outside == 1
    knit(web, "http://known.test/x/")
    web.show("http://known.test/x/page", "http://a.test/maps/three")
    assert site.beside.from_outside == 2


def test_only_pages_of_a_proven_site_that_is_not_overdrawn_say_that_an_address_is_known_outside_its_site() -> None:
    web = Web()
    web.show("http://a.test/maps/page")
    web.show("http://unknown.test/page", "http://a.test/maps/one")
    assert web.first_met_outside("a.test/maps/") == 0
    knit(web, "http://known.test/x/")
    web.show("http://known.test/x/page", "http://a.test/maps/two")
    assert web.first_met_outside("a.test/maps/") == 1
    established_maze(web, "http://maze.test/x/")
    site = web.tables.groups.find(Url.parse("http://maze.test/").host)
    assert site is not None
    assert web.tables.groups.has_proved_itself(site)
    assert web.tables.groups.level(site) > 0
    web.show("http://maze.test/x/page", "http://a.test/maps/three")
    assert web.first_met_outside("a.test/maps/") == 1


def test_a_section_of_which_the_seeds_section_names_many_addresses_first_is_no_maze() -> None:
    """100 of 1,300 named are 8%, where a section has to have a half of 9% and of 4 points for each doubling."""
    for is_listed in (False, True):
        web = Web()
        listed = [f"http://a.test/maps/{word('listed', number)}" for number in range(100)]
        web.show("http://a.test/texts/seed", *(listed if is_listed else ()), is_seed=True)
        web.fan_out("http://a.test/maps/", 60)
        assert (web.level("http://a.test/maps/new") == 0) == is_listed


def test_when_a_part_of_addresses_is_found_not_to_matter_a_site_and_its_section_begin_anew() -> None:
    web = Web()
    web.show("http://seed.test/", "http://a.test/x?id=in", is_seed=True)
    web.fan_out("http://a.test/x?id=", 60)
    web.show("http://a.test/x?id=end", "http://a.test/x?id=next", "http://behind.test/")  # which joins the group
    addresses = ("http://a.test/x?id=new", "http://behind.test/new")
    assert all(web.level(url) > 0 for url in addresses)
    again = [web.show(f"http://a.test/x?id=one&ref={value}", text="one page") for value in range(4)]
    assert again[:3] == [(), (), ()]
    assert Counter(again[3]) == {"a.test": 1, "behind.test": 1}
    site, section = web.tables.groups.find(Url.parse("http://a.test/").host), web.tables.section("a.test/x")
    assert site is not None
    for account in (site.account, section, web.tables.groups.group(site).account):
        assert (account.fetched, account.spent, account.level) == (0, 0, 0)
    assert not any(web.level(url) for url in addresses)


@pytest.mark.parametrize("is_seed", [True, False])
def test_a_page_with_links_to_more_sites_than_there_is_room_for_is_taken_in(is_seed: bool) -> None:
    web = Web(replace(RULES, memory=64))
    web.show("http://list.test/", *(f"http://site{number}.test/" for number in range(80)), is_seed=is_seed)
    web.show("http://list.test/more", *(f"http://site{number}.test/more" for number in range(80)))
    assert len(web.tables.groups) <= 64 + is_seed
    site = web.tables.groups.find(Url.parse("http://list.test/").host)
    assert site is not None
    assert site.account.fetched == 2


def elsewhere(kind: str) -> Iterable[str]:
    if kind == "sections":
        return (f"http://a.test/{word('section', number)}/page" for number in range(40))
    return (f"http://{word('site', number)}.test/page" for number in range(100))


@pytest.mark.parametrize("kind", ["sections", "sites"])
def test_the_trust_in_a_seed_is_not_forgotten_however_much_comes_by(kind: str) -> None:
    """There is room for 16 sections and 64 sites."""
    web = Web(replace(RULES, memory=64))
    web.show("http://a.test/texts/seed", is_seed=True)
    for url in elsewhere(kind):
        web.show(url)
    web.guard.load(web.guard.save())
    web.fan_out("http://a.test/texts/", 120)
    assert web.level("http://a.test/texts/new") == 0
    web.fan_out("http://b.test/texts/", 120)
    assert web.level("http://b.test/texts/new") > 0
