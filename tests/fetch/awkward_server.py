"""Hosts that do what no host should, on raw sockets of this machine: each at an address of its own.

A behaviour is handed the connection once a request has come in. Unless it is about robots.txt, that file is a plain 404
everywhere. What never ends here ends when the client hangs up.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import zlib
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import ssl
    from collections.abc import Awaitable, Callable, Iterator

Behaviour: TypeAlias = "Callable[[Request], Awaitable[None]]"

MEGABYTE = 1_000_000
OK = b"HTTP/1.1 200 OK\r\n"
HTML = OK + b"Content-Type: text/html\r\n"
CHUNKED = HTML + b"Transfer-Encoding: chunked\r\n\r\n"
NOT_FOUND = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
STEP_S = 0.2  # between two bytes of a host that has all the time in the world


@dataclass
class Request:
    """A request that came in, and the way back."""

    path: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    sent_bytes: Counter[str]

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()
        self.sent_bytes[self.path] += len(data)

    async def send_for_ever(self, data: bytes) -> None:
        while True:
            await self.send(data)

    async def drip(self, data: bytes) -> None:
        for byte in data:
            await self.send(bytes([byte]))
            await asyncio.sleep(STEP_S)

    def reset(self) -> None:
        """Break the connection off, as a machine does that has just been switched off and on."""
        broken: socket.socket = self.writer.get_extra_info("socket")
        broken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


def saying(*parts: bytes) -> Behaviour:
    """Send these bytes and hang up."""

    async def behave(request: Request) -> None:
        for part in parts:
            await request.send(part)

    return behave


def for_ever(start: bytes, repeated: bytes) -> Behaviour:
    async def behave(request: Request) -> None:
        await request.send(start)
        await request.send_for_ever(repeated)

    return behave


def dripping(start: bytes, rest: bytes) -> Behaviour:
    async def behave(request: Request) -> None:
        await request.send(start)
        await request.drip(rest)

    return behave


def resetting(*parts: bytes) -> Behaviour:
    async def behave(request: Request) -> None:
        for part in parts:
            await request.send(part)
            await asyncio.sleep(0.05)  # or the reset overtakes what was sent
        request.reset()

    return behave


async def silence(request: Request) -> None:
    await asyncio.sleep(3600)


def page(body: bytes, *headers: bytes) -> bytes:
    head = b"".join(header + b"\r\n" for header in (*headers, b"Content-Length: %d" % len(body)))
    return HTML + head + b"\r\n" + body


def redirect(target: str) -> bytes:
    return f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()


async def chain(request: Request) -> None:
    """A redirect at every step, to the next of ten thousand."""
    step = int(request.path.removeprefix("/").removeprefix("step") or 0)
    await request.send(redirect(f"/step{step + 1}") if step < 10_000 else page(b"the end of the rope"))


async def circle(request: Request) -> None:
    await request.send(redirect({"/": "/b", "/b": "/c", "/c": "/"}[request.path]))


async def robots_of_100_megabytes(request: Request) -> None:
    if request.path != "/robots.txt":
        await request.send(page(b"a rock"))
        return
    await request.send(OK + b"Content-Type: text/plain\r\n\r\nUser-agent: *\nDisallow: /hidden\n")
    for _ in range(100):
        await request.send(b"# padding\n" * 100_000)


async def robots_elsewhere_for_ever(request: Request) -> None:
    if "robots" in request.path:
        await request.send(redirect(f"/robots{len(request.path)}{'x' * len(request.path)}"))
    else:
        await request.send(page(b"a rock"))


def bomb(encoding: str) -> Behaviour:
    """A hundred megabytes of words in less than one."""

    async def behave(request: Request) -> None:
        await request.send(page(_packed_words(encoding), b"Content-Encoding: " + encoding.encode()))

    return behave


@cache
def _packed_words(encoding: str) -> bytes:
    words = b"<p>rock and stone</p>" * 50_000
    if encoding == "gzip":
        gzipped = zlib.compressobj(wbits=31)
        return b"".join([gzipped.compress(words) for _ in range(100)]) + gzipped.flush()
    packed = import_module("brotli").Compressor(quality=5)
    return b"".join([packed.process(words) for _ in range(100)]) + bytes(packed.finish())


LATE_HEADERS = b"".join(b"X-Header-%d: value\r\n" % number for number in range(100_000))

BEHAVIOURS: dict[str, Behaviour] = {
    "fine": saying(page(b"a rock")),
    # Bodies
    "endless body": for_ever(HTML + b"\r\n", b"<p>rock and stone " * 1000),
    "endless chunks": for_ever(CHUNKED, b"400\r\n" + b"x" * 1024 + b"\r\n"),
    "slow body": dripping(HTML + b"\r\n", b"rock" * 100),
    "gzip bomb": bomb("gzip"),
    "brotli bomb": bomb("br"),
    "not gzip": saying(page(b"this is plain text", b"Content-Encoding: gzip")),
    "announced longer": saying(HTML + b"Content-Length: 500\r\n\r\nshort"),
    "announced shorter": saying(HTML + b"Content-Length: 6\r\n\r\na rock", b" and a lot more" * 50),
    "announced as 100 MB": saying(HTML + b"Content-Length: 100000000\r\n\r\nstart"),
    "negative length": saying(HTML + b"Content-Length: -5\r\n\r\nrock"),
    "two lengths": saying(HTML + b"Content-Length: 4\r\nContent-Length: 6\r\n\r\nrocky!"),
    "wrong charset": saying(OK + b"Content-Type: text/html; charset=utf-8\r\nContent-Length: 6\r\n\r\nGr\xfc\xdfe!"),
    "no such charset": saying(OK + b"Content-Type: text/html; charset=tlh-8\r\nContent-Length: 6\r\n\r\nGr\xfc\xdfe!"),
    "binary as a page": saying(page(bytes(range(256)) * 100)),
    # Chunks
    "chunk of no size": saying(CHUNKED + b"zz\r\nrock\r\n0\r\n\r\n"),
    "chunk of any size": saying(CHUNKED + b"FFFFFFFFFFFFFFFFFF\r\nrock\r\n0\r\n\r\n"),
    "chunk cut short": saying(CHUNKED + b"400\r\nrock"),
    "no last chunk": saying(CHUNKED + b"4\r\nrock\r\n"),
    "endless extension": for_ever(CHUNKED + b"4;", b"x" * 65_536),
    "endless trailers": for_ever(CHUNKED + b"4\r\nrock\r\n0\r\n", b"X-Trailer: value\r\n" * 1000),
    # Headers
    "header flood": saying(OK + LATE_HEADERS + b"\r\nrock"),
    "endless headers": for_ever(OK, b"X-Header: value\r\n" * 1000),
    "header line of 100 MB": saying(OK + b"X-Long: ", *[b"y" * MEGABYTE] * 100, b"\r\n\r\nrock"),
    "status line of 100 MB": saying(b"HTTP/1.1 200 ", *[b"O" * MEGABYTE] * 100, b"\r\n\r\nrock"),
    "slow headers": dripping(OK, b"X-Header: value\r\n" * 100),
    "continue for ever": for_ever(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1000),
    "silence": silence,
    "HTTP 0.9": saying(b"<html><p>a rock from 1991</html>"),
    "noise": saying(bytes(range(255, -1, -1)) * 1000),
    "another protocol": saying(b"SSH-2.0-OpenSSH_9.6\r\n"),
    "a strange status": saying(b"HTTP/1.1 999 Go away\r\nContent-Length: 0\r\n\r\n"),
    "location of 1 MB": saying(redirect("/" + "x" * MEGABYTE)),
    # Connections
    "reset before an answer": resetting(),
    "reset in the status line": resetting(b"HTTP/1.1 2"),
    "reset in the headers": resetting(OK + b"Content-Ty"),
    "reset before the body": resetting(HTML + b"Content-Length: 500\r\n\r\n"),
    "reset in the body": resetting(HTML + b"Content-Length: 500\r\n\r\n", b"a rock"),
    "reset in a chunk": resetting(CHUNKED, b"400\r\nrock"),
    "hung up": saying(),
    # Redirects
    "chain": chain,
    "circle": circle,
    "to itself": saying(redirect("/")),
    "to a file": saying(redirect("file:///etc/passwd")),
    "to a script": saying(redirect("javascript:alert(1)")),
    # robots.txt
    "robots of 100 MB": robots_of_100_megabytes,
    "robots for ever": robots_elsewhere_for_ever,
}  # fmt: skip


@dataclass
class AwkwardWeb:
    """Where the hosts are, and what they have sent."""

    url_by_name: dict[str, str] = field(default_factory=dict)
    sent_bytes: dict[str, Counter[str]] = field(default_factory=dict)
    behaviours: dict[str, Behaviour] = field(default_factory=dict)

    def put(self, name: str, behaviour: Behaviour) -> None:
        """Change what a host does."""
        self.behaviours[name] = behaviour


@contextmanager
def awkward_web(tls: ssl.SSLContext | None = None) -> Iterator[AwkwardWeb]:
    """Serve every behaviour from a thread of its own, and where a certificate is given also a fine page by TLS."""
    web = AwkwardWeb(behaviours=dict(BEHAVIOURS))
    for encoding in ("gzip", "br"):
        _packed_words(encoding)  # now, not while somebody waits for an answer
    started, stop = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        servers = []
        for number, name in enumerate([*BEHAVIOURS, "index", *(["by tls"] if tls else [])], start=1):
            address = f"127.77.0.{number}"
            web.sent_bytes[name] = Counter()
            context = tls if name == "by tls" else None
            server = await asyncio.start_server(_handler(web, name), address, 0, ssl=context, limit=2**20)
            scheme = "http" if context is None else "https"
            web.url_by_name[name] = f"{scheme}://{address}:{server.sockets[0].getsockname()[1]}/"
            servers.append(server)
        started.set()
        await stop.wait()
        for server in servers:
            server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert started.wait(20)
    try:
        yield web
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        loop.close()


def _handler(web: AwkwardWeb, name: str) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            request = Request(head.split()[1].decode(), reader, writer, web.sent_bytes[name])
            if request.path == "/robots.txt" and not name.startswith("robots"):
                await request.send(NOT_FOUND.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            else:
                await web.behaviours.get(name, saying(page(b"a rock by TLS")))(request)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass  # the client has had enough, or the test is over
        finally:
            with suppress(Exception):
                writer.close()

    return handle
