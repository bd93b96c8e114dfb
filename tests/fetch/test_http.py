"""HttpFetcher against a real server: every answer, and every trouble, becomes an outcome."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import socket
import ssl
import struct
import subprocess
from contextlib import suppress
from email.utils import formatdate
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.client_proto import ResponseHandler
from hypothesis import given
from hypothesis import strategies as st

from fetch.serving import answer_of, answer_to, fetched, opened, serving
from honeyguide.fetch import HttpFetcher, connections
from honeyguide.fetch.http import retry_after_s
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Redirected, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings
from honeyguide.settings.fetch_sections import LONGEST_REST_S
from local_site import serve

if TYPE_CHECKING:
    from pathlib import Path

NOW = 1_700_000_000.0
answer_to = partial(answer_to, content_types=("*/*",))  # servers that need not say what their pages are
answer_of = partial(answer_of, content_types=("*/*",))


def failure_of(answer: Answer) -> tuple[FailureReason, int | None]:
    assert isinstance(answer.outcome, Failed)
    assert answer.outcome.detail
    return answer.outcome.reason, answer.outcome.status


def body_of(answer: Answer) -> bytes:
    assert isinstance(answer.outcome, Fetched)
    return answer.outcome.body


def header_sent(name: str, **settings: Any) -> str | None:
    """What a server hears in one header."""
    heard: list[str | None] = []

    async def remember(request: web.BaseRequest) -> web.Response:
        heard.append(request.headers.get(name))
        return web.Response(text="ok")

    answer_of(remember, **settings)
    return heard[0]


class TestAnswers:
    def test_a_page_arrives_with_its_body_and_type(self) -> None:
        answer = answer_of(web.Response(body=b"<p>basalt", content_type="text/html", charset="utf-8"))
        assert answer.outcome == Fetched(200, "text/html; charset=utf-8", b"<p>basalt")
        assert answer.elapsed_s > 0

    def test_an_answer_without_content_is_an_empty_page(self) -> None:
        assert answer_of(web.Response(status=204)).outcome == Fetched(204, "", b"")

    @pytest.mark.parametrize("status", [304, 403, 404, 410, 429, 500, 503])
    def test_a_status_without_a_page_is_a_failure_that_keeps_the_status(self, status: int) -> None:
        assert failure_of(answer_of(web.Response(status=status))) == (FailureReason.HTTP_STATUS, status)

    def test_the_url_is_asked_for_exactly_as_it_is_written(self) -> None:
        asked: list[str] = []

        async def remember(request: web.BaseRequest) -> web.Response:
            asked.append(request.raw_path)
            return web.Response()

        async def scenario() -> None:
            async with serve({"/a b/ü": remember}) as root:
                await fetched(Url.parse("/a%20b/%C3%BC?q=a%2Fb+c&q=%26", base=root))

        asyncio.run(scenario())
        assert asked == ["/a%20b/%C3%BC?q=a%2Fb+c&q=%26"]

    def test_a_body_without_length_ends_when_the_server_hangs_up(self) -> None:
        assert answer_to(b"HTTP/1.0 200 OK\r\n\r\nold school").outcome == Fetched(200, "", b"old school")

    def test_a_fetcher_can_be_closed_twice_and_then_fetches_no_more(self) -> None:
        async def scenario() -> None:
            fetcher = HttpFetcher(FetchSettings(), RealClock())
            await fetcher.close()
            await fetcher.close()
            with pytest.raises(RuntimeError, match="closed"):
                await fetcher.fetch(Url.parse("http://127.0.0.1/"))

        asyncio.run(scenario())


class TestRedirects:
    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_a_redirect_is_an_outcome_and_is_not_followed(self, status: int) -> None:
        answer = answer_of(web.Response(status=status, headers={"Location": "http://s.test/new?x=1#part"}))
        assert answer.outcome == Redirected(status, Url.parse("http://s.test/new?x=1"))

    def test_a_redirect_to_the_page_itself_is_data_like_any_redirect(self) -> None:
        async def scenario() -> None:
            async with serve({"/": web.Response(status=302, headers={"Location": "/#top"})}) as root:
                assert (await fetched(root)).outcome == Redirected(302, root)

        asyncio.run(scenario())

    @pytest.mark.parametrize("path", [b"/caf%C3%A9", b"/caf%E9"])
    def test_a_location_with_raw_bytes_leads_where_a_browser_would_go(self, path: bytes) -> None:
        head = b"HTTP/1.1 301 Moved\r\nLocation: http://s.test" + unquote_to_bytes(path) + b"\r\n\r\n"
        assert answer_to(head).outcome == Redirected(301, Url.parse(f"http://s.test{path.decode()}"))

    @pytest.mark.parametrize("location", ["mailto:me@example.org", "http://[broken", "", "/" + "x" * 5000, None])
    def test_a_redirect_to_nowhere_is_a_bad_response(self, location: str | None) -> None:
        headers = {} if location is None else {"Location": location}
        answer = answer_of(web.Response(status=301, headers=headers))
        assert failure_of(answer) == (FailureReason.BAD_RESPONSE, 301)


class TestLimits:
    def test_an_endless_body_is_cut_early(self) -> None:
        sent_bytes = 0

        async def endless(request: web.BaseRequest) -> web.StreamResponse:
            nonlocal sent_bytes
            response = web.StreamResponse()
            await response.prepare(request)
            while True:
                await response.write(b"x" * 10_000)
                sent_bytes += 10_000

        assert failure_of(answer_of(endless, max_body_bytes=50_000)) == (FailureReason.TOO_LARGE, 200)
        assert sent_bytes < 20_000_000  # what fits into the sockets' buffers, not more

    def test_a_body_announced_too_large_is_not_read_at_all(self) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\nstart"
        assert failure_of(answer_to(head, max_body_bytes=1000)) == (FailureReason.TOO_LARGE, 200)

    def test_a_body_of_exactly_the_limit_is_kept(self) -> None:
        assert len(body_of(answer_of(web.Response(body=b"x" * 1000), max_body_bytes=1000))) == 1000

    def test_the_first_bytes_can_be_had_of_a_body_over_the_limit(self) -> None:
        async def scenario() -> Answer:
            big = web.Response(body=b"x" * 10_000)
            async with serve({"/": big}) as root, opened(max_body_bytes=10) as fetcher:
                return await fetcher.fetch(root, first_bytes=500)

        assert body_of(asyncio.run(scenario())) == b"x" * 500


class FailingResolver(AbstractResolver):
    """Has one answer to everything."""

    def __init__(self, errno: int) -> None:
        self._errno = errno

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        raise socket.gaierror(self._errno, "no address")

    async def close(self) -> None:
        pass


def is_temporary(answer: Answer) -> bool:
    assert isinstance(answer.outcome, Failed)
    return answer.outcome.is_temporary


class TestLengths:
    """A host that sends more than it says is understood as a browser understands it."""

    @pytest.mark.parametrize("more", [b"", b"Connection: close\r\n"])
    def test_what_is_beyond_the_announced_length_is_dropped(self, more: bytes) -> None:
        raw = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n" + more + b"\r\nrocks and more"
        outcome = answer_to(raw, timeout_s=5).outcome
        assert isinstance(outcome, Fetched)
        assert outcome.body == b"rocks"

    @pytest.mark.parametrize("more", [b"Content-Length: 5\r\n", b"", b"Transfer-Encoding: chunked\r\n"])
    def test_an_answer_without_content_has_none(self, more: bytes) -> None:
        outcome = answer_to(b"HTTP/1.1 204 No Content\r\n" + more + b"\r\n5\r\nrocks\r\n0\r\n\r\n", timeout_s=5).outcome
        assert isinstance(outcome, Fetched)
        assert (outcome.status, outcome.body) == (204, b"")

    def test_what_is_too_much_is_not_taken_for_the_next_answer(self) -> None:
        """The second answer, sent along with the first, is that of another page: it must not be believed."""
        page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n"
        asked, gone = 0, asyncio.Semaphore(0)

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal asked
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while True:
                    await reader.readuntil(b"\r\n\r\n")
                    asked += 1
                    writer.write(page + b"rocks" + page + b"false")
                    await writer.drain()
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            gone.release()

        async def scenario() -> list[bytes]:
            async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
                url = Url.parse(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/")
                fetcher = HttpFetcher(FetchSettings(allow_private=("127.0.0.1",)), RealClock())
                outcomes = [(await fetcher.fetch(url)).outcome for _ in range(3)]
                await fetcher.close()
                for _ in range(3):  # every answer had a connection of its own
                    await gone.acquire()
                return [outcome.body for outcome in outcomes if isinstance(outcome, Fetched)]

        assert asyncio.run(scenario()) == [b"rocks"] * 3
        assert asked == 3

    @given(st.lists(st.integers(1, 60), max_size=6))
    def test_it_does_not_matter_how_an_answer_is_cut_into_packets(self, cuts: list[int]) -> None:
        raw = (
            b"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nrocksX"
        )
        places = [0, *sorted({min(cut, len(raw)) for cut in cuts}), len(raw)]
        assert _kept_of([raw[start:end] for start, end in pairwise(places)]) == raw[:-1]


def _kept_of(packets: list[bytes]) -> bytes:
    """Return what the library is shown of an answer."""
    shown: list[bytes] = []

    async def scenario() -> None:
        protocol = connections._OneAnswer(asyncio.get_running_loop())
        protocol.set_response_params()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ResponseHandler, "data_received", lambda _, data: shown.append(data))
            for packet in packets:
                protocol.data_received(packet)

    asyncio.run(scenario())
    return b"".join(shown)


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
    def test_a_broken_answer_is_a_failure(self, raw: bytes, reason: FailureReason) -> None:
        assert failure_of(answer_to(raw, timeout_s=5))[0] is reason

    def test_a_closed_port_is_a_connection_failure(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            answer = asyncio.run(fetched(f"http://127.0.0.1:{unused.getsockname()[1]}/"))
        assert failure_of(answer) == (FailureReason.CONNECTION, None)
        assert answer.exchange is None
        assert answer.address == "127.0.0.1"

    def test_https_asked_of_a_plain_server_is_a_failure_of_tls(self) -> None:
        async def scenario() -> Answer:
            async with serve({}) as root:
                return await fetched(root.text.replace("http:", "https:"))

        assert failure_of(asyncio.run(scenario())) == (FailureReason.TLS, None)

    def test_a_host_name_no_resolver_can_take_is_a_failure(self) -> None:
        answer = asyncio.run(fetched(f"http://{'a' * 70}.localhost/"))
        assert failure_of(answer) == (FailureReason.DNS, None)

    @pytest.mark.parametrize(
        ("errno", "reason", "may_pass"),
        [
            (socket.EAI_NONAME, FailureReason.DNS, False),
            (socket.EAI_AGAIN, FailureReason.CONNECTION, True),
            (socket.EAI_FAIL, FailureReason.CONNECTION, True),
        ],
    )
    def test_a_name_that_is_not_there_is_told_from_a_name_server_in_trouble(
        self, errno: int, reason: FailureReason, may_pass: bool
    ) -> None:
        answer = asyncio.run(fetched("http://a.test/", FailingResolver(errno)))
        assert (failure_of(answer)[0], is_temporary(answer)) == (reason, may_pass)

    @pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl to make a certificate with")
    def test_a_certificate_that_nobody_vouches_for_is_a_lasting_failure_of_tls(self, tmp_path: Path) -> None:
        key, made = tmp_path / "key", tmp_path / "certificate"
        made_by = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(made)]
        subprocess.run([*made_by, "-subj", "/CN=a.test", "-days", "2"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(made, key)

        async def scenario() -> Answer:
            server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
            async with server:
                return await fetched(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/")

        answer = asyncio.run(scenario())
        assert (failure_of(answer)[0], is_temporary(answer)) == (FailureReason.TLS, False)
        assert isinstance(answer.outcome, Failed)
        assert "certificate" in answer.outcome.detail

    def test_a_connection_that_breaks_within_the_handshake_may_heal(self) -> None:
        async def break_off(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            broken: socket.socket = writer.get_extra_info("socket")
            broken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

        async def scenario() -> Answer:
            async with serving(break_off) as root:
                return await fetched(root.text.replace("http:", "https:"))

        answer = asyncio.run(scenario())
        assert (failure_of(answer)[0], is_temporary(answer)) == (FailureReason.CONNECTION, True)


class TestHeaders:
    def test_status_line_and_headers_are_kept_as_received(self) -> None:
        raw = b"HTTP/1.0 200 Very Fine\r\nX-ODD:  two  \r\nx-odd: caf\xe9\r\nContent-Length: 2\r\n\r\nhi"
        exchange = answer_to(raw, user_agent="Honeyguide/9").exchange
        assert exchange is not None
        assert exchange.status_line == "HTTP/1.0 200 Very Fine"
        assert exchange.headers == ((b"X-ODD", b"two"), (b"x-odd", b"caf\xe9"), (b"Content-Length", b"2"))
        sent = dict(exchange.request_headers)
        assert sent[b"User-Agent"].startswith(b"Honeyguide/9")
        assert b"Host" in sent

    @pytest.mark.parametrize("status", [200, 301, 404, 429, 503])
    def test_every_answer_has_its_exchange_and_the_pause_it_asks_for(self, status: int) -> None:
        answer = answer_of(web.Response(status=status, headers={"Retry-After": "17", "Location": "/x"}))
        assert answer.exchange is not None
        assert answer.exchange.status_line.split()[1] == str(status)
        assert answer.retry_after_s == 17.0
        assert answer_of(web.Response(status=status)).retry_after_s == 0.0

    def test_every_robots_tag_is_kept_on_a_line_of_its_own(self) -> None:
        head = (
            b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\nx-robots-tag: otherbot: none\xff\r\nContent-Length: 0\r\n\r\n"
        )
        outcome = answer_to(head).outcome
        assert isinstance(outcome, Fetched)
        assert outcome.robots_tag.split("\n") == ["noindex", "otherbot: none?"]

    def test_a_header_that_is_not_utf8_comes_out_as_text_that_can_be_stored(self) -> None:
        answer = answer_to(b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=\xff\r\n\r\n")
        assert answer.outcome == Fetched(200, "text/html; charset=\ufffd", b"")

    def test_what_tells_versions_of_a_page_apart_is_kept_but_not_without_end(self) -> None:
        headers = {"ETag": "x" * 50_000, "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}
        outcome = answer_of(web.Response(text="rock", headers=headers)).outcome
        assert isinstance(outcome, Fetched)
        assert (outcome.etag, outcome.last_modified) == ("x" * 1000, "Wed, 21 Oct 2015 07:28:00 GMT")

    def test_the_user_agent_is_sent_with_the_contact(self) -> None:
        sent = header_sent("User-Agent", user_agent="Surveyor/2", contact="crawl@example.org")
        assert sent == "Surveyor/2 (crawl@example.org)"

    @pytest.mark.parametrize(("setting", "sent"), [("", None), ("de, en;q=0.5", "de, en;q=0.5")])
    def test_a_language_is_asked_for_where_a_person_has_one(self, setting: str, sent: str | None) -> None:
        assert header_sent("Accept-Language", accept_language=setting) == sent

    def test_only_packings_that_can_be_unpacked_are_offered(self) -> None:
        assert header_sent("Accept-Encoding") == "gzip, deflate, br"

    def test_a_gzipped_page_arrives_unpacked(self) -> None:
        packed = web.Response(body=gzip.compress(b"basalt"), headers={"Content-Encoding": "gzip"})
        assert body_of(answer_of(packed)) == b"basalt"


class TestRetryAfter:
    @pytest.mark.parametrize(
        ("header", "pause_s"),
        [
            ("120", 120.0), (" 0 ", 0.0), ("1.5", 1.5), ("007", 7.0), (formatdate(NOW + 90, usegmt=True), 90.0),
            (formatdate(NOW - 90, usegmt=True), 0.0), ("99999999", LONGEST_REST_S), ("9" * 15, LONGEST_REST_S),
            (formatdate(NOW + 10 * LONGEST_REST_S, usegmt=True), LONGEST_REST_S),
        ],
    )  # fmt: skip
    def test_seconds_are_seconds_and_dates_count_from_now_up_to_a_day(self, header: str, pause_s: float) -> None:
        assert retry_after_s(header, NOW) == pause_s

    @pytest.mark.parametrize(
        "header", ["", "soon", "-5", "1e9", "nan", "inf", "٣", "12 s", "9" * 400, "Wed, 99 Foo 2024", "0x10", "1, 2"]
    )
    def test_nonsense_asks_for_nothing(self, header: str) -> None:
        assert retry_after_s(header, NOW) == 0.0

    @given(st.text() | st.from_regex(r"[A-Z][a-z]{2}, \d+ [A-Z][a-z]{2} \d+ \d+:\d+:\d+ (GMT|[+-]\d+)", fullmatch=True))
    def test_no_header_makes_it_fail(self, header: str) -> None:
        assert 0.0 <= retry_after_s(header, NOW) <= LONGEST_REST_S
