"""Modified depth-first (Lim 2016, section 5.1): depth-first that turns away from a host it has stayed on for too long.

Of a page whose host was fetched in each of the last `patience` steps before it, no link is followed. Everything else is
depth-first. On a world of one host it starves after the first pages; the summary of a crawl says so.

Lim's listing (section 6.2.2) does something else than his text: it compares each host with a last host that it never
sets, so that the rule cannot apply; were it set, it would leave out one page in four and push visited links. The text
is followed here. A step is a fetch that ended in a page, a failure or a refusal; a redirect and where it leads are one.
"""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING

from honeyguide.domain import HostKey
from honeyguide.errors import StrategyError
from honeyguide.learn.depth_first import DepthFirst

if TYPE_CHECKING:
    from honeyguide.domain import Transition, Url
    from honeyguide.settings import ModifiedDepthFirstSettings


class ModifiedDepthFirst(DepthFirst):
    """The stack, with a page's links left out where its host had all the last steps."""

    def __init__(self, settings: ModifiedDepthFirstSettings) -> None:
        self._last_hosts: deque[HostKey] = deque(maxlen=settings.patience)

    def expands(self, url: Url) -> bool:
        has_history = len(self._last_hosts) == self._last_hosts.maxlen
        return not has_history or any(host != url.host for host in self._last_hosts)

    def learn(self, transition: Transition) -> bool:
        self._last_hosts.append(transition.url.host)
        return False

    def save(self) -> bytes:
        return json.dumps(list(self._last_hosts)).encode()

    def load(self, state: bytes) -> None:
        try:
            hosts = json.loads(state)
        except ValueError as error:
            raise StrategyError(f"not a saved state of modified-depth-first: {error}") from error
        if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
            raise StrategyError(f"not a saved state of modified-depth-first: {state[:80]!r}")
        self._last_hosts = deque(map(HostKey, hosts), maxlen=self._last_hosts.maxlen)
