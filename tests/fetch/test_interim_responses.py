"""Responses that only announce another: a few are passed over, a flood is given up at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from fetch.serving import answer_to, serving
from honeyguide.fetch import HttpFetcher
from honeyguide.model import Failed, FailureReason, Fetched
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings

if TYPE_CHECKING:
    from honeyguide.model import Answer

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
PAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\nrock"
GIVEN_UP = Failed(FailureReason.BAD_RESPONSE, "ClientResponseError: over 20 interim responses and no other")


@pytest.mark.parametrize("announced", [CONTINUE * 20, HINTS * 20, (CONTINUE + HINTS) * 10])
def test_twenty_are_passed_over_for_each_page_of_a_connection(announced: bytes) -> None:
    connections = 0

    async def announce(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections
        connections += 1
        while True:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(announced + PAGE)
            await writer.drain()

    async def scenario() -> list[Answer]:
        async with serving(announce) as url:
            fetcher = HttpFetcher(FetchSettings(allow_private=True), RealClock())
            try:
                return [await fetcher.fetch(url) for _ in range(3)]
            finally:
                await fetcher.close()

    outcomes = [answer.outcome for answer in asyncio.run(scenario())]
    assert outcomes == [Fetched(200, "text/plain", b"rock")] * 3
    assert connections == 1


@pytest.mark.parametrize("announced", [CONTINUE * 21, HINTS * 21])
def test_one_more_is_too_many(announced: bytes) -> None:
    async def announce(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(announced + PAGE)
        await writer.drain()

    assert answer_to(announce).outcome == GIVEN_UP


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
