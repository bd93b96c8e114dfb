"""A small honest site that its addresses make large: mirrored on five hosts, or under ever new session ids."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.trap import Truth, WebParts, url_key
from honeyguide_lab.traps.trap import CommentedTrap, Ground, Scenario, in_paragraphs, listed, on_own_host, token

if TYPE_CHECKING:
    from honeyguide.model import Url

PAGES: Final = 400
"""Pages of the site, the front page included, which is number 0."""

_LINKS: Final = 20
_CHILDREN: Final = 3
_PATH: Final = re.compile(r"/[a-z]+/([a-z]+-)+(0|[1-9][0-9]{0,3})")


class CopiedSite:
    """Pages that hang from the front page in a tree and link across it; each text is its page's own."""

    def __init__(self, ground: Ground, key: int) -> None:
        self._ground = ground
        self._key = key
        self._sections = ground.words(key, 6)

    def path(self, page: int) -> str:
        """`/` for the front page, else without a slash at its end."""
        if page == 0:
            return "/"
        words = self._ground.words(hash_int(self._key, page), 2)
        return f"/{self._sections[page % len(self._sections)]}/{'-'.join(words)}-{page}"

    def find(self, path: str) -> int | None:
        """The page with this path."""
        if path == "/":
            return 0
        match = _PATH.fullmatch(path)
        page = int(match[2]) if match else PAGES
        return page if page < PAGES and self.path(page) == path else None

    def title(self, page: int) -> str:
        return self._ground.title(hash_int(self._key, page))

    def text(self, page: int) -> list[str]:
        key = hash_int(self._key, page)
        return in_paragraphs(self._ground.paragraphs(key, 2 + key % 5))

    def targets(self, page: int) -> list[int]:
        """The pages that a page links to."""
        children = range(page * _CHILDREN + 1, min(PAGES, (page + 1) * _CHILDREN + 1))
        others = [hash_int(self._key, page, place) % PAGES for place in range(_LINKS)]
        return list(dict.fromkeys([*children, *others]))


_OTHERS: Final = 3  # hosts with the same content under names of their own
_ENDINGS: Final = ("", "/", "/index.html")
_ABROAD: Final = 10  # of a hundred links that lead to another of the hosts
_UNUSUAL: Final = 25  # of a hundred links that have another ending than their host's habit


class MirroredSite(CommentedTrap):
    """With and without `www.`, with a slash or an index page at the end; each page is worth having once."""

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 8)
        ground = self._ground
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


_STYLES: Final = ("?sid={}", ";jsessionid={}", "?PHPSESSID={}", "?session={}&lang=en", "?lang=en&s={}")


class SessionIds(CommentedTrap):
    """A whole site that can be reached only under session ids. Each page is worth having once, under any of them."""

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 7)
        ground = self._ground
        self._host = ground.host(0)
        self.hosts = (self._host,)
        self._site = CopiedSite(ground, self._key)
        self._style = ground.variant(_STYLES)
        self._address = re.compile(r"([^?;]*)" + re.escape(self._style).replace(r"\{\}", "[0-9a-f]{16}"))

    def page(self, url: Url) -> bytes | None:
        page = self._find(url)
        if page is None:
            return None
        session = token(self._key, url_key(url))
        links = [(self._under(other, session), self._site.title(other)) for other in self._site.targets(page)]
        entries = [(self._under(other, session), f"Part {other}") for other in range(1, 5)]
        title, text = self._site.title(page), self._site.text(page)
        return on_own_host(
            self._host.name, [(self._under(0, session), "Start"), *entries], title, [*text, listed(links)]
        )

    def truth(self, url: Url) -> Truth | None:
        page = self._find(url)
        if page is None:
            return None
        return Truth(Scenario.SESSION_IDS, f"http://{self._host.name}{self._site.path(page)}")

    def entrance(self, number: int) -> str:
        """Someone else's session; the first comment has the bare front page, which starts one."""
        if number == 0:
            return f"http://{self._host.name}/"
        return f"http://{self._host.name}{self._under(number * 37 % PAGES, token(self._key, number, 1))}"

    def _under(self, page: int, session: str) -> str:
        return self._site.path(page) + self._style.format(session)

    def _find(self, url: Url) -> int | None:
        if url.host != self._host.name:
            return None
        if url.path_and_query == "/":
            return 0
        match = self._address.fullmatch(url.path_and_query)
        return self._site.find(match[1]) if match else None
