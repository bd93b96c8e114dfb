"""Which bodies are read, how much of them, and what is kept of the headers."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc
import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from honeyguide.fetch import HttpFetcher
from honeyguide.model import Answer, Failed, FailureReason, Fetched
from honeyguide.model.clock import RealClock
from honeyguide.parse import media_type_of
from honeyguide.settings import FetchSettings

if TYPE_CHECKING:
    from fetch.conftest import Serve, ServeBytes

PDF = b"%PDF-1.7\n" + bytes(5000)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(5000)
PACKERS: dict[str, Any] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": import_module("brotli").compress,  # ships no types
}
PAGE = b"<!doctype html><title>Rock</title>" + b"<p>basalt " * 500


def fetcher(**settings: Any) -> HttpFetcher:
    return HttpFetcher(FetchSettings(allow_private=True, **settings), RealClock(), media_type_of=media_type_of)


def not_read(media_type: str) -> Failed:
    return Failed(FailureReason.UNSUPPORTED_TYPE, f"{media_type} is none of fetch.content_types", 200)


def answer_of(serve: Serve, response: web.Response, **settings: Any) -> Answer:
    async def scenario() -> Answer:
        async with serve({"/": response}) as root:
            asking = fetcher(**settings)
            try:
                return await asking.fetch(root)
            finally:
                await asking.close()

    return asyncio.run(scenario())


def raw_answer(serve_bytes: ServeBytes, raw: bytes, **settings: Any) -> Answer:
    async def scenario() -> Answer:
        async with serve_bytes(raw) as root:
            asking = fetcher(**settings)
            try:
                return await asking.fetch(root)
            finally:
                await asking.close()

    return asyncio.run(scenario())


class TestTypes:
    @pytest.mark.parametrize(
        "content_type",
        [
            "text/html",
            "TEXT/HTML; charset=latin-1",
            "application/xhtml+xml",
            "text/plain",
            "application/xml",
            "text/xml;x",
        ],
    )
    def test_what_the_parser_reads_is_read(self, serve: Serve, content_type: str) -> None:
        outcome = answer_of(serve, web.Response(body=PAGE, headers={"Content-Type": content_type})).outcome

        assert isinstance(outcome, Fetched)
        assert outcome.body == PAGE

    @pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "application/octet-stream", "font/woff2"])
    def test_the_body_of_another_type_is_not_waited_for(self, serve_bytes: ServeBytes, content_type: str) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: 4000000\r\n\r\n"

        answer = raw_answer(serve_bytes, head.encode())  # of the body not a byte is ever sent

        assert answer.outcome == not_read(content_type)

    @pytest.mark.parametrize(("body", "kind"), [(PDF, "application/pdf"), (PNG, "image/png")])
    @pytest.mark.parametrize("declared", ["", "Content-Type: text/html\r\n", "Content-Type: text/plain\r\n"])
    def test_a_file_that_is_not_what_it_is_called_is_known_by_its_first_bytes(
        self, serve_bytes: ServeBytes, declared: str, body: bytes, kind: str
    ) -> None:
        head = f"HTTP/1.1 200 OK\r\n{declared}Content-Length: 4000000\r\n\r\n"

        answer = raw_answer(serve_bytes, head.encode() + body)  # far from whole

        assert answer.outcome == not_read(kind)

    @pytest.mark.parametrize("body", [b"", b"<p>short", PAGE])
    def test_a_page_without_a_type_is_read(self, serve_bytes: ServeBytes, body: bytes) -> None:
        assert raw_answer(serve_bytes, b"HTTP/1.1 200 OK\r\n\r\n" + body).outcome == Fetched(200, "", body)

    def test_a_short_file_without_a_type_is_known_as_well(self, serve_bytes: ServeBytes) -> None:
        answer = raw_answer(serve_bytes, b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.7\n")

        assert answer.outcome == not_read("application/pdf")

    @pytest.mark.parametrize("wanted", ["application/pdf", "application/*", "*/*"])
    def test_a_person_may_want_more(self, serve: Serve, wanted: str) -> None:
        response = web.Response(body=PDF, headers={"Content-Type": "application/pdf"})

        assert isinstance(answer_of(serve, response, content_types=(wanted,)).outcome, Fetched)

    def test_the_first_bytes_are_had_of_any_type(self, serve: Serve) -> None:
        async def scenario() -> Answer:
            async with serve({"/": web.Response(body=PNG, headers={"Content-Type": "image/png"})}) as root:
                asking = fetcher()
                try:
                    return await asking.fetch(root, first_bytes=8)
                finally:
                    await asking.close()

        assert asyncio.run(scenario()).outcome == Fetched(200, "image/png", PNG[:8])


class TestPacking:
    @pytest.mark.parametrize("encoding", sorted(PACKERS))
    def test_a_packed_page_is_unpacked(self, serve: Serve, encoding: str) -> None:
        headers = {"Content-Type": "text/html", "Content-Encoding": encoding}

        outcome = answer_of(serve, web.Response(body=PACKERS[encoding](PAGE), headers=headers)).outcome

        assert isinstance(outcome, Fetched)
        assert outcome.body == PAGE

    def test_only_what_can_be_unpacked_is_offered(self, serve: Serve) -> None:
        offered: list[str] = []

        async def scenario() -> None:
            async def remember(request: web.BaseRequest) -> web.Response:
                offered.append(request.headers["Accept-Encoding"])
                return web.Response(text="ok")

            async with serve({"/": remember}) as root:
                asking = fetcher()
                await asking.fetch(root)
                await asking.close()

        asyncio.run(scenario())
        assert offered == ["gzip, deflate, br"]

    @pytest.mark.parametrize("encoding", sorted(PACKERS))
    def test_a_bomb_takes_no_more_room_than_the_limit_and_a_little(self, serve: Serve, encoding: str) -> None:
        packed = PACKERS[encoding](b"rock " * 20_000_000)
        assert len(packed) < 300_000
        bomb = web.Response(body=packed, headers={"Content-Type": "text/html", "Content-Encoding": encoding})
        tracemalloc.start()
        try:
            answer = answer_of(serve, bomb, max_body_bytes=1_000_000)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

        assert answer.outcome == Failed(FailureReason.TOO_LARGE, "body is over 1000000 bytes", 200)
        assert peak < 6_000_000


class TestHeaders:
    def test_what_tells_versions_of_a_page_apart_is_kept(self, serve: Serve) -> None:
        headers = {"ETag": 'W/"abc"', "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}

        outcome = answer_of(serve, web.Response(text="rock", headers=headers)).outcome

        assert isinstance(outcome, Fetched)
        assert (outcome.etag, outcome.last_modified) == ('W/"abc"', "Wed, 21 Oct 2015 07:28:00 GMT")

    def test_an_endless_header_is_cut(self, serve: Serve) -> None:
        outcome = answer_of(serve, web.Response(text="rock", headers={"ETag": "x" * 50_000})).outcome

        assert isinstance(outcome, Fetched)
        assert outcome.etag == "x" * 1000

    @pytest.mark.parametrize("status", [200, 301, 429, 503])
    def test_a_host_that_asks_for_a_pause_is_heard(self, serve: Serve, status: int) -> None:
        answer = answer_of(serve, web.Response(status=status, headers={"Retry-After": "17", "Location": "/x"}))

        assert answer.retry_after_s == 17.0

    def test_no_header_asks_for_no_pause(self, serve: Serve) -> None:
        assert answer_of(serve, web.Response(status=503)).retry_after_s == 0.0
