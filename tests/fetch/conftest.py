"""A real HTTP server on loopback, ordinary or as awkward as a test needs it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from aiohttp import web

from honeyguide.domain import Url

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
Serve = Callable[[Mapping[str, Handler | web.Response]], AbstractAsyncContextManager[Url]]
ServeBytes = Callable[[bytes], AbstractAsyncContextManager[Url]]


@asynccontextmanager
async def _serve(routes: Mapping[str, Handler | web.Response]) -> AsyncIterator[Url]:
    """Serve each path by its handler or fixed response, 404 for the rest; yield the root URL."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        route = routes.get(request.path)
        if route is None:
            return web.Response(status=404)
        if isinstance(route, web.Response):
            # A response object is sent once; each request gets a copy.
            return web.Response(status=route.status, headers=route.headers, body=route.body)
        return await route(request)

    runner = web.ServerRunner(web.Server(answer), shutdown_timeout=0.1, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield Url.parse(f"http://127.0.0.1:{runner.addresses[0][1]}/")
    finally:
        await runner.cleanup()


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
    return _serve


@pytest.fixture
def serve_bytes() -> ServeBytes:
    return _serve_bytes
