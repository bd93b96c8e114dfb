"""Help pages with relative links that were meant to start at the root: each click makes the address longer.

The server looks at the end of a path only, so that `/help/faq/help/terms/help/faq/` is `/help/faq/` again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.traps.ground import Ground, in_paragraphs, listed
from honeyguide.worlds.synthetic.traps.scenarios import Scenario
from honeyguide.worlds.synthetic.traps.trap import Door
from honeyguide.worlds.synthetic.traps.truth import Truth

if TYPE_CHECKING:
    from honeyguide.domain import Url
    from honeyguide.worlds.synthetic.layout import Host

_LINKS: Final = 14
_LONGEST: Final = 1500  # characters of a path from which links lead on
_PAGES: Final = ("faq", "terms", "contact", "orders", "delivery", "returns", "privacy", "account", "payment", "imprint",
                 "jobs", "press", "sizes", "vouchers")  # fmt: skip
_FOLDERS: Final = (("help",), ("support", "en"), ("service", "info"), ("docs",))


class RepeatingSegments:
    """Each page is worth having once, under whatever path."""

    hosts: tuple[Host, ...] = ()

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._key = ground.key(11)
        self._folder = ground.variant(_FOLDERS)
        self._start = f"/{'/'.join(self._folder)}/"
        self.door = Door(self._start, "Help")

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
        is_long = len(url.path) > _LONGEST
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
