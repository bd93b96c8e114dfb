"""Webs of a few lines, and a crawl through them that does what a guard says.

A web is a function from an address to its page: a text and the addresses it links to; None where there is nothing.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

from honeyguide.errors import InvalidUrl
from honeyguide.guard import MAX_LEVEL, Finding, Fingerprint, Judgement, SeenPage, Target, fingerprint_of
from honeyguide.model import Link, LinkId, Occurrence, Page, Url
from honeyguide.text import words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from honeyguide.guard import Guard

LETTERS = "abcdefghiklmnoprstuvwy"


class Shown(NamedTuple):
    """A page as a tiny web shows it."""

    text: str
    links: tuple[str, ...]
    title: str = "A page"


def drawn(*key: object) -> random.Random:
    """Chance that belongs to a key: the same in every process."""
    return random.Random(repr(key))


def vocabulary(size: int = 3000) -> list[str]:
    chance = drawn("vocabulary")
    return ["".join(chance.choices(LETTERS, k=chance.randint(3, 9))) for _ in range(size)]


VOCABULARY = vocabulary()


@lru_cache(maxsize=20_000)
def prose(*key: object, words: int = 120) -> str:
    """A text that belongs to a key and is like no other."""
    return " ".join(drawn("prose", *key).choices(VOCABULARY, k=words))


def page_with(url: str, shown: Shown) -> Page:
    target = Url.parse(url)
    words = tuple(words_of(shown.text))
    links = []
    for link in dict.fromkeys(shown.links):
        with suppress(InvalidUrl):  # one that has become too long
            links.append(Link(Url.parse(link, target), target, (Occurrence("", 0, 0, in_main=True),)))
    return Page(target, "text/html", "utf-8", shown.title, shown.text, words, ((0, len(words)),), tuple(links))


@lru_cache(maxsize=20_000)
def _read(url: str, shown: Shown) -> tuple[Fingerprint, tuple[Url, ...]]:
    page = page_with(url, shown)
    return fingerprint_of(page), tuple(link.target for link in page.links)


@dataclass
class Crawl:
    """What a crawl fetched, and what its guard made of it."""

    fetched: list[str] = field(default_factory=list)
    findings: dict[str, Finding] = field(default_factory=dict)
    levels: list[int] = field(default_factory=list)  # of each fetched page's link, when it was taken
    judgements: list[Judgement] = field(default_factory=list)
    seen: list[tuple[SeenPage, list[Target]]] = field(default_factory=list)

    def count(self, part: str) -> int:
        """Pages fetched whose addresses have this in them."""
        return sum(part in url for url in self.fetched)

    def hosts(self) -> Counter[str]:
        return Counter(Url.parse(url).host for url in self.fetched)

    def kinds(self, part: str = "") -> Counter[str]:
        return Counter(str(finding.kind) for url, finding in self.findings.items() if part in url)


def crawl(
    web: Callable[[str], Shown | None],
    seeds: Iterable[str],
    budget: int,
    guard: Guard | None = None,
    *,
    breadth_first: bool = False,
) -> Crawl:
    """Lower levels first, one page a second. Within a level the newest link first, so as deep into a trap as can be, or
    breadth first.
    """
    crawler = _Crawler(web, guard, breadth_first=breadth_first)
    crawler.begin([Url.parse(seed) for seed in seeds])
    while len(crawler.result.fetched) < budget and (taken := crawler.take()) is not None:
        crawler.visit(*taken)
    return crawler.result


class _Crawler:
    """Links with numbers, levels and what they carry."""

    def __init__(self, web: Callable[[str], Shown | None], guard: Guard | None, *, breadth_first: bool) -> None:
        self.result = Crawl()
        self._is_breadth_first = breadth_first
        self._web = web
        self._guard = guard
        self._urls: list[Url] = []
        self._numbers: dict[str, LinkId] = {}
        self._parents: list[LinkId | None] = []
        self._carried: dict[LinkId, int] = {}
        self._waiting: dict[LinkId, int] = {}  # levels
        self._by_host: dict[str, list[LinkId]] = defaultdict(list)
        self._queue: list[tuple[int, int, LinkId]] = []

    def begin(self, seeds: list[Url]) -> None:
        for link in [self._meet(seed, None) for seed in seeds]:
            self._carried[link] = 0
            self._wait(link, 0)

    def take(self) -> tuple[LinkId, int] | None:
        """The next link and its level, with those put deeper that stand deeper by now."""
        while self._queue:
            level, _, link = heappop(self._queue)
            if self._waiting.get(link) != level:
                continue
            if self._level(link) > level:
                self._wait(link, self._level(link))
                continue
            del self._waiting[link]
            return link, level
        return None

    def visit(self, link: LinkId, level: int) -> None:
        url = self._urls[link]
        shown = self._web(url.text)
        if shown is None:
            return
        fingerprint, links = _read(url.text, shown)
        targets = []
        for target in links:
            is_new = target.text not in self._numbers
            targets.append(Target(self._meet(target, link), target, is_new))
        moment = float(len(self.result.fetched) + 1)
        page = SeenPage(link, url, self._parents[link], moment, fingerprint, is_relevant=False)
        judgement = Judgement() if self._guard is None else self._guard.observe(page, targets)
        self.result.fetched.append(url.text)
        self.result.levels.append(level)
        self.result.seen.append((page, targets))
        self.result.judgements.append(judgement)
        self._admit(targets, judgement.demotion)
        self._heed(link, judgement)

    def _admit(self, targets: list[Target], demotion: int) -> None:
        for target in targets:
            self._carried[target.link] = min(self._carried.get(target.link, MAX_LEVEL), demotion)
            if target.is_new:
                self._wait(target.link, self._level(target.link))
            else:
                self._promote(target.link)

    def _heed(self, link: LinkId, judgement: Judgement) -> None:
        found = [] if judgement.finding is None else [(link, judgement.finding)]
        for flagged, finding in (*found, *((late.link, late.finding) for late in judgement.earlier)):
            self.result.findings.setdefault(self._urls[flagged].text, finding)
        for host in judgement.raised:
            for waiting in self._by_host[host]:
                self._promote(waiting)

    def _promote(self, link: LinkId) -> None:
        if link in self._waiting and self._level(link) < self._waiting[link]:
            self._wait(link, self._level(link))

    def _meet(self, url: Url, parent: LinkId | None) -> LinkId:
        known = self._numbers.get(url.text)
        if known is not None:
            return known
        link = self._numbers[url.text] = LinkId(len(self._urls))
        self._urls.append(url)
        self._parents.append(parent)
        self._by_host[url.host].append(link)
        return link

    def _wait(self, link: LinkId, level: int) -> None:
        self._waiting[link] = level
        heappush(self._queue, (level, 0 if self._is_breadth_first else -link, link))

    def _level(self, link: LinkId) -> int:
        return 0 if self._guard is None else self._guard.level(self._urls[link], self._carried[link]).level


def honest_web(hosts: int = 12, pages: int = 60, links: int = 8) -> Callable[[str], Shown | None]:
    """Hosts whose pages link to one another and to those of other hosts, popular ones more often."""

    def show(url: str) -> Shown | None:
        host, _, path = url.removeprefix("http://").partition("/")
        if not host.startswith("honest") or not (path == "" or path.startswith("text/p")):
            return None
        own = int(host.removeprefix("honest").partition(".")[0])
        number = int(path.removeprefix("text/p") or 0)
        chance = drawn("links", own, number)
        at_home = [f"/text/p{int(pages * chance.random() ** 2)}" for _ in range(links)]
        abroad = [
            f"http://honest{chance.randrange(hosts)}.test/text/p{int(pages * chance.random() ** 2)}"
            for _ in range(links // 2)
        ]
        following = [f"/text/p{(number + 1) % pages}"]
        return Shown(prose(own, path), ("/", *at_home, *abroad, *following), f"About {own} {path}")

    return show


def with_trap(
    honest: Callable[[str], Shown | None], trap: Callable[[str], Shown | None], doors: dict[str, tuple[str, ...]]
) -> Callable[[str], Shown | None]:
    """An honest web with a trap in it; `doors` are links added to some of its pages."""

    def show(url: str) -> Shown | None:
        shown = honest(url) or trap(url)
        if shown is None or url not in doors:
            return shown
        return shown._replace(links=shown.links + doors[url])

    return show
