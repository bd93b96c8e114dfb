"""The connections of a fetcher: kept open for the next request within bounds, and only to those who may be called."""

from __future__ import annotations

import re
import socket
from functools import partial
from typing import TYPE_CHECKING, Any, Final
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


_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")
_STATUS: Final = re.compile(rb"\S+[ \t]+(\d{3})")
_LENGTH: Final = re.compile(rb"^content-length[ \t]*:[ \t]*(\d{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_IS_CHUNKED: Final = re.compile(rb"^transfer-encoding[ \t]*:", re.IGNORECASE | re.MULTILINE)
_WITHOUT_BODY: Final = (204, 304)


class _OneAnswer(ResponseHandler):
    """The library's end of a connection, which is shown one answer to each request, as a browser would see it.

    What a host sends beyond the announced length, or as the body of an answer that has none (204, 304), is dropped, and
    the connection is not used again: the library would lose the whole answer. An answer that is announced too often
    (100, 103) is given up: the library reads on past any number of these, and a host that sends nothing else would keep
    a core busy until the time for its answer is up.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._interim = 0
        self._head: bytes | None = None  # as far as it has come; None outside of it
        self._left: int | None = 0  # bytes of the body that are still to come; None where the body says itself

    def set_response_params(self, **given: Any) -> None:  # noqa: ANN401 - the library's own
        """Expect the answer to a new request."""
        self._head = b""
        super().set_response_params(**given)

    def data_received(self, data: bytes) -> None:
        # Head and body are handed on together, as they came: the library tells of a bad chunk only then.
        wanted = self._wanted(data)
        if wanted or not data:  # without data the library goes on unpacking
            super().data_received(data[:wanted])
        if wanted < len(data):
            self.force_close()
            if not wanted:  # nobody has asked for anything
                self.close()

    def _wanted(self, data: bytes) -> int:
        """Return how many of these bytes belong to the answer."""
        at = 0
        while self._head is not None and at < len(data):
            before, self._head = len(self._head), self._head + data[at:]
            end = _END_OF_HEAD.search(self._head, max(0, before - 3))
            if end is None:
                return len(data)
            at += end.end() - before
            self._enter_body(self._head[: end.end()])
        if self._left is None:
            return len(data)
        body_bytes = min(self._left, len(data) - at)
        self._left -= body_bytes
        return at + body_bytes

    def _enter_body(self, head: bytes) -> None:
        found = _STATUS.match(head)
        status = int(found[1]) if found else 0
        is_interim = 100 <= status < 200 and status != _SWITCHING_PROTOCOLS
        length = _LENGTH.search(head)
        self._head = b"" if is_interim else None
        if is_interim or status in _WITHOUT_BODY:
            self._left = 0
        else:
            self._left = int(length[1]) if length and not _IS_CHUNKED.search(head) else None

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        message, payload = await super().read()
        is_interim = 100 <= message.code < 200 and message.code != _SWITCHING_PROTOCOLS
        self._interim = self._interim + 1 if is_interim else 0
        if self._interim > MAX_INTERIM_RESPONSES:
            raise BadHttpMessage(f"over {MAX_INTERIM_RESPONSES} interim responses and no other")
        return message, payload


def _one_answer(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    return _OneAnswer(loop)


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
        self._factory = partial(_one_answer, self._loop)  # there is no other way to hand it in; see pyproject.toml
        self._kept = kept
        self._access = access
        self._is_proxied = is_proxied
        self._sockets: WeakSet[socket.socket] = WeakSet()

    async def connect(self, req: ClientRequest, traces: list[Trace], timeout: aiohttp.ClientTimeout) -> Connection:  # noqa: ASYNC109 - the library's signature
        """Return a connection from the pool or a new one; where too many are open, it will not be kept.

        A request gets one: the library would, of its own accord and at once, send a request again whose kept connection
        broke, and a host is to be left alone then.
        """
        call = current_call()
        if call.is_connected:
            raise aiohttp.ServerDisconnectedError
        connection = await super().connect(req, traces, timeout)
        transport = connection.transport
        peer = None if transport is None else transport.get_extra_info("peername")
        call.connected("" if self._is_proxied or not peer else peer[0])
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
