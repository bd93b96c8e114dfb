"""A page that links to itself under ever new GET strings, some of which grow and grow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.traps.ground import Ground, in_paragraphs, listed, token, url_key
from honeyguide.worlds.synthetic.traps.scenarios import Scenario
from honeyguide.worlds.synthetic.traps.trap import Door
from honeyguide.worlds.synthetic.traps.truth import Truth

if TYPE_CHECKING:
    from honeyguide.domain import Url
    from honeyguide.worlds.synthetic.layout import Host

_FRESH: Final = 12  # links with a new GET string
_LONGEST: Final = 1200  # characters up to which a string grows
_PATHS: Final = ("/offer/", "/welcome.php", "/specials", "/today/")
_NAMES: Final = ("t", "ref", "v", "from", "r")


class SelfLink:
    """One static page on an honest host. It is what it is whatever stands after the question mark."""

    hosts: tuple[Host, ...] = ()

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._key = ground.key(1)
        self._path = ground.variant(_PATHS)
        self._name = ground.variant(_NAMES)
        self._title = ground.title(self._key)
        self._text = in_paragraphs(ground.paragraphs(self._key, 3))
        self.door = Door(self._path, "Offers")

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
