"""A ring of static pages that link round and round, under addresses that carry the way one came."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.traps.ground import Ground, in_paragraphs, listed, token, url_key
from honeyguide.worlds.synthetic.traps.scenarios import Scenario
from honeyguide.worlds.synthetic.traps.trap import Door
from honeyguide.worlds.synthetic.traps.truth import Truth

if TYPE_CHECKING:
    from honeyguide.domain import Url
    from honeyguide.worlds.synthetic.layout import Host

STOPS: Final = 30
"""Pages in the ring."""

_OUTLOOK: Final = 10  # stops shown on each beside the next and the last one
_PARTS: Final = ("tour", "webring", "walk", "gallery")
_NAMES: Final = ("trail", "came", "via", "hist")


class Ring:
    """Each stop is worth a visit, once."""

    hosts: tuple[Host, ...] = ()

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._key = ground.key(2)
        self._part = ground.variant(_PARTS)
        self._name = ground.variant(_NAMES, 2)
        self._address = re.compile(rf"/{self._part}/stop-(0|[1-9][0-9]?)(?:\?.*)?", re.DOTALL)
        self.door = Door(f"/{self._part}/stop-0", self._part.title())

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
