"""Whose turn it is to be asked: one request at a time for each host and each address, with a pause after every one.

Every single request takes a turn here just before it is sent, whoever wants it: the crawl, a robots.txt, a robots.txt
that another host redirected to. Turns are given in the order in which they were wanted, so that nobody starves. A
request has its host before it waits for its addresses, and queues at all of these at once: no two can wait for each
other.

The gate in front of the network: nothing is sent before the host's turn has come, and its address's.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from honeyguide.model import Failed
from honeyguide.settings.fetch_sections import LONGEST_REST_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from honeyguide.fetch.addresses import KnownAddresses
    from honeyguide.fetch.http import Fetcher
    from honeyguide.model import Answer, Url
    from honeyguide.model.clock import Clock
    from honeyguide.settings import FetchSettings, PolitenessSettings

Server: TypeAlias = tuple[Literal["host", "address"], str]
"""Whoever has one turn at a time: a host by its name, or an IP address."""

NEVER: Final = float("-inf")
FEW: Final = 1024  # rests that are not worth looking through


@dataclass(slots=True)
class _Rest:
    """When the last request to a server ended, and until when it rests whatever its robots.txt asks for."""

    ended_at: float
    until: float


@dataclass(slots=True, eq=False)
class _Place:
    """A request in the queues of its servers."""

    servers: tuple[Server, ...]
    has_moved: asyncio.Event = field(default_factory=asyncio.Event)


class Turn:
    """A request under way; what it comes to decides how long its servers rest."""

    def __init__(self, began_at: float) -> None:
        self.began_at = began_at
        self.answer: Answer | None = None  # None while there is none, and where it was given up
        self.is_idle = False  # nothing was sent after all


class Turns:
    """Hands out turns. Belongs to one event loop; time is the clock's, and passes as the loop sleeps.

    A server's pause begins when the answer is in, or the request given up. `PolitenessSettings.pause_s` says how long
    it is; a host rests longer where its robots.txt or a Retry-After asks for it, or where it is in trouble: then for
    the least of the backoff that `fetch` sets, whatever was asked for, and for as long as `let_rest` says.
    """

    def __init__(self, clock: Clock, politeness: PolitenessSettings, fetch: FetchSettings) -> None:
        self._clock = clock
        self._politeness = politeness
        self._fetch = fetch
        self._queues: dict[Server, deque[_Place]] = {}  # whoever is first has the turn, or will; none is empty
        self._rests: dict[Server, _Rest] = {}
        self._troubles: dict[Server, int] = {}  # in a row, of hosts whose last answer was one
        self._pauses: dict[str, dict[str, float]] = {}  # by host and scheme, the seconds asked for in robots.txt
        self._all_asked_at = NEVER
        self._many = FEW

    def presume_all_asked(self, moment: float) -> None:
        """Whatever is known of a host, it may have been asked up to `moment`: by a process that was killed, say."""
        self._all_asked_at = moment

    def let_rest(self, server: Server, until: float) -> None:
        """A server is not to be asked before `until`: known from an earlier process, or decided by the crawl."""
        known = self._rests.setdefault(server, _Rest(NEVER, until))
        known.until = max(known.until, until)

    def set_pause(self, origin: Url, asked_s: float) -> None:
        """From now on, and counted from its last answer, a host wants this pause between two requests.

        Its http and its https origin may differ in that; then the longer one counts.
        """
        pauses = self._pauses.setdefault(origin.host, {})
        pauses[origin.scheme] = asked_s
        if not any(pauses.values()):
            del self._pauses[origin.host]

    @asynccontextmanager
    async def turn(self, host: str, addresses: Iterable[str]) -> AsyncIterator[Turn]:
        """Wait until a host, and the addresses it may be found at, can be asked; then they are held to the end."""
        # The host first: while it rests, however long, nobody has to wait at its addresses.
        at_addresses: tuple[Server, ...] = tuple(("address", address) for address in addresses)
        async with self._held((("host", host),)) as by_name, self._held(at_addresses) as by_address:
            turn = Turn(self._clock.now())
            try:
                yield turn
            finally:
                if not turn.is_idle:
                    self._begin_rest(by_name + by_address, turn)

    @asynccontextmanager
    async def _held(self, servers: tuple[Server, ...]) -> AsyncIterator[tuple[Server, ...]]:
        """Wait until all of these are free and rested; then nobody else has them."""
        place = _Place(servers)
        await self._wait(place)
        try:
            yield servers
        finally:
            self._leave(place)

    async def _wait(self, place: _Place) -> None:
        for server in place.servers:
            self._queues.setdefault(server, deque()).append(place)
        try:
            while not all(self._queues[server][0] is place for server in place.servers):
                place.has_moved.clear()
                await place.has_moved.wait()
            # Looked at again after sleeping: the pause may have become longer, and a timer may be a little early.
            while (wait_s := self._ready_at(place.servers) - self._clock.now()) > 0:  # noqa: ASYNC110 - no event comes
                await asyncio.sleep(wait_s)
        except BaseException:
            self._leave(place)
            raise

    def _leave(self, place: _Place) -> None:
        for server in place.servers:
            queue = self._queues[server]
            queue.remove(place)
            if queue:
                queue[0].has_moved.set()
            else:
                del self._queues[server]

    def _ready_at(self, servers: tuple[Server, ...]) -> float:
        return max(map(self._ready_at_of, servers), default=NEVER)

    def _ready_at_of(self, server: Server) -> float:
        kind, name = server
        rest = self._rests.get(server, _Rest(NEVER, NEVER))
        ended_at = max(rest.ended_at, self._all_asked_at)
        asked_s = max(self._pauses.get(name, {}).values(), default=0.0) if kind == "host" else 0.0
        pause_s = self._politeness.pause_s(asked_s=asked_s)
        return max(rest.until, ended_at + pause_s)

    def _begin_rest(self, servers: tuple[Server, ...], turn: Turn) -> None:
        now, answer = self._clock.now(), turn.answer
        response_s = now - turn.began_at if answer is None else answer.elapsed_s
        until = now + self._politeness.pause_s(response_s)
        for server in servers:
            before = self._rests.get(server, _Rest(NEVER, NEVER))
            self._rests[server] = _Rest(now, max(until, before.until))
        if answer is not None:
            self.let_rest(servers[0], now + self._rest_in_trouble_s(servers[0], answer))
        if len(self._rests) > self._many:
            self._forget_the_rested(now)

    def _rest_in_trouble_s(self, host: Server, answer: Answer) -> float:
        """How long a host is left alone because it is in trouble; 0 where it is not."""
        if not (isinstance(answer.outcome, Failed) and answer.outcome.is_temporary):
            self._troubles.pop(host, None)
            return 0.0
        if answer.is_of_a_stale_connection:
            return 0.0
        troubles = self._troubles[host] = self._troubles.get(host, 0) + 1
        return max(min(answer.retry_after_s, LONGEST_REST_S), self._fetch.longest_backoff_s(troubles) / 2)

    def _forget_the_rested(self, now: float) -> None:
        """Servers that may be asked at once, whatever their robots.txt says, need not be remembered."""
        longest_s = max(self._politeness.delay_s, self._politeness.max_delay_s)
        self._rests = {
            server: rest for server, rest in self._rests.items() if max(rest.until, rest.ended_at + longest_s) > now
        }
        self._many = max(FEW, 2 * len(self._rests))


class GatedFetcher:
    """Asks `inner`, which sends one request for each fetch, when and only when the turn of its host has come.

    Without `addresses` only hosts have turns: behind a proxy, or where the addresses are our own.
    """

    def __init__(self, inner: Fetcher, turns: Turns, addresses: KnownAddresses | None = None) -> None:
        self._inner = inner
        self._turns = turns
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
            async with self._turns.turn(url.host, sorted(addresses)) as turn:
                if not await self._addresses_of(url) <= addresses:  # the host has moved while we waited
                    turn.is_idle = True
                    continue
                answer = turn.answer = await self._inner.fetch(url, first_bytes=first_bytes)
                if self._addresses is not None:
                    self._addresses.note(url, answer.address)
                return answer

    async def close(self) -> None:
        """Close `inner`, and who knows the addresses; may be called twice."""
        await self._inner.close()
        if self._addresses is not None:
            await self._addresses.close()

    async def _addresses_of(self, url: Url) -> frozenset[str]:
        return frozenset() if self._addresses is None else await self._addresses.of(url)
