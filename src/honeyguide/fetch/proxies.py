"""Proxies that take turns. One that fails rests, longer each time; a crawl without any ends, and can be resumed."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.errors import ProxyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model.clock import Clock

log = logging.getLogger(__name__)

TRIES: Final = 3
"""Times in a row that every proxy must have failed until the crawl ends."""
LONGEST_REST_S: Final = 600.0


@dataclass(slots=True)
class Proxy:
    """One proxy, and how it is."""

    url: str
    failures: int = 0  # in a row
    ready_at: float = 0.0
    trouble: str = ""  # the last


class Proxies:
    """Gives the proxies in turn, those that rest left out. For one event loop."""

    def __init__(self, urls: Sequence[str], clock: Clock, rest_s: float) -> None:
        self._proxies = [Proxy(url) for url in urls]
        self._clock = clock
        self._rest_s = rest_s
        self._turn = 0
        self._is_said = False  # that all are down

    async def take(self) -> Proxy:
        """Return the proxy whose turn it is; while all rest, wait for the first. ProxyError where none answers."""
        while True:
            now = self._clock.now()
            for _ in self._proxies:
                proxy = self._proxies[self._turn % len(self._proxies)]
                self._turn += 1
                if proxy.ready_at <= now:
                    return proxy
            troubles = "; ".join(f"{proxy.url}: {proxy.trouble}" for proxy in self._proxies)
            if all(proxy.failures >= TRIES for proxy in self._proxies):
                raise ProxyError(
                    f"no proxy answers ({troubles}): start one, or name another with --proxy (fetch.proxies), and "
                    "resume the run"
                )
            if not self._is_said:
                self._is_said = True
                log.warning("no proxy answers (%s); the crawl waits for one", troubles)
            await asyncio.sleep(max(0.0, min(proxy.ready_at for proxy in self._proxies) - now))

    def note_failure(self, proxy: Proxy, trouble: str) -> None:
        """Let a proxy rest. Requests that were under way through it then count as the same failure."""
        now = self._clock.now()
        if proxy.ready_at > now:
            return
        proxy.failures += 1
        proxy.trouble = trouble
        rest_s = min(self._rest_s * 2 ** (proxy.failures - 1), LONGEST_REST_S)
        proxy.ready_at = now + rest_s
        log.info("the proxy %s rests for %g s: %s", proxy.url, rest_s, trouble)

    def note_answer(self, proxy: Proxy) -> None:
        """Take a proxy for well again."""
        if proxy.failures:
            log.info("the proxy %s answers again", proxy.url)
        proxy.failures, proxy.ready_at, self._is_said = 0, 0.0, False
