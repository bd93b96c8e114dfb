"""A network written down in a test: what hosts answer, where they are, and a log of who was asked when."""

from __future__ import annotations

import asyncio
import socket
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp.abc import AbstractResolver, ResolveResult

from honeyguide.model import Answer, Failed, FailureReason, Fetched, Url

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.fetch import KnownAddresses
    from honeyguide.model import Outcome
    from honeyguide.model.clock import Clock

NOT_FOUND = Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404)
BUSY = Failed(FailureReason.HTTP_STATUS, "503 Service Unavailable", 503)


@dataclass(frozen=True)
class Reply:
    """What a host answers to one request."""

    outcome: Outcome
    takes_s: float = 0.0
    retry_after_s: float = 0.0


@dataclass
class Request:
    """One request as the host saw it; `ended_at` is also set where the client gave up."""

    url: Url
    address: str
    began_at: float
    ended_at: float = float("inf")
    reply: Reply | None = None  # None where the client gave up

    @property
    def is_for_robots(self) -> bool:
        return self.url.path == "/robots.txt"


class ScriptedResolver(AbstractResolver):
    """Finds hosts where the script says, at any time of day."""

    def __init__(self, find: Callable[[str], Sequence[str]]) -> None:
        self._find = find

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        await asyncio.sleep(0.001)
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0)
            for address in self._find(host)
        ]

    async def close(self) -> None:
        """Nothing is held."""


@dataclass
class ScriptedNetwork:
    """Sends requests nowhere. Replies to a URL come in order, the last one for ever; an unknown URL is not found."""

    clock: Clock
    replies: dict[str, list[Reply]]
    addresses: KnownAddresses | None = None
    log: list[Request] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        address = ""
        if self.addresses is not None:  # as a connection does
            found = await self.addresses.resolve(str(url.host).partition(":")[0], 80)
            address = found[len(self.log) % len(found)]["host"]
        request = Request(url, address, self.clock.now())
        self.log.append(request)
        replies = self.replies.get(url.text, [Reply(NOT_FOUND)])
        reply = replies[min(self.asked[url.text], len(replies) - 1)]
        self.asked[url.text] += 1
        try:
            await asyncio.sleep(reply.takes_s)
            request.reply = reply
        finally:
            request.ended_at = self.clock.now()
        return Answer(reply.outcome, reply.takes_s, address=address, retry_after_s=reply.retry_after_s)

    async def close(self) -> None:
        """Nothing is held."""


def page(html: str) -> Fetched:
    return Fetched(200, "text/html", html.encode())


def robots(text: str) -> Fetched:
    return Fetched(200, "text/plain", text.encode())
