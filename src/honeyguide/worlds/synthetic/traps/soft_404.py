"""A host that answers for every address it does not have: 200, an apology, and guesses that lead nowhere either."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.spec import Scenario
from honeyguide.worlds.synthetic.traps.trap import Ground, Truth, listed, url_key

if TYPE_CHECKING:
    from honeyguide.model import Url
    from honeyguide.worlds.synthetic.layout import Host

_GUESSES: Final = 12
_SHOWN: Final = 200  # characters of the address that the apology repeats


class Soft404:
    """None of what the host makes up is worth having; the links of the web that are dead lead here too."""

    hosts: tuple[Host, ...] = ()
    door = None

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._key = ground.key(9)
        self._sections = (*ground.layout.hosts[ground.home].sections, "search", "products", "help")
        self._home_page = ground.home_url

    def page(self, url: Url) -> bytes | None:
        if url.host != self._ground.home_name:
            return None
        key = url_key(url)
        guesses = [self._guess(hash_int(self._key, key, place)) for place in range(_GUESSES)]
        asked = escape(url.path_and_query[:_SHOWN])
        sorry = (
            f"<p>Sorry, there is nothing at {asked} on this site. The page may have been moved, renamed or taken away. "
            "Please check the address for mistakes, or go back to the start page.</p>\n"
            "<p>Perhaps you were looking for one of these pages:</p>"
        )
        return self._ground.at_home("Page not found", [sorry, listed(guesses)])

    def truth(self, url: Url) -> Truth | None:
        if url.host != self._ground.home_name:
            return None
        return Truth(Scenario.SOFT_404, f"{self._home_page}not-found", is_worthless=True)

    def entrance(self, number: int) -> str:
        return self._home_page + self._guess(hash_int(self._key, number))[0][1:]

    def _guess(self, key: int) -> tuple[str, str]:
        """An address as the host has them, or had them."""
        first, second = self._ground.words(key, 2)
        section = self._sections[(key >> 8) % len(self._sections)]
        match key % 4:
            case 0:
                path = f"/{section}/{first}-{second}"
            case 1:
                path = f"/{section}/{first}/{second}.html"
            case 2:
                path = f"/{first}/{second}-{key >> 48}.html"
            case _:
                path = f"/{section}.php?q={first}+{second}"
        return path, f"{first} {second}"
