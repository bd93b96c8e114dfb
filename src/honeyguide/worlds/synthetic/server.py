"""The synthetic web over real HTTP: the same bytes as in process, each host on a loopback address of its own.

Give a client `PinnedResolver(server.addresses)` and it reaches these hosts, by their own names, and nothing else.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self, assert_never

from aiohttp import web

from honeyguide.errors import InvalidUrl, WorldError
from honeyguide.model import Failed, FailureReason, Fetched, Redirected, Refused, Unchanged, Unknown, Url
from honeyguide.model.clock import Clock, RealClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from honeyguide.worlds.synthetic.world import SyntheticWorld

logger = logging.getLogger(__name__)

_PORT_ATTEMPTS: Final = 20
_BACKLOG: Final = 128
ONE_ADDRESS: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """One request as it came in."""

    time_s: float  # when it came, by the server's clock
    host: str  # as the Host header had it
    path: str  # with the query


@dataclass(frozen=True, slots=True)
class Pace:
    """How simulated time becomes real waiting, so that a demo can be slow and a test fast."""

    factor: float = 0.0  # real seconds for each simulated second of latency
    longest_s: float = 2.0  # an answer waits no longer than this
    hang_s: float = 0.0  # a page that hangs is dropped after so many seconds; above a client's limit, it times out


class SyntheticServer:
    """Serves a synthetic web on loopback while its context is open.

    Every host has its own address in 127.0.0.0/8, or all have one where the system lacks that network; all have the
    same free port. A request whose Host header does not
    belong to the address it came in on gets a 404. Use `async with` in a running loop, or `in_thread` from plain code.
    """

    def __init__(self, world: SyntheticWorld, pace: Pace | None = None, clock: Clock | None = None) -> None:
        self._world = world
        self._pace = pace or Pace()
        self._clock = clock or RealClock()
        self._runner: web.ServerRunner | None = None
        self._addresses: dict[str, tuple[str, int]] = {}
        self.requests: list[RequestRecord] = []

    @classmethod
    @contextmanager
    def in_thread(
        cls, world: SyntheticWorld, pace: Pace | None = None, clock: Clock | None = None
    ) -> Iterator[SyntheticServer]:
        """Run a server in a thread and loop of its own until the context ends."""
        server = cls(world, pace, clock)
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="synthetic-server", daemon=True)
        thread.start()
        try:
            asyncio.run_coroutine_threadsafe(server.open(), loop).result()
            yield server
        finally:
            asyncio.run_coroutine_threadsafe(server.close(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    @property
    def addresses(self) -> Mapping[str, tuple[str, int]]:
        """Address and port by host name; empty while the server is closed."""
        return self._addresses

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def open(self) -> None:
        """Start listening on every address."""
        if self._runner is not None:
            raise RuntimeError("this server is open already")
        names = self._world.host_names
        places = [_loopback_address(number) for number in range(len(names))]
        if not has_address(places[-1]):  # as on macOS: one address for all, told apart by the Host header
            places = [ONE_ADDRESS] * len(names)
        sockets = _listen_on(list(dict.fromkeys(places)))
        port = sockets[0].getsockname()[1]
        self._runner = web.ServerRunner(web.Server(self._handle, access_log=None), shutdown_timeout=0.1)
        await self._runner.setup()
        for listener in sockets:
            await web.SockSite(self._runner, listener).start()
        self._addresses = {name: (place, port) for name, place in zip(names, places, strict=True)}
        logger.info("serving %d hosts on loopback, port %d", len(names), port)

    async def close(self) -> None:
        """Stop listening; may be called twice."""
        runner, self._runner = self._runner, None
        self._addresses = {}
        if runner is not None:
            await runner.cleanup()

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        host = request.host
        self.requests.append(RequestRecord(self._clock.now(), host, request.path_qs))
        url = self._asked_for(request, host)
        if url is None:
            return web.Response(status=404, text="404 Not Found\n")
        answer = self._world.serve(url)
        if self._pace.factor:
            await asyncio.sleep(min(answer.elapsed_s * self._pace.factor, self._pace.longest_s))
        match answer.outcome:
            case Fetched(status, content_type, body):
                return web.Response(status=status, body=body, headers={"Content-Type": content_type})
            case Redirected(status, target):
                return web.Response(status=status, headers={"Location": target.text})
            case Failed():
                return await self._fail(request, answer.outcome)
            case Refused() | Unchanged() | Unknown():
                raise AssertionError(
                    "a host refuses nobody, robots.txt being for the client to keep, and knows its pages"
                )
            case _:
                assert_never(answer.outcome)

    def _asked_for(self, request: web.BaseRequest, host: str) -> Url | None:
        """Return the URL of a request, when its host lives at the address the request came in on."""
        address = request.transport.get_extra_info("sockname")[0] if request.transport else ""
        if self._addresses.get(host, ("", 0))[0] != address:
            return None
        try:
            return Url.parse(f"http://{host}{request.raw_path}")
        except InvalidUrl:
            return None

    async def _fail(self, request: web.BaseRequest, failed: Failed) -> web.StreamResponse:
        """Send the status, or no answer at all: at once, or after hanging for a while."""
        if failed.status is not None:
            return web.Response(status=failed.status, text=f"{failed.detail}\n")
        if failed.reason is FailureReason.TIMEOUT:
            await asyncio.sleep(self._pace.hang_s)
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=500)  # goes nowhere: the connection is gone


def _loopback_address(number: int) -> str:
    """127.16.0.1 and up: away from 127.0.0.1, where other servers of the machine listen."""
    high, low = divmod(number, 250)
    return f"127.{16 + high // 250}.{high % 250}.{low + 1}"


def has_address(address: str) -> bool:
    """Return whether this machine can listen at an address."""
    try:
        socket.create_server((address, 0)).close()
    except OSError as error:
        return error.errno != errno.EADDRNOTAVAIL
    return True


def _listen_on(addresses: Sequence[str]) -> list[socket.socket]:
    """Listening sockets on all the addresses and one port, which the system picks for the first of them."""
    for _ in range(_PORT_ATTEMPTS):
        sockets: list[socket.socket] = []
        try:
            for address in addresses:
                port = sockets[0].getsockname()[1] if sockets else 0
                sockets.append(socket.create_server((address, port), backlog=_BACKLOG))
        except OSError as error:
            for listener in sockets:
                listener.close()
            if error.errno != errno.EADDRINUSE:
                raise WorldError(
                    f"cannot listen on loopback address {address}: {error.strerror}; use fewer hosts"
                ) from None
        else:
            return sockets
    raise WorldError(f"no port is free on all {len(addresses)} loopback addresses; use fewer hosts")
