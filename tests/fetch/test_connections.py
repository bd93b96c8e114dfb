"""Connections that are kept, and cookies that are not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from honeyguide.fetch import HttpFetcher, PinnedResolver
from honeyguide.model import Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings

if TYPE_CHECKING:
    from fetch.conftest import Serve

OPEN_AT_ONCE = 20


def fetcher(**settings: Any) -> HttpFetcher:
    return HttpFetcher(FetchSettings(allow_private=True, **settings), RealClock())


@pytest.mark.parametrize(("kept", "expected"), [(1000, 200), (OPEN_AT_ONCE, OPEN_AT_ONCE), (0, 0)])
def test_however_many_hosts_there_are_only_so_many_connections_stay_open(kept: int, expected: int) -> None:
    connected: set[asyncio.StreamWriter] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.add(writer)
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nrock")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            connected.discard(writer)
            writer.close()

    async def scenario() -> int:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            names = {f"h{number}.test": ("127.0.0.1", port) for number in range(200)}
            settings = FetchSettings(allow_private=True, kept_connections=kept)
            asking = HttpFetcher(settings, RealClock(), PinnedResolver(names))
            for name in names:
                await asking.fetch(Url.parse(f"http://{name}/"))
            await asyncio.sleep(0.05)
            still_open = len(connected)
            await asking.close()
            return still_open

    assert abs(asyncio.run(scenario()) - expected) <= 1


def cookies_sent(serve: Serve, **settings: Any) -> list[str | None]:
    sent: list[str | None] = []

    async def bake(request: web.BaseRequest) -> web.Response:
        sent.append(request.headers.get("Cookie"))
        return web.Response(text="ok", headers={"Set-Cookie": "visitor=1; Path=/"})

    async def scenario() -> None:
        async with serve({"/": bake}) as root:
            port = int(root.host.rpartition(":")[2])
            asking = HttpFetcher(
                FetchSettings(allow_private=True, **settings),
                RealClock(),
                PinnedResolver({"a.test": ("127.0.0.1", port), "b.test": ("127.0.0.1", port)}),
            )
            for url in ("http://a.test/", "http://a.test/", "http://b.test/"):
                await asking.fetch(Url.parse(url))
            await asking.close()

    asyncio.run(scenario())
    return sent


def test_cookies_are_sent_back_to_their_own_host_where_a_person_asks_for_it(serve: Serve) -> None:
    assert cookies_sent(serve, cookies=True) == [None, "visitor=1", None]
    assert cookies_sent(serve, cookies=False) == [None, None, None]


@pytest.mark.parametrize(("setting", "sent"), [("", None), ("de, en;q=0.5", "de, en;q=0.5")])
def test_a_language_is_asked_for_where_a_person_has_one(serve: Serve, setting: str, sent: str | None) -> None:
    heard: list[str | None] = []

    async def remember(request: web.BaseRequest) -> web.Response:
        heard.append(request.headers.get("Accept-Language"))
        return web.Response(text="ok")

    async def scenario() -> None:
        async with serve({"/": remember}) as root:
            asking = fetcher(accept_language=setting)
            await asking.fetch(root)
            await asking.close()

    asyncio.run(scenario())
    assert heard == [sent]
