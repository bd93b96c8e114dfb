"""The gate in front of the network: one request at a time for each host and each address, each when its turn has come.

Every single request waits here just before it is sent, whoever wants it: the crawl, a robots.txt, a robots.txt that
another host redirected to, a script of a page that is rendered. Turns are given in the order in which they were
wanted. A request has its host before it waits for its addresses, and queues at all of these at once, so no two can
wait for each other.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from honeyguide.fetch.schedule import NEVER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from honeyguide.fetch.addresses import KnownAddresses
    from honeyguide.fetch.http import Fetcher
    from honeyguide.fetch.schedule import HostSchedule
    from honeyguide.model import Answer, Url
    from honeyguide.model.clock import Clock

Server: TypeAlias = tuple[Literal["host", "address"], str]


@dataclass(slots=True, eq=False)
class _Place:
    """A request in the queues of its servers."""

    servers: tuple[Server, ...]
    has_moved: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class GateTurn:
    """A request under way."""

    began_at: float
    answer: Answer | None = None  # None while there is none, and where the request was given up
    is_idle: bool = False  # nothing was sent after all


class Gate:
    """Hands out turns when the schedule says that a host and its addresses are ready, and reports what came of them.

    Belongs to one event loop; every door to the same web must share one gate.
    """

    def __init__(self, schedule: HostSchedule, clock: Clock) -> None:
        schedule.is_gated = True
        self.schedule = schedule
        self.clock = clock
        self._queues: dict[Server, deque[_Place]] = {}  # whoever is first has the turn, or will; none is empty

    @asynccontextmanager
    async def turn(self, host: str, addresses: Sequence[str]) -> AsyncIterator[GateTurn]:
        """Wait until a host, and the addresses it may be found at, can be asked; then they are held to the end."""
        # The host first: while it rests, however long, nobody has to wait at its addresses.
        async with self._held(("host", host)), self._held(*(("address", address) for address in addresses)):
            turn = GateTurn(self.clock.now())
            try:
                yield turn
            finally:
                now = self.clock.now()
                if turn.answer is not None:
                    self.schedule.note_answer(host, addresses, turn.answer, now)
                elif not turn.is_idle:
                    self.schedule.note_request(host, addresses, now, now - turn.began_at)

    @asynccontextmanager
    async def _held(self, *servers: Server) -> AsyncIterator[None]:
        """Wait until all of these are free and rested; then nobody else has them."""
        place = _Place(servers)
        for server in servers:
            self._queues.setdefault(server, deque()).append(place)
        try:
            while not all(self._queues[server][0] is place for server in servers):
                place.has_moved.clear()
                await place.has_moved.wait()
            # Looked at again after sleeping: the rest may have become longer, and a timer may be a little early.
            while (wait_s := self._ready_at(servers) - self.clock.now()) > 0:  # noqa: ASYNC110 - no event comes
                await asyncio.sleep(wait_s)
            yield
        finally:
            self._leave(place)

    def _ready_at(self, servers: tuple[Server, ...]) -> float:
        schedule = self.schedule
        moments = (
            schedule.host_ready_at(name) if kind == "host" else schedule.address_ready_at(name)
            for kind, name in servers
        )
        return max(moments, default=NEVER)

    def _leave(self, place: _Place) -> None:
        for server in place.servers:
            queue = self._queues[server]
            queue.remove(place)
            if queue:
                queue[0].has_moved.set()
            else:
                del self._queues[server]


class GatedFetcher:
    """Asks `inner`, which sends one request for each fetch, when and only when the turn of its host has come.

    Without `addresses` only hosts have turns: behind a proxy, or where the addresses are our own.
    """

    def __init__(self, inner: Fetcher, gate: Gate, addresses: KnownAddresses | None = None) -> None:
        self._inner = inner
        self._gate = gate
        self._addresses = addresses

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        """Wait for the turn of `url`'s host, then ask for it; once more where a kept connection turned out broken.

        Most hosts that hang up on such a connection have not read the request, but one may have: so it takes another
        turn.
        """
        answer = await self._fetch_in_turn(url, first_bytes)
        return await self._fetch_in_turn(url, first_bytes) if answer.is_of_a_stale_connection else answer

    async def _fetch_in_turn(self, url: Url, first_bytes: int | None) -> Answer:
        while True:
            addresses = await self._addresses_of(url)
            async with self._gate.turn(url.host, sorted(addresses)) as turn:
                if not await self._addresses_of(url) <= addresses:  # the host has moved while we waited
                    turn.is_idle = True
                    continue
                answer = turn.answer = await self._inner.fetch(url, first_bytes=first_bytes)
                if self._addresses is not None:
                    self._addresses.note(url, answer.address)
                return answer

    async def close(self) -> None:
        """Close `inner` and the resolver of addresses; may be called twice."""
        await self._inner.close()
        if self._addresses is not None:
            await self._addresses.close()

    async def _addresses_of(self, url: Url) -> frozenset[str]:
        return frozenset() if self._addresses is None else await self._addresses.of(url)
