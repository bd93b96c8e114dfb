"""Servers on loopback, ordinary or as awkward as a test needs them, and what a fetcher makes of them."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from honeyguide.fetch import HttpFetcher
from honeyguide.model import Answer, Url
from honeyguide.model.clock import RealClock
from honeyguide.parse import media_type_of
from honeyguide.settings import FetchSettings
from local_site import serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from aiohttp import web
    from aiohttp.abc import AbstractResolver

    from local_site import Handler

    Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]


@asynccontextmanager
async def serving(behaviour: Behaviour) -> AsyncIterator[Url]:
    """Serve every connection by one behaviour, and hang up when it is over."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await behaviour(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield Url.parse(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")


@asynccontextmanager
async def opened(resolver: AbstractResolver | None = None, **settings: Any) -> AsyncIterator[HttpFetcher]:
    """A fetcher that may call this machine."""
    chosen = FetchSettings(**({"allow_private": ("127.0.0.0/8",)} | settings))
    fetcher = HttpFetcher(chosen, RealClock(), resolver, media_type_of=media_type_of)
    try:
        yield fetcher
    finally:
        await fetcher.close()


async def fetched(url: Url | str, resolver: AbstractResolver | None = None, **settings: Any) -> Answer:
    async with opened(resolver, **settings) as fetcher:
        return await fetcher.fetch(Url.parse(url) if isinstance(url, str) else url)


def answer_to(behaviour: Behaviour | bytes, **settings: Any) -> Answer:
    """Ask once for what a server answers that behaves like this, or that sends exactly these bytes and hangs up."""

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert isinstance(behaviour, bytes)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(behaviour)
        await writer.drain()

    async def scenario() -> Answer:
        async with serving(send if isinstance(behaviour, bytes) else behaviour) as url:
            return await fetched(url, **settings)

    return asyncio.run(scenario())


def answer_of(route: Handler | web.Response, **settings: Any) -> Answer:
    """Serve one page, ask for it once."""

    async def scenario() -> Answer:
        async with serve({"/": route}) as root:
            return await fetched(root, **settings)

    return asyncio.run(scenario())
