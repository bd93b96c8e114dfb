"""Connections that are kept within bounds, cookies that are not, and answers that are only ever announced."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import web

from fetch.serving import answer_to, opened, serving
from honeyguide.fetch import Gate, GatedFetcher, HostSchedule, PinnedResolver
from honeyguide.model import Failed, FailureReason, Fetched, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings, PolitenessSettings
from local_site import serve

OPEN_AT_ONCE = 20
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nrock"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
GIVEN_UP = Failed(FailureReason.BAD_RESPONSE, "ClientResponseError: over 20 interim responses and no other")
DELAY_S = 0.2


@pytest.mark.parametrize(("kept", "expected"), [(1000, 100), (OPEN_AT_ONCE, OPEN_AT_ONCE), (0, 0)])
def test_however_many_hosts_there_are_only_so_many_connections_stay_open(kept: int, expected: int) -> None:
    connected: set[asyncio.StreamWriter] = set()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connected.add(writer)
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(PAGE)
                await writer.drain()
        finally:
            connected.discard(writer)

    async def scenario() -> int:
        async with serving(answer) as root:
            port = int(root.host.rpartition(":")[2])
            names = {f"h{number}.test": ("127.0.0.1", port) for number in range(100)}
            async with opened(PinnedResolver(names), kept_connections=kept) as fetcher:
                for name in names:
                    await fetcher.fetch(Url.parse(f"http://{name}/"))
                await asyncio.sleep(0.05)
                return len(connected)

    assert abs(asyncio.run(scenario()) - expected) <= 1


def cookies_sent(**settings: Any) -> list[str | None]:
    sent: list[str | None] = []

    async def bake(request: web.BaseRequest) -> web.Response:
        sent.append(request.headers.get("Cookie"))
        return web.Response(text="ok", headers={"Set-Cookie": "visitor=1; Path=/"})

    async def scenario() -> None:
        async with serve({"/": bake}) as root:
            port = int(root.host.rpartition(":")[2])
            names = PinnedResolver({"a.test": ("127.0.0.1", port), "b.test": ("127.0.0.1", port)})
            async with opened(names, **settings) as fetcher:
                for url in ("http://a.test/", "http://a.test/", "http://b.test/"):
                    await fetcher.fetch(Url.parse(url))

    asyncio.run(scenario())
    return sent


def test_cookies_are_sent_back_to_their_own_host_and_only_where_a_person_asks_for_it() -> None:
    assert cookies_sent(cookies=True) == [None, "visitor=1", None]
    assert cookies_sent() == [None, None, None]


def test_a_request_on_a_broken_connection_takes_another_turn() -> None:
    requests: list[tuple[float, bytes]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Every second request on a connection is read, and not answered."""
        for is_answered in (True, False):
            line = await reader.readline()
            await reader.readuntil(b"\r\n\r\n")
            requests.append((time.monotonic(), line.split()[1]))
            if is_answered:
                writer.write(PAGE)
                await writer.drain()

    async def scenario() -> list[object]:
        schedule = HostSchedule(PolitenessSettings(delay_s=DELAY_S), FetchSettings(backoff_s=60.0))
        async with serving(answer) as root, opened() as sender:
            gate = GatedFetcher(sender, Gate(schedule, RealClock()))
            return [(await gate.fetch(Url.parse(name, base=root))).outcome for name in ("a", "b")]

    assert all(isinstance(outcome, Fetched) for outcome in asyncio.run(scenario()))
    assert [path for _, path in requests] == [b"/a", b"/b", b"/b"]
    times = [moment for moment, _ in requests]
    assert all(later - earlier >= DELAY_S - 0.001 for earlier, later in pairwise(times))


@pytest.mark.parametrize("announced", [CONTINUE * 20, HINTS * 20, (CONTINUE + HINTS) * 10])
def test_twenty_interim_responses_are_passed_over_for_each_page_of_a_connection(announced: bytes) -> None:
    connections = 0

    async def announce(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(announced + PAGE)
            await writer.drain()

    async def scenario() -> list[object]:
        async with serving(announce) as url, opened() as fetcher:
            return [(await fetcher.fetch(url)).outcome for _ in range(3)]

    assert asyncio.run(scenario()) == [Fetched(200, "text/plain", b"rock")] * 3
    assert connections == 1


@pytest.mark.parametrize("announced", [CONTINUE * 21, HINTS * 21])
def test_one_more_is_too_many(announced: bytes) -> None:
    assert answer_to(announced + PAGE).outcome == GIVEN_UP


def test_a_flood_is_given_up_long_before_its_time_is_up() -> None:
    sent = 0

    async def on_and_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        await reader.readuntil(b"\r\n\r\n")
        while True:
            writer.write(CONTINUE * 1000)
            await writer.drain()
            sent += 1000

    assert answer_to(on_and_on, first_byte_timeout_s=60, timeout_s=60).outcome == GIVEN_UP
    assert sent < 1_000_000, "what the sockets hold, and no more is read"
