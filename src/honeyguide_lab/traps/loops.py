"""Pages that lead back to themselves: under new GET strings, round a ring, or by relative links that grow the path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.trap import Truth, WebParts, url_key
from honeyguide_lab.traps.trap import CommentedTrap, Scenario, in_paragraphs, listed, token

if TYPE_CHECKING:
    from honeyguide.model import Url

_FRESH: Final = 12  # links with a new GET string
_LONGEST: Final = 1200  # characters up to which a string grows
_PATHS: Final = ("/offer/", "/welcome.php", "/specials", "/today/")
_NAMES: Final = ("t", "ref", "v", "from", "r")


class SelfLink(CommentedTrap):
    """One static page on an honest host. It is what it is whatever stands after the question mark."""

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 1)
        ground = self._ground
        self._path = ground.variant(_PATHS)
        self._name = ground.variant(_NAMES)
        self._title = ground.title(self._key)
        self._text = in_paragraphs(ground.paragraphs(self._key, 3))
        ground.show_door(self._path, "Offers")

    def page(self, url: Url) -> bytes | None:
        if not self._is_here(url):
            return None
        key = url_key(url)
        query = url.path_and_query.partition("?")[2]
        fresh = [f"{self._path}?{self._name}={token(self._key, key, number)}" for number in range(_FRESH)]
        grown = f"{query}&p{key % 1000}={key >> 52}" if query and len(query) < _LONGEST else f"p={key >> 52}"
        links = [(target, f"Offer {number}") for number, target in enumerate([*fresh, f"{self._path}?{grown}"], 1)]
        return self._ground.at_home(self._title, [*self._text, listed(links)])

    def truth(self, url: Url) -> Truth | None:
        return Truth(Scenario.SELF_LINK, self._ground.home_url + self._path[1:]) if self._is_here(url) else None

    def entrance(self, number: int) -> str:
        return f"{self._ground.home_url}{self._path[1:]}?{self._name}={token(self._key, number)}"

    def _is_here(self, url: Url) -> bool:
        return url.host == self._ground.home_name and url.path == self._path


STOPS: Final = 30
"""Pages in the ring."""

_OUTLOOK: Final = 10  # stops shown on each beside the next and the last one
_PARTS: Final = ("tour", "webring", "walk", "gallery")
_RING_NAMES: Final = ("trail", "came", "via", "hist")


class Ring(CommentedTrap):
    """Static pages that link round and round, their addresses carrying the way one came; each is worth one visit."""

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 2)
        ground = self._ground
        self._part = ground.variant(_PARTS)
        self._name = ground.variant(_RING_NAMES, 2)
        self._address = re.compile(rf"/{self._part}/stop-(0|[1-9][0-9]?)(?:\?.*)?", re.DOTALL)
        ground.show_door(f"/{self._part}/stop-0", self._part.title())

    def page(self, url: Url) -> bytes | None:
        stop = self._stop(url)
        if stop is None:
            return None
        trail = token(self._key, url_key(url))
        ahead = [(stop + step) % STOPS for step in (1, -1, *range(2, 2 + _OUTLOOK))]
        links = [(f"/{self._part}/stop-{other}?{self._name}={trail}", f"Stop {other + 1}") for other in ahead]
        key = hash_int(self._key, stop)
        text = in_paragraphs(self._ground.paragraphs(key, 4))
        return self._ground.at_home(self._ground.title(key), [*text, listed(links)])

    def truth(self, url: Url) -> Truth | None:
        stop = self._stop(url)
        return None if stop is None else Truth(Scenario.RING, f"{self._ground.home_url}{self._part}/stop-{stop}")

    def entrance(self, number: int) -> str:
        stop = number % STOPS
        return f"{self._ground.home_url}{self._part}/stop-{stop}?{self._name}={token(self._key, number)}"

    def _stop(self, url: Url) -> int | None:
        match = self._address.fullmatch(url.path_and_query) if url.host == self._ground.home_name else None
        return int(match[1]) if match and int(match[1]) < STOPS else None


_LINKS: Final = 14
_LONGEST_PATH: Final = 1500  # characters of a path from which links lead on
_PAGES: Final = ("faq", "terms", "contact", "orders", "delivery", "returns", "privacy", "account", "payment", "imprint",
                 "jobs", "press", "sizes", "vouchers")  # fmt: skip
_FOLDERS: Final = (("help",), ("support", "en"), ("service", "info"), ("docs",))


class RepeatingSegments(CommentedTrap):
    """Help pages whose relative links were meant to start at the root. Each is worth having once, under whatever path.

    The server looks at the end of a path only, so that `/help/faq/help/terms/help/faq/` is `/help/faq/` again.
    """

    def __init__(self, parts: WebParts) -> None:
        super().__init__(parts, 11)
        ground = self._ground
        self._folder = ground.variant(_FOLDERS)
        self._start = f"/{'/'.join(self._folder)}/"
        ground.show_door(self._start, "Help")

    def page(self, url: Url) -> bytes | None:
        name = self._find(url)
        if name is None:
            return None
        relative = "/".join(self._folder)
        if name == "":
            links = [(f"{self._start}{other}/", other.title()) for other in _PAGES]
            return self._ground.at_home("Help", [listed(links)])
        key = hash_int(self._key, _PAGES.index(name))
        others = [_PAGES[hash_int(key, place) % len(_PAGES)] for place in range(_LINKS)]
        is_long = len(url.path) > _LONGEST_PATH
        links = [(f"{relative}/{other}/", other.title()) for other in dict.fromkeys(others) if not is_long]
        text = in_paragraphs(self._ground.paragraphs(key, 3, self._ground.layout.no_topic))
        return self._ground.at_home(f"Help: {name}", [*text, listed(links)])

    def truth(self, url: Url) -> Truth | None:
        name = self._find(url)
        if name is None:
            return None
        page = f"{self._ground.home_url}{self._start[1:]}{f'{name}/' if name else ''}"
        return Truth(Scenario.REPEATING_SEGMENTS, page)

    def entrance(self, number: int) -> str:
        return f"{self._ground.home_url}{self._start[1:]}{_PAGES[number % len(_PAGES)]}/"

    def _find(self, url: Url) -> str | None:
        """The page at the end of a path that is nothing but the folder and pages by turns; "" for the list of them."""
        path = url.path_and_query
        if url.host != self._ground.home_name or not path.startswith(self._start) or not path.endswith("/"):
            return None
        if path == self._start:
            return ""
        segments, length = path.split("/")[1:-1], len(self._folder) + 1
        turns = [tuple(segments[start : start + length]) for start in range(0, len(segments), length)]
        is_own = all(turn[:-1] == self._folder and turn[-1] in _PAGES for turn in turns)
        return turns[-1][-1] if is_own else None
