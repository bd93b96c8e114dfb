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
_SIZE_LINE_BYTES: Final = 64  # of the line before a chunk; an extension may follow the size
_CHUNK_SIZE: Final = re.compile(rb"[0-9a-fA-F]{1,16}(?=[\s;]|$)")

CHUNKS_OF_ANY_SIZE: Final = 20_000
"""Some servers send every line, or every tag, as a chunk of its own. Those of a whole page are fewer than these."""
CHUNK_BYTES: Final = 64
"""Bytes that a chunk beyond these must bring on average: the library takes as long for one byte as for thousands."""


class ChunkCount:
    """Counts the chunks of a body as its bytes pass. It leaves bad framing to the library."""

    def __init__(self) -> None:
        self._chunks = 0
        self._body_bytes = 0
        self._to_next = 0  # bytes until the next line with a size
        self._line = b""  # of that line, as far as it has come
        self._has_ended = False

    def are_too_small(self, data: bytes) -> bool:
        """Count on, and return whether the chunks are so many and so small that the answer is to be given up."""
        at, self._to_next = self._to_next, max(0, self._to_next - len(data))
        while at < len(data) and not self._has_ended:
            end = data.find(b"\n", at)
            self._line = (self._line + data[at : len(data) if end < 0 else end])[:_SIZE_LINE_BYTES]
            if end < 0:
                break
            size = _CHUNK_SIZE.match(self._line)
            chunk_bytes = int(size[0], 16) if size else 0
            self._has_ended = chunk_bytes == 0
            self._chunks += 1
            self._body_bytes += chunk_bytes
            self._line = b""
            at = end + 1 + chunk_bytes + len(b"\r\n")
            self._to_next = max(0, at - len(data))
        return self._chunks > CHUNKS_OF_ANY_SIZE + self._body_bytes // CHUNK_BYTES


class _OneAnswer(ResponseHandler):
    """The library's end of a connection, which is shown one answer to each request, as a browser would see it.

    What a host sends beyond the announced length, or as the body of an answer that has none (204, 304), is dropped, and
    the connection is not used again: the library would lose the whole answer. An answer that is announced too often
    (100, 103) is given up: the library reads on past any number of these, and a host that sends nothing else would keep
    a core busy until the time for its answer is up. So is one in too many chunks that are too small.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self._interim = 0
        self._head: bytes | None = None  # as far as it has come; None outside of it
        self._left: int | None = 0  # bytes of the body that are still to come; None where the body says itself
        self._chunks: ChunkCount | None = None
        self._body: StreamReader | None = None
        self._objection: aiohttp.ClientPayloadError | None = None  # to the rest of the body

    def set_response_params(self, **given: Any) -> None:  # noqa: ANN401 - the library's own
        """Expect the answer to a new request."""
        self._head = b""
        self._chunks = self._body = self._objection = None
        super().set_response_params(**given)

    def data_received(self, data: bytes) -> None:
        # Head and body are handed on together, as they came: the library tells of a bad chunk only then.
        wanted = self._wanted(data)
        if wanted or not data:  # without data the library goes on unpacking
            super().data_received(data[:wanted])
        if wanted < len(data):
            self.force_close()
            if not wanted:  # nobody has asked for anything, or it was given up
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
        if self._chunks is not None and self._chunks.are_too_small(data[at:]):
            self._give_up_body(f"over {CHUNKS_OF_ANY_SIZE} chunks, of less than {CHUNK_BYTES} bytes on average")
            return at
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
            is_chunked = _IS_CHUNKED.search(head) is not None
            self._left = int(length[1]) if length and not is_chunked else None
            self._chunks = ChunkCount() if is_chunked else None

    def _give_up_body(self, reason: str) -> None:
        self._objection = aiohttp.ClientPayloadError(reason)
        if self._body is not None:
            self._body.set_exception(self._objection)

    async def read(self) -> tuple[RawResponseMessage, StreamReader]:
        message, payload = await super().read()
        is_interim = 100 <= message.code < 200 and message.code != _SWITCHING_PROTOCOLS
        self._interim = self._interim + 1 if is_interim else 0
        if self._interim > MAX_INTERIM_RESPONSES:
            raise BadHttpMessage(f"over {MAX_INTERIM_RESPONSES} interim responses and no other")
        self._body = payload
        if self._objection is not None:
            payload.set_exception(self._objection)
        return message, payload


def _one_answer(loop: asyncio.AbstractEventLoop) -> ResponseHandler:
    """Return one end of a connection that was just made."""
    current_call().is_reached = True
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
