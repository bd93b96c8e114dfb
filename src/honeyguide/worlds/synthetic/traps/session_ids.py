"""A site that gives every visitor a session and puts its id into every address; without cookies, always a new one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from honeyguide.worlds.synthetic.traps.copied_site import PAGES, CopiedSite
from honeyguide.worlds.synthetic.traps.ground import Ground, listed, on_own_host, token, url_key
from honeyguide.worlds.synthetic.traps.scenarios import Scenario
from honeyguide.worlds.synthetic.traps.truth import Truth

if TYPE_CHECKING:
    from honeyguide.domain import Url

_STYLES: Final = ("?sid={}", ";jsessionid={}", "?PHPSESSID={}", "?session={}&lang=en", "?lang=en&s={}")


class SessionIds:
    """A whole site that can be reached only under session ids. Each page is worth having once, under any of them."""

    door = None

    def __init__(self, ground: Ground) -> None:
        self._key = ground.key(7)
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
