"""A domain that makes up text and addresses for everyone who asks, out of what it always says and some chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.hashing import hash_int
from honeyguide.worlds.synthetic.traps.ground import Ground, in_paragraphs, listed, on_own_host, token, url_key
from honeyguide.worlds.synthetic.traps.scenarios import Scenario
from honeyguide.worlds.synthetic.traps.truth import Truth

if TYPE_CHECKING:
    from honeyguide.domain import Url

_STOCK: Final = 60  # paragraphs that pages are put together from
_DRAWN: Final = 4  # of them on each page
_LINKS: Final = 20


class Dynamic:
    """Every address of the domain shows a page; none is worth having."""

    door = None

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._key = ground.key(3)
        self._host = ground.host(0)
        self.hosts = (self._host,)
        self._always = in_paragraphs(ground.paragraphs(self._key, 1))

    def page(self, url: Url) -> bytes | None:
        if url.host != self._host.name:
            return None
        key = url_key(url)
        drawn = [self._stock(hash_int(key, place) % _STOCK) for place in range(_DRAWN)]
        figures = " ".join(str(hash_int(key, 50 + place) % 100_000) for place in range(6))
        state = f"<p>Updated {key % 24:02d}:{(key >> 8) % 60:02d}, {key % 9000} readers. Figures: {figures}.</p>"
        links = [(self._address(hash_int(key, 100 + place)), f"Item {place + 1}") for place in range(_LINKS)]
        entries = [("/", "Start"), (self._address(hash_int(key, 99)), "Another")]
        parts = [*self._always, *in_paragraphs(drawn), state, listed(links)]
        return on_own_host(self._host.name, entries, self._ground.title(key), parts)

    def truth(self, url: Url) -> Truth | None:
        return Truth(Scenario.DYNAMIC, url.text, is_worthless=True) if url.host == self._host.name else None

    def entrance(self, number: int) -> str:
        return f"http://{self._host.name}{self._address(hash_int(self._key, number))}"

    def _stock(self, number: int) -> str:
        return self._ground.paragraphs(hash_int(self._key, number), 1)[0]

    def _address(self, key: int) -> str:
        first, second = self._ground.words(key, 2)
        match key % 3:
            case 0:
                return f"/{first}/{token(key)}"
            case 1:
                return f"/view?id={token(key)}&s={key >> 56}"
            case _:
                return f"/{2000 + (key >> 8) % 27}/{first}-{second}-{token(key)[:8]}.html"
