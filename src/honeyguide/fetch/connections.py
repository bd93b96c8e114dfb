"""The connections of a fetcher: kept open for the next request within bounds, and only to those who may be called."""

from __future__ import annotations

import socket
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.http_exceptions import BadHttpMessage

from honeyguide.fetch.addresses import PrivateAccess, objection_to
from honeyguide.fetch.body import current_call

if TYPE_CHECKING:
    import asyncio

    from aiohttp import StreamReader
    from aiohttp.abc import AbstractResolver
    from aiohttp.client_reqrep import ClientRequest
    from aiohttp.connector import AddrInfoType, Connection
    from aiohttp.http import RawResponseMessage
    from aiohttp.tracing import Trace

MAX_INTERIM_RESPONSES: Final = 20
NAMES_KEPT_S: Final = 300
NAMES_KEPT: Final = 10_000
_SWITCHING_PROTOCOLS: Final = 101  # the last that comes


class _FewInterimResponses(ResponseHandler):
    """The library's end of a connection, which gives up an answer that is announced too often (100, 103).

    The library itself reads on past any number of these: a host that sends nothing else would keep a core busy until
    the time for its answer is up.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._interim = 0

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        message, payload = await super().read()
        is_interim = 100 <= message.code < 200 and message.code != _SWITCHING_PROTOCOLS
        self._interim = self._interim + 1 if is_interim else 0
        if self._interim > MAX_INTERIM_RESPONSES:
            raise BadHttpMessage(f"over {MAX_INTERIM_RESPONSES} interim responses and no other")
        return message, payload


def _few_interim_responses(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    return _FewInterimResponses(loop)


class Connections(aiohttp.TCPConnector):
    """Connects as the library does, looking at every address at the last moment before it is called.

    That is after every look-up and for every way an address can come about: a name, a number in a URL, a second answer
    of a name server that differs from its first. A host with several addresses is called at one that is allowed.
    """

    def __init__(
        self, resolver: AbstractResolver | None, *, kept: int, access: PrivateAccess, is_proxied: bool
    ) -> None:
        """With `is_proxied` every connection goes to the proxy, whose address the user has named."""
        super().__init__(
            limit=0,
            resolver=resolver,
            use_dns_cache=resolver is None,  # a resolver that was handed in has a memory of its own, or needs none
            ttl_dns_cache=NAMES_KEPT_S,
            dns_cache_max_size=NAMES_KEPT,
            socket_factory=self._socket,
        )
        self._factory = partial(_few_interim_responses, self._loop)  # there is no other way to hand it in
        self._kept = kept
        self._access = access
        self._is_proxied = is_proxied
        self._sockets: WeakSet[socket.socket] = WeakSet()

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout) -> Connection:  # noqa: ASYNC109 - the library's signature
        """Return a connection from the pool or a new one; where too many are open, it will not be kept."""
        connection = await super().connect(req, traces, timeout)
        transport = connection.transport
        peer = None if transport is None else transport.get_extra_info("peername")
        current_call().connected("" if self._is_proxied or not peer else peer[0])
        if self._is_crowded and connection.protocol is not None:
            connection.protocol.force_close()
        return connection

    @property
    def open_sockets(self) -> int:
        """Connections that are open, in use or kept."""
        return sum(each.fileno() != -1 for each in self._sockets)

    @property
    def _is_crowded(self) -> bool:
        return len(self._sockets) > self._kept and self.open_sockets > self._kept

    def _socket(self, called: AddrInfoType) -> socket.socket:
        """Return a socket for an address that is about to be connected to. OSError if it may not be."""
        family, kind, protocol, _, (address, *_) = called
        call = current_call()
        objection = "" if self._is_proxied else objection_to(str(address))
        if objection and not self._access.includes(str(address), call.host):
            call.objection = f"{address} is {objection}"
            raise PermissionError(call.objection)
        call.is_dialled = True
        call.address = "" if self._is_proxied else str(address)
        opened = socket.socket(family, kind, protocol)
        self._sockets.add(opened)
        return opened
