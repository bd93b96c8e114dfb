"""A real HTTP server on loopback, ordinary or as awkward as a test needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from aiohttp import web

from honeyguide.model import Url
from local_site import Handler
from local_site import serve as serve_site

Serve = Callable[[Mapping[str, Handler | web.Response]], AbstractAsyncContextManager[Url]]
ServeBytes = Callable[[bytes], AbstractAsyncContextManager[Url]]


@asynccontextmanager
async def _serve_bytes(raw: bytes) -> AsyncIterator[Url]:
    """Answer any request with exactly these bytes and hang up."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(raw)
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield Url.parse(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")


@pytest.fixture
def serve() -> Serve:
    return serve_site


@pytest.fixture
def serve_bytes() -> ServeBytes:
    return _serve_bytes
