"""A server of a single behaviour on loopback, and what a fetcher makes of it."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from honeyguide.fetch import HttpFetcher
from honeyguide.model import Answer, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]


@asynccontextmanager
async def serving(behaviour: Behaviour) -> AsyncIterator[Url]:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await behaviour(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield Url.parse(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")


def answer_to(behaviour: Behaviour, **limits: Any) -> Answer:
    async def scenario() -> Answer:
        async with serving(behaviour) as url:
            fetcher = HttpFetcher(FetchSettings(allow_private=True, **limits), RealClock())
            try:
                return await fetcher.fetch(url)
            finally:
                await fetcher.close()

    return asyncio.run(scenario())
