"""An answer over HTTP comes with what went over the wire."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from honeyguide.fetch import HttpFetcher
from honeyguide.model import Fetched, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings

if TYPE_CHECKING:
    from fetch.conftest import Serve, ServeBytes
    from honeyguide.model import Answer


async def fetched(url: Url) -> Answer:
    fetcher = HttpFetcher(FetchSettings(user_agent="Honeyguide/9", allow_private=True), RealClock())
    try:
        return await fetcher.fetch(url)
    finally:
        await fetcher.close()


def answer_to_bytes(serve_bytes: ServeBytes, raw: bytes) -> Answer:
    async def scenario() -> Answer:
        async with serve_bytes(raw) as root:
            return await fetched(root)

    return asyncio.run(scenario())


def test_status_line_and_headers_are_kept_as_received(serve_bytes: ServeBytes) -> None:
    raw = b"HTTP/1.0 200 Very Fine\r\nX-ODD:  two  \r\nx-odd: caf\xe9\r\nContent-Length: 2\r\n\r\nhi"
    exchange = answer_to_bytes(serve_bytes, raw).exchange
    assert exchange is not None
    assert exchange.status_line == "HTTP/1.0 200 Very Fine"
    assert exchange.headers == ((b"X-ODD", b"two"), (b"x-odd", b"caf\xe9"), (b"Content-Length", b"2"))
    sent = dict(exchange.request_headers)
    assert sent[b"User-Agent"].startswith(b"Honeyguide/9")
    assert b"Host" in sent


@pytest.mark.parametrize("status", [301, 404, 503])
def test_redirects_and_failures_have_one_too(serve: Serve, status: int) -> None:
    async def scenario() -> Answer:
        async with serve({"/": web.Response(status=status, headers={"Location": "/x"})}) as root:
            return await fetched(root)

    exchange = asyncio.run(scenario()).exchange
    assert exchange is not None
    assert exchange.status_line.split()[1] == str(status)


def test_where_nobody_answered_there_is_none() -> None:
    assert asyncio.run(fetched(Url.parse("http://127.0.0.1:1/"))).exchange is None


def test_every_robots_tag_is_kept_on_a_line_of_its_own(serve_bytes: ServeBytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nx-robots-tag: otherbot: none\xff\r\nContent-Length: 0\r\n\r\n"
    outcome = answer_to_bytes(serve_bytes, head).outcome
    assert isinstance(outcome, Fetched)
    assert outcome.robots_tag.split("\n") == ["noindex", "otherbot: none?"]
