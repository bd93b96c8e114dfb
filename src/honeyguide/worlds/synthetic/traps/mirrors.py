"""One site on five hosts, each page under three addresses on each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.traps.copied_site import PAGES, CopiedSite
from honeyguide.worlds.synthetic.traps.ground import Ground, listed, on_own_host, url_key
from honeyguide.worlds.synthetic.traps.scenarios import Scenario
from honeyguide.worlds.synthetic.traps.truth import Truth

if TYPE_CHECKING:
    from honeyguide.domain import Url

_OTHERS: Final = 3  # hosts with the same content under names of their own
_ENDINGS: Final = ("", "/", "/index.html")
_ABROAD: Final = 10  # of a hundred links that lead to another of the hosts
_UNUSUAL: Final = 25  # of a hundred links that have another ending than their host's habit


class Mirrors:
    """With and without `www.`, with a slash or an index page at the end; each page is worth having once."""

    door = None

    def __init__(self, ground: Ground) -> None:
        self._key = ground.key(8)
        self._site = CopiedSite(ground, self._key)
        first = ground.host(0)
        self.hosts = (first, replace(first, name=f"www.{first.name}"), *map(ground.host, range(1, 1 + _OTHERS)))
        self._numbers = {host.name: number for number, host in enumerate(self.hosts)}

    def page(self, url: Url) -> bytes | None:
        page = self._find(url)
        if page is None:
            return None
        own, key = self._numbers[url.host], url_key(url)
        links = [
            (self._link(hash_int(key, place), other, own), self._site.title(other))
            for place, other in enumerate(self._site.targets(page))
        ]
        return on_own_host(
            self.hosts[0].name, [("/", "Start")], self._site.title(page), [*self._site.text(page), listed(links)]
        )

    def truth(self, url: Url) -> Truth | None:
        page = self._find(url)
        return None if page is None else Truth(Scenario.MIRRORS, f"http://{self.hosts[0].name}{self._site.path(page)}")

    def entrance(self, number: int) -> str:
        draw = hash_int(self._key, number)
        page = draw % PAGES if number else 0
        return f"http://{self.hosts[number % len(self.hosts)].name}{self._path(page, (draw >> 16) % len(_ENDINGS))}"

    def _path(self, page: int, ending: int) -> str:
        if page == 0:
            return "/index.html" if ending == 2 else "/"
        return self._site.path(page) + _ENDINGS[ending]

    def _link(self, key: int, page: int, own: int) -> str:
        is_abroad, is_unusual = key % 100 < _ABROAD, (key >> 8) % 100 < _UNUSUAL
        host = (key >> 16) % len(self.hosts) if is_abroad else own
        path = self._path(page, (key >> 24) % len(_ENDINGS) if is_unusual else host % len(_ENDINGS))
        return f"http://{self.hosts[host].name}{path}" if is_abroad else path

    def _find(self, url: Url) -> int | None:
        if url.host not in self._numbers:
            return None
        path = url.path_and_query
        if path in ("/", "/index.html"):
            return 0
        page = self._site.find(path.removesuffix("index.html").removesuffix("/"))
        return None if page is None or path not in {self._path(page, ending) for ending in range(3)} else page
