"""Crawls of tiny webs: each kind of trap is found quickly and waits, and honest sites wait behind nobody."""

from __future__ import annotations

from calendar import month_name
from collections import Counter
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.guard import FindingKind, WebGuard
from honeyguide.settings import GuardSettings
from tiny_webs import Crawl, Shown, crawl, drawn, honest_web, prose, with_trap

if TYPE_CHECKING:
    from collections.abc import Callable

HONEST = honest_web(hosts=20, pages=80)
SEED = "http://honest0.test/"
DOOR = SEED
BUDGET = 600


def guarded(
    web: Callable[[str], Shown | None], budget: int = BUDGET, *, breadth_first: bool = False, **rules: Any
) -> Crawl:
    guard = WebGuard(replace(GuardSettings(), **rules))
    return crawl(web, [SEED], budget, guard, breadth_first=breadth_first)


def word(*key: object) -> str:
    return "".join(drawn("word", *key).choices("abcdefghij", k=6))


def self_link(url: str) -> Shown | None:
    if not url.startswith("http://honest1.test/offer"):
        return None
    fresh = [f"/offer?t={word(url, number)}" for number in range(5)]
    return Shown(prose("offer"), (*fresh, f"{url}&p{len(url)}=1" if "?" in url else "/offer?p=1"))


def ring(url: str) -> Shown | None:
    if not url.startswith("http://honest1.test/tour/stop-"):
        return None
    stop = int(url.partition("stop-")[2].partition("?")[0])
    return Shown(
        prose("stop", stop), tuple(f"/tour/stop-{(stop + step) % 10}?via={word(url, step)}" for step in (1, 3))
    )


def calendar(url: str) -> Shown | None:
    if not url.startswith("http://honest1.test/calendar/"):
        return None
    year, month = map(int, url.split("/")[4:6])
    around = [(year, month % 12 + 1), (year, (month - 2) % 12 + 1), (year + 1, month), (year - 1, month)]
    months = list(month_name)
    text = f"{prose('calendar', words=30)} there are no events in {months[month]} {year}"
    return Shown(text, tuple(f"/calendar/{year}/{month}/" for year, month in around), f"{months[month]} {year}")


def pager(url: str) -> Shown | None:
    if not url.startswith("http://honest1.test/latest?page="):
        return None
    number = int(url.partition("page=")[2])
    return Shown(f"{prose('pager', words=30)} page {number}", tuple(f"/latest?page={number + s}" for s in (1, 2, 10)))


def facets(url: str) -> Shown | None:
    if not url.startswith("http://honest1.test/shop?"):
        return None
    chosen = dict(item.split("=") for item in url.partition("?")[2].split("&"))
    goods = sorted(drawn("goods", sorted(chosen.items())).sample(range(40), 12))
    names = [name for name in ("size", "colour", "brand", "rating", "price", "age") if name not in chosen]
    more = [f"{url}&{name}={value}" for name in names for value in "123"]
    items = tuple(f"/goods/item-{word(number)}" for number in goods)
    return Shown(" ".join(prose("good", number, words=8) for number in goods), (*items, *more), "Shop")


def goods(url: str) -> Shown | None:
    return Shown(prose(url), ("/",)) if url.startswith("http://honest1.test/goods/item-") else None


def repeating(url: str) -> Shown | None:
    if not url.startswith("http://honest1.test/help/"):
        return None
    page = url.rstrip("/").rpartition("/")[2]
    others = [f"help/{name}/" for name in ("faq", "terms", "jobs", "press")]
    return Shown(prose("help", page), tuple(others), f"Help {page}")


def soft_404(url: str) -> Shown | None:
    if not url.startswith("http://honest1.test/"):
        return None
    asked = url.partition(".test/")[2]
    guesses = [f"/{word(url, 1)}/{word(url, 2)}", f"/{word(url, 3)}.php?q={word(url, 4)}", f"/x/{word(url, 5)}/y.html"]
    sorry = f"sorry there is nothing at {asked} {prose('sorry', words=30)} perhaps {' '.join(guesses)}"
    return Shown(sorry, tuple(guesses), "Not found")


def sessions(url: str) -> Shown | None:
    if not url.startswith("http://shop.test/"):
        return None
    page = int(url.partition("/p")[2].partition("?")[0] or 0)
    visit = f"{drawn('visit', url).getrandbits(48):012x}"
    others = [drawn("page", page, number).randrange(40) for number in range(6)]
    return Shown(prose("shop", page), tuple(f"/{'ab'[other % 2]}/p{other}?sid={visit}" for other in others), f"{page}")


def mirrors(url: str) -> Shown | None:
    host, _, path = url.removeprefix("http://").partition("/")
    if host not in ("copied.test", "www.copied.test", "copy.test"):
        return None
    page = int(path.removeprefix("a/p").rstrip("/") or 0)
    chance = drawn("copied", url)
    hosts = ["copied.test", "www.copied.test", "copy.test"]
    links = [f"http://{chance.choice(hosts)}/a/p{drawn('t', page, n).randrange(40)}" for n in range(6)]
    return Shown(prose("copied", page), tuple(links), f"Copied {page}")


def maze(url: str) -> Shown | None:
    if not url.startswith("http://maze"):
        return None
    return Shown(prose("maze", url), tuple(f"/{word(url, n)}/{word(url, n, 1)}/" for n in range(8)), word(url))


def farm(url: str) -> Shown | None:
    if not url.startswith("http://maze"):
        return None
    chance = drawn("farm", url)
    links = [f"http://maze{chance.randrange(30)}.test/{word(url, n)}/" for n in range(8)]
    return Shown(prose("farm", url), tuple(links), word(url))


TRAPS: dict[str, tuple[Callable[[str], Shown | None], str, int, set[FindingKind]]] = {
    # trap, its entrance, pages of it that may be fetched, and what they are found to be
    "self-link": (self_link, "http://honest1.test/offer?t=start", 12, {FindingKind.VARIANT, FindingKind.DUPLICATE}),
    "ring": (ring, "http://honest1.test/tour/stop-0?via=start", 30, {FindingKind.VARIANT}),
    "calendar": (
        calendar,
        "http://honest1.test/calendar/2026/11/",
        40,
        {FindingKind.NEAR_DUPLICATE, FindingKind.CALENDAR},
    ),
    "pager": (pager, "http://honest1.test/latest?page=1", 30, {FindingKind.NEAR_DUPLICATE, FindingKind.PAGINATION}),
    "facets": (facets, "http://honest1.test/shop?size=1", 60, {FindingKind.FACETS}),
    "repeating": (repeating, "http://honest1.test/help/faq/", 25, {FindingKind.REPEATING_PATH, FindingKind.DUPLICATE}),
    "soft-404": (soft_404, "http://honest1.test/gone/away", 60, {FindingKind.SOFT_404, FindingKind.NEAR_DUPLICATE}),
    "sessions": (
        sessions,
        "http://shop.test/a/p0?sid=0123456789ab",
        70,
        {FindingKind.SESSION_ID, FindingKind.DUPLICATE},
    ),
    "mirrors": (mirrors, "http://copied.test/a/p0", 75, {FindingKind.MIRROR, FindingKind.DUPLICATE}),
    "maze": (maze, "http://maze0.test/in/", 45, {FindingKind.MAZE}),
    "farm": (farm, "http://maze0.test/in/", 80, {FindingKind.MAZE}),
}
PART = {"sessions": "shop.test", "mirrors": "cop", "maze": "maze", "farm": "maze", "soft-404": "honest1.test/"}
PATHS = {"self-link": "/offer", "ring": "/tour/", "calendar": "/calendar/", "pager": "/latest", "facets": "/shop?",
         "repeating": "/help/"}  # fmt: skip


def trapped(name: str) -> Callable[[str], Shown | None]:
    trap, entrance, _, _ = TRAPS[name]
    both = (lambda url: trap(url) or goods(url)) if name == "facets" else trap
    return with_trap(HONEST, both, {DOOR: (entrance,)})


def is_of_trap(name: str, url: str) -> bool:
    if name == "soft-404":
        return url.startswith("http://honest1.test/") and HONEST(url) is None
    return (PATHS.get(name) or PART[name]) in url


SAMPLED = [name if name in ("calendar", "farm") else pytest.param(name, marks=pytest.mark.thorough) for name in TRAPS]
SHALLOW = ("facets",)  # deep down it ends; its size is in its breadth


@cache
def crawled(name: str) -> Crawl:
    """A guarded crawl of the honest web with a trap, almost to the end."""
    return guarded(trapped(name), 1500, breadth_first=name in SHALLOW)


@pytest.mark.parametrize("name", SAMPLED)
def test_a_trap_costs_little(name: str) -> None:
    _, _, most, _ = TRAPS[name]
    is_shallow = name in SHALLOW
    unguarded = crawl(trapped(name), [SEED], 1500, breadth_first=is_shallow)
    without = sum(is_of_trap(name, url) for url in unguarded.fetched)
    result = crawled(name)
    with_guard = sum(is_of_trap(name, url) for url in result.fetched)
    assert with_guard <= most
    assert with_guard <= without / 2


@pytest.mark.parametrize("name", SAMPLED)
def test_a_trap_is_called_what_it_is_and_honest_pages_are_not(name: str) -> None:
    result = crawled(name)
    assert result.findings
    kinds = {finding.kind for finding in result.findings.values()}
    assert kinds & TRAPS[name][3] == kinds
    assert all(is_of_trap(name, url) for url in result.findings)
    assert all(finding.numbers for finding in result.findings.values())


@pytest.mark.parametrize("name", SAMPLED)
def test_honest_pages_are_found_as_if_there_were_no_trap(name: str) -> None:
    result = guarded(trapped(name), budget=BUDGET)
    honest = [url for url in result.fetched if not is_of_trap(name, url) and "/goods/" not in url]
    assert len(honest) >= BUDGET - TRAPS[name][2] - 40  # 40: the goods of the shop, which are worth having
    assert not [url for url in honest if url in result.findings]


@pytest.mark.parametrize("name", ["ring", "sessions", "mirrors"])
def test_each_page_of_a_site_with_many_addresses_is_still_fetched(name: str) -> None:
    """10 stops, 40 pages, 40 pages: what is folded is not lost."""
    result = crawled(name)
    texts = Counter(
        shown.text for url in result.fetched if is_of_trap(name, url) and (shown := TRAPS[name][0](url)) is not None
    )
    reachable = {"ring": 10, "sessions": 40, "mirrors": 40}[name]
    assert len(texts) >= 0.9 * reachable


def test_nothing_is_thrown_away() -> None:
    """When nothing better waits, what was demoted is fetched."""
    web = with_trap(lambda url: HONEST(url) if url in (SEED, DOOR) else None, maze, {DOOR: ("http://maze0.test/in/",)})
    result = guarded(web, budget=200)
    assert len(result.fetched) == 200
    assert max(result.levels) >= 3


@pytest.mark.parametrize("breadth_first", [True, False])
def test_an_honest_web_is_crawled_as_without_a_guard(breadth_first: bool) -> None:
    without = crawl(HONEST, [SEED], BUDGET, breadth_first=breadth_first)
    with_guard = crawl(HONEST, [SEED], BUDGET, WebGuard(GuardSettings()), breadth_first=breadth_first)
    assert with_guard.fetched == without.fetched
    assert with_guard.findings == {}


def encyclopaedia(url: str, articles: int = 4000) -> Shown | None:
    """Articles in one frame that link to one another, popular ones more often."""
    if not url.startswith("http://wiki.test/wiki/"):
        return None
    article = int(url.rpartition("-")[2])
    chance = drawn("article", article)
    others = [int(articles * chance.random() ** 2) for _ in range(12)]
    frame = prose("frame", words=30)
    return Shown(f"{frame} {prose('article', article)}", tuple(f"/wiki/{word(n)}-{n}" for n in others), word(article))


def test_a_large_site_that_others_refer_to_is_crawled_as_without_a_guard() -> None:
    doors: dict[str, tuple[str, ...]] = {
        f"http://honest{host}.test/text/p{page}": (f"http://wiki.test/wiki/{word(host * page)}-{host * page}",)
        for host in range(20)
        for page in range(12)
    }
    web = with_trap(HONEST, encyclopaedia, doors)
    without = crawl(web, [SEED], 1500, breadth_first=True)
    with_guard = guarded(web, budget=1500, breadth_first=True)
    assert without.count("wiki.test") >= 200  # ten budgets
    assert with_guard.count("wiki.test") >= 0.99 * without.count("wiki.test")
    assert with_guard.findings == {}


@pytest.mark.thorough
@pytest.mark.parametrize("breadth_first", [True, False])
def test_a_site_of_a_thousand_pages_that_nobody_refers_to_shows_by_its_own_links_that_it_is_none(
    breadth_first: bool,
) -> None:
    web = with_trap(HONEST, partial(encyclopaedia, articles=1000), {DOOR: (f"http://wiki.test/wiki/{word(7)}-7",)})
    without = crawl(web, [SEED], 2000, breadth_first=breadth_first)
    with_guard = guarded(web, budget=2000, breadth_first=breadth_first)
    assert without.count("wiki.test") >= 100
    assert with_guard.count("wiki.test") >= 0.99 * without.count("wiki.test")
    assert with_guard.kinds("wiki.test") == Counter()


def message(url: str) -> Shown | None:
    """An archive of messages: each leads to the next and brings nothing else, but says something."""
    if not url.startswith("http://honest1.test/list/msg/"):
        return None
    number = int(url.rpartition("/")[2])
    return Shown(prose("message", number), (f"/list/msg/{number + 1}", f"/list/msg/{number + 2}"), f"Re {word(number)}")


def test_an_archive_of_numbered_messages_is_no_pager() -> None:
    web = with_trap(HONEST, message, {DOOR: ("http://honest1.test/list/msg/1",)})
    result = guarded(web, 1750, breadth_first=True)  # the honest web has 1,620 pages
    assert result.count("/list/") >= 100
    assert result.kinds("/list/") == Counter()


def test_the_form_of_the_document_demotes_the_links_of_what_was_seen_and_does_nothing_else() -> None:
    assert guarded(trapped("self-link"), rules=()).kinds().keys() == {"duplicate"}
    assert guarded(trapped("self-link"), rules=()).count("/offer") <= 12
    assert guarded(trapped("maze"), rules=()).findings == {}
