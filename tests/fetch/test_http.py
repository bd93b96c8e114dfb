"""HttpFetcher against a real server: every answer, and every trouble, becomes an outcome."""

from __future__ import annotations

import asyncio
import gzip
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

import pytest
from aiohttp import web

from honeyguide.fetch import HttpFetcher
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Redirected, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fetch.conftest import Serve, ServeBytes
    from local_site import Handler


@asynccontextmanager
async def opened(settings: FetchSettings) -> AsyncIterator[HttpFetcher]:
    fetcher = HttpFetcher(settings, RealClock())
    try:
        yield fetcher
    finally:
        await fetcher.close()


def at_home(**settings: Any) -> FetchSettings:
    """Settings for a server on this machine, which need not say what its pages are."""
    return FetchSettings(**{"allow_private": True, "content_types": ("*/*",), **settings})


async def fetched(url: Url, **settings: Any) -> Answer:
    async with opened(at_home(**settings)) as fetcher:
        return await fetcher.fetch(url)


def answer_of(serve: Serve, route: Handler | web.Response, **settings: Any) -> Answer:
    """Serve one page, ask for it once."""

    async def scenario() -> Answer:
        async with serve({"/": route}) as root:
            return await fetched(root, **settings)

    return asyncio.run(scenario())


def failure_of(answer: Answer) -> tuple[FailureReason, int | None]:
    assert isinstance(answer.outcome, Failed)
    assert answer.outcome.detail
    return answer.outcome.reason, answer.outcome.status


class TestAnswers:
    def test_a_page_arrives_with_its_body_and_type(self, serve: Serve) -> None:
        page = web.Response(body=b"<p>basalt", content_type="text/html", charset="utf-8")

        answer = answer_of(serve, page)

        assert answer.outcome == Fetched(200, "text/html; charset=utf-8", b"<p>basalt")
        assert answer.elapsed_s > 0

    def test_a_gzipped_page_arrives_unpacked(self, serve: Serve) -> None:
        packed = web.Response(body=gzip.compress(b"basalt"), headers={"Content-Encoding": "gzip"})

        outcome = answer_of(serve, packed).outcome

        assert isinstance(outcome, Fetched)
        assert outcome.body == b"basalt"

    def test_an_answer_without_content_is_an_empty_page(self, serve: Serve) -> None:
        assert answer_of(serve, web.Response(status=204)).outcome == Fetched(204, "", b"")

    @pytest.mark.parametrize("status", [304, 403, 404, 410, 429, 500, 503])
    def test_a_status_without_a_page_is_a_failure_that_keeps_the_status(self, serve: Serve, status: int) -> None:
        answer = answer_of(serve, web.Response(status=status))

        assert failure_of(answer) == (FailureReason.HTTP_STATUS, status)

    def test_the_url_is_asked_for_exactly_as_it_is_written(self, serve: Serve) -> None:
        asked: list[str] = []

        async def remember(request: web.BaseRequest) -> web.Response:
            asked.append(request.raw_path)
            return web.Response()

        async def scenario() -> None:
            async with serve({"/a b/ü": remember}) as root:
                await fetched(Url.parse("/a%20b/%C3%BC?q=a%2Fb+c&q=%26", base=root))

        asyncio.run(scenario())

        assert asked == ["/a%20b/%C3%BC?q=a%2Fb+c&q=%26"]


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_an_outcome_and_is_not_followed(self, serve: Serve, status: int) -> None:
        async def scenario() -> tuple[Url, Answer]:
            moved = web.Response(status=status, headers={"Location": "/new?x=1#part"})
            async with serve({"/": moved}) as root:
                return root, await fetched(root)

        root, answer = asyncio.run(scenario())

        assert answer.outcome == Redirected(status, Url.parse("/new?x=1", base=root))

    def test_a_redirect_loop_is_data_like_any_redirect(self, serve: Serve) -> None:
        async def scenario() -> None:
            loop = {
                "/a": web.Response(status=302, headers={"Location": "/b"}),
                "/b": web.Response(status=302, headers={"Location": "/a"}),
            }
            async with serve(loop) as root, opened(at_home()) as fetcher:
                start = Url.parse("/a", base=root)
                there = (await fetcher.fetch(start)).outcome
                assert isinstance(there, Redirected)
                back = (await fetcher.fetch(there.target)).outcome
                assert back == Redirected(302, start)

        asyncio.run(scenario())

    @pytest.mark.parametrize("escaped", [b"/caf%C3%A9", b"/caf%E9"])
    def test_a_location_with_raw_bytes_leads_where_a_browser_would_go(
        self, serve_bytes: ServeBytes, escaped: bytes
    ) -> None:
        async def scenario() -> tuple[Url, Answer]:
            raw = unquote_to_bytes(escaped)
            async with serve_bytes(b"HTTP/1.1 301 Moved\r\nLocation: " + raw + b"\r\n\r\n") as root:
                return root, await fetched(root)

        root, answer = asyncio.run(scenario())

        assert answer.outcome == Redirected(301, Url.parse(escaped.decode(), base=root))

    @pytest.mark.parametrize("location", ["mailto:me@example.org", "http://[broken", "", "/" + "x" * 5000])
    def test_a_redirect_to_nowhere_is_a_bad_response(self, serve: Serve, location: str) -> None:
        moved = web.Response(status=301, headers={"Location": location})

        assert failure_of(answer_of(serve, moved)) == (FailureReason.BAD_RESPONSE, 301)

    def test_a_redirect_without_location_is_a_bad_response(self, serve: Serve) -> None:
        assert failure_of(answer_of(serve, web.Response(status=302))) == (FailureReason.BAD_RESPONSE, 302)


class TestLimits:
    def test_a_body_that_trickles_past_the_time_limit_times_out(self, serve: Serve) -> None:
        async def trickle(request: web.BaseRequest) -> web.StreamResponse:
            response = web.StreamResponse()
            await response.prepare(request)
            for _ in range(100):
                await response.write(b"drop")
                await asyncio.sleep(0.05)
            return response

        answer = answer_of(serve, trickle, timeout_s=0.3)

        assert failure_of(answer) == (FailureReason.TIMEOUT, None)
        assert 0.25 < answer.elapsed_s < 3

    def test_a_server_that_never_answers_times_out(self, serve: Serve) -> None:
        async def silence(request: web.BaseRequest) -> web.Response:
            await asyncio.sleep(60)
            return web.Response()

        assert failure_of(answer_of(serve, silence, timeout_s=0.2)) == (FailureReason.TIMEOUT, None)

    def test_an_endless_body_is_cut_early(self, serve: Serve) -> None:
        sent_bytes = 0

        async def endless(request: web.BaseRequest) -> web.StreamResponse:
            nonlocal sent_bytes
            response = web.StreamResponse()
            await response.prepare(request)
            while True:
                await response.write(b"x" * 10_000)
                sent_bytes += 10_000

        answer = answer_of(serve, endless, max_body_bytes=50_000)

        assert failure_of(answer) == (FailureReason.TOO_LARGE, 200)
        assert sent_bytes < 20_000_000  # what fits into the sockets' buffers, not more

    def test_a_body_announced_too_large_is_not_read_at_all(self, serve_bytes: ServeBytes) -> None:
        async def scenario() -> Answer:
            async with serve_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\nstart") as root:
                return await fetched(root, max_body_bytes=1000)

        assert failure_of(asyncio.run(scenario())) == (FailureReason.TOO_LARGE, 200)

    def test_a_body_of_exactly_the_limit_is_kept(self, serve: Serve) -> None:
        outcome = answer_of(serve, web.Response(body=b"x" * 1000), max_body_bytes=1000).outcome

        assert isinstance(outcome, Fetched)
        assert len(outcome.body) == 1000

    def test_a_gzip_bomb_is_given_up_at_the_limit(self, serve: Serve) -> None:
        bomb = gzip.compress(bytes(50_000_000))
        assert len(bomb) < 100_000
        packed = web.Response(body=bomb, headers={"Content-Encoding": "gzip"})

        answer = answer_of(serve, packed, max_body_bytes=1_000_000)

        assert failure_of(answer) == (FailureReason.TOO_LARGE, 200)

    def test_the_first_bytes_can_be_had_of_a_body_over_the_limit(self, serve: Serve) -> None:
        async def scenario() -> Answer:
            async with (
                serve({"/": web.Response(body=b"x" * 10_000)}) as root,
                opened(at_home(max_body_bytes=10)) as fetcher,
            ):
                return await fetcher.fetch(root, first_bytes=500)

        outcome = asyncio.run(scenario()).outcome

        assert isinstance(outcome, Fetched)
        assert outcome.body == b"x" * 500


class TestTrouble:
    @pytest.mark.parametrize(
        ("raw", "reason"),
        [
            (b"", FailureReason.CONNECTION),
            (b"HTTP/1.1 200 OK\r\nContent-Le", FailureReason.CONNECTION),
            (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort", FailureReason.BAD_RESPONSE),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", FailureReason.BAD_RESPONSE),
            (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", FailureReason.BAD_RESPONSE),
            (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", FailureReason.BAD_RESPONSE),
            (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", FailureReason.BAD_RESPONSE),
            (
                b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip",
                FailureReason.BAD_RESPONSE,
            ),
        ],
        ids=["nothing", "half-a-header", "short-body", "cut-chunk", "bad-chunk", "ssh", "huge-header", "no-gzip"],
    )
    def test_a_broken_answer_is_a_failure(self, serve_bytes: ServeBytes, raw: bytes, reason: FailureReason) -> None:
        async def scenario() -> Answer:
            async with serve_bytes(raw) as root:
                return await fetched(root, timeout_s=5)

        assert failure_of(asyncio.run(scenario()))[0] is reason

    def test_a_header_that_is_not_utf8_comes_out_as_text_that_can_be_stored(self, serve_bytes: ServeBytes) -> None:
        async def scenario() -> Answer:
            async with serve_bytes(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\xff\r\n\r\n") as root:
                return await fetched(root)

        assert asyncio.run(scenario()).outcome == Fetched(200, "text/html; charset=\ufffd", b"")

    def test_a_body_without_length_ends_when_the_server_hangs_up(self, serve_bytes: ServeBytes) -> None:
        async def scenario() -> Answer:
            async with serve_bytes(b"HTTP/1.0 200 OK\r\n\r\nold school") as root:
                return await fetched(root)

        assert asyncio.run(scenario()).outcome == Fetched(200, "", b"old school")

    def test_headers_of_many_kilobytes_are_no_trouble(self, serve: Serve) -> None:
        page = web.Response(body=b"ok", headers={"Content-Security-Policy": "x" * 20_000})

        assert isinstance(answer_of(serve, page).outcome, Fetched)

    def test_a_closed_port_is_a_connection_failure(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            url = Url.parse(f"http://127.0.0.1:{unused.getsockname()[1]}/")

            answer = asyncio.run(fetched(url))

        assert failure_of(answer) == (FailureReason.CONNECTION, None)

    def test_https_asked_of_a_plain_server_is_a_failure_of_tls(self, serve: Serve) -> None:
        async def scenario() -> Answer:
            async with serve({}) as root:
                return await fetched(Url.parse(root.text.replace("http:", "https:")))

        assert failure_of(asyncio.run(scenario())) == (FailureReason.TLS, None)

    def test_a_host_name_no_resolver_can_take_is_a_failure(self) -> None:
        answer = asyncio.run(fetched(Url.parse(f"http://{'a' * 70}.localhost/")))

        assert failure_of(answer) == (FailureReason.DNS, None)


class TestManners:
    def test_the_user_agent_is_sent_with_the_contact(self, serve: Serve) -> None:
        async def echo(request: web.BaseRequest) -> web.Response:
            return web.Response(text=request.headers["User-Agent"])

        settings = {"user_agent": "Surveyor/2", "contact": "crawl@example.org"}
        outcome = answer_of(serve, echo, **settings).outcome

        assert isinstance(outcome, Fetched)
        assert outcome.body == b"Surveyor/2 (crawl@example.org)"

    def test_cookies_are_not_sent_back(self, serve: Serve) -> None:
        seen: list[str | None] = []

        async def bake(request: web.BaseRequest) -> web.Response:
            seen.append(request.headers.get("Cookie"))
            return web.Response(headers={"Set-Cookie": "visitor=1; Path=/"})

        async def scenario() -> None:
            async with serve({"/": bake}) as root, opened(at_home()) as fetcher:
                await fetcher.fetch(root)
                await fetcher.fetch(root)

        asyncio.run(scenario())

        assert seen == [None, None]

    def test_connections_are_kept_between_fetches(self, serve: Serve) -> None:
        peers = set()

        async def remember(request: web.BaseRequest) -> web.Response:
            assert request.transport is not None
            peers.add(request.transport.get_extra_info("peername"))
            return web.Response(text="ok")

        async def scenario() -> None:
            async with serve({"/": remember}) as root, opened(at_home()) as fetcher:
                for _ in range(5):
                    await fetcher.fetch(root)

        asyncio.run(scenario())

        assert len(peers) == 1

    def test_a_fetcher_can_be_closed_twice_and_then_fetches_no_more(self) -> None:
        async def scenario() -> None:
            fetcher = HttpFetcher(FetchSettings(), RealClock())
            await fetcher.close()
            await fetcher.close()
            with pytest.raises(RuntimeError, match="closed"):
                await fetcher.fetch(Url.parse("http://127.0.0.1/"))

        asyncio.run(scenario())
