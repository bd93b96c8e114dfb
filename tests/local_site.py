"""A site on this machine, for tests in the event loop of the client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from honeyguide.model import Url

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serve(routes: Mapping[str, Handler | web.Response], address: str = "127.0.0.1") -> AsyncIterator[Url]:
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
        await web.TCPSite(runner, address, 0).start()
        yield Url.parse(f"http://{address}:{runner.addresses[0][1]}/")
    finally:
        await runner.cleanup()
