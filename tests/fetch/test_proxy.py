"""Everything asked through a proxy, which then is the one to look up names."""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from aiohttp import web

from honeyguide.crawler import crawl_async, resume_async
from honeyguide.crawler.live import polite_fetcher
from honeyguide.errors import ProxyError, SettingsError
from honeyguide.fetch import HttpFetcher
from honeyguide.fetch.proxies import Proxies
from honeyguide.model import Answer, Failed, FailureReason, Fetched, RefusalReason, Refused, Url
from honeyguide.model.clock import RealClock, SimulatedClock
from honeyguide.settings import FetchSettings, settings_from, to_toml, validate
from local_site import serve

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

LOGIN = "crawler:s3cret"
ENCODED = b64encode(LOGIN.encode()).decode()


@asynccontextmanager
async def proxy() -> AsyncIterator[tuple[str, list[str]]]:
    """A proxy that answers plain requests itself and opens no tunnel, and the heads of the requests it was sent."""
    heads: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        if heads[-1].startswith("CONNECT "):
            writer.write(b"HTTP/1.1 403 No tunnels\r\nContent-Length: 0\r\n\r\n")
        else:
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nby proxy")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heads


def asked(url: str, login: str = "", **settings: Any) -> tuple[Answer, list[str]]:
    async def scenario() -> tuple[Answer, list[str]]:
        async with proxy() as (address, heads):
            fetcher = HttpFetcher(FetchSettings(proxies=(address,), **settings), RealClock(), proxy_login=login)
            try:
                return await fetcher.fetch(Url.parse(url)), heads
            finally:
                await fetcher.close()

    return asyncio.run(scenario())


def test_a_page_is_asked_of_the_proxy_and_no_name_is_looked_up_here() -> None:
    answer, (head,) = asked("http://nobody-knows.invalid/page?q=1", LOGIN)
    assert answer.outcome == Fetched(200, "text/plain", b"by proxy")
    assert answer.address == "", "whom the proxy has called, nobody knows"
    assert head.startswith("GET http://nobody-knows.invalid/page?q=1 HTTP/1.1\r\n")
    assert f"Proxy-Authorization: Basic {ENCODED}" in head


def test_only_the_proxy_gets_the_login_for_a_tunnel() -> None:
    answer, (head,) = asked("https://nobody-knows.invalid/", LOGIN)
    assert head.startswith("CONNECT nobody-knows.invalid:443 ")
    assert f"Proxy-Authorization: Basic {ENCODED}" in head
    assert isinstance(answer.outcome, Failed)
    assert answer.outcome.reason is FailureReason.CONNECTION
    assert LOGIN not in answer.outcome.detail
    assert ENCODED not in answer.outcome.detail


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "2130706433", "[::1]:8080", "localhost:80"])
def test_what_the_url_itself_tells_to_be_private_is_not_asked_of_the_proxy(host: str) -> None:
    answer, heads = asked(f"http://{host}/")
    assert isinstance(answer.outcome, Refused)
    assert answer.outcome.reason is RefusalReason.ADDRESS
    assert heads == []


def test_a_person_may_allow_that() -> None:
    answer, heads = asked("http://127.0.0.1/", allow_private=("127.0.0.0/8",))
    assert isinstance(answer.outcome, Fetched)
    assert len(heads) == 1


async def dead_address() -> str:
    """The address of a proxy that is not there."""
    async with proxy() as (address, _):
        return address


class TestSeveral:
    def test_proxies_take_turns(self) -> None:
        async def scenario() -> list[int]:
            async with proxy() as (one, first), proxy() as (two, second):
                fetcher = HttpFetcher(FetchSettings(proxies=(one, two)), RealClock())
                for number in range(6):
                    await fetcher.fetch(Url.parse(f"http://example.org/{number}"))
                await fetcher.close()
                return [len(first), len(second)]

        assert asyncio.run(scenario()) == [3, 3]

    def test_one_that_does_not_answer_rests_and_costs_no_page(self) -> None:
        async def scenario() -> list[Answer]:
            async with proxy() as (address, _):
                settings = FetchSettings(proxies=(await dead_address(), address), proxy_rest_s=60)
                fetcher = HttpFetcher(settings, RealClock())
                answers = [await fetcher.fetch(Url.parse(f"http://example.org/{number}")) for number in range(5)]
                await fetcher.close()
                return answers

        assert all(isinstance(answer.outcome, Fetched) for answer in asyncio.run(scenario()))

    def test_one_that_refuses_the_login_rests(self) -> None:
        async def scenario() -> ProxyError:
            async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(b"HTTP/1.1 407 Login\r\nContent-Length: 0\r\n\r\n")
                await writer.drain()
                writer.close()

            async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
                address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
                settings = FetchSettings(proxies=(address,), proxy_rest_s=0.01)
                fetcher = HttpFetcher(settings, RealClock(), proxy_login=LOGIN)
                with pytest.raises(ProxyError) as down:
                    await fetcher.fetch(Url.parse("https://example.org/"))
                await fetcher.close()
                return down.value

        told = str(asyncio.run(scenario()))
        assert "it wants another login (fetch.proxy_login)" in told
        assert "s3cret" not in told

    def test_a_tunnel_that_never_opens_costs_its_page_and_no_proxy(self) -> None:
        async def scenario() -> list[Answer]:
            async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                head = await reader.readuntil(b"\r\n\r\n")
                if head.startswith(b"CONNECT "):
                    await reader.read()  # until we give up
                else:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nok")
                    await writer.drain()
                writer.close()
                await writer.wait_closed()

            async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
                address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
                settings = FetchSettings(proxies=(address, address), connect_timeout_s=0.05, proxy_rest_s=0.01)
                fetcher = HttpFetcher(settings, RealClock())
                urls = ("https://dead.example.org/", "https://dead.example.org/2", "http://example.org/")
                answers = [await fetcher.fetch(Url.parse(url)) for url in urls]
                await fetcher.close()
                return answers

        dead, still_dead, well = (answer.outcome for answer in asyncio.run(scenario()))
        assert dead == still_dead == Failed(FailureReason.TIMEOUT, "no connection within 0.05 s")
        assert isinstance(well, Fetched)

    def test_one_that_takes_no_connection_in_time_rests(self) -> None:
        class NoAnswer(aiohttp.abc.AbstractResolver):
            async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[Any]:
                if host == "nowhere.test":
                    raise OSError(socket.EAI_NONAME, "no such name")
                return await asyncio.Future()

            async def close(self) -> None: ...

        async def scenario() -> str:
            proxies = ("http://silent.test:1", "http://nowhere.test:1")
            settings = FetchSettings(proxies=proxies, connect_timeout_s=0.02, proxy_rest_s=0.01)
            fetcher = HttpFetcher(settings, RealClock(), NoAnswer())
            with pytest.raises(ProxyError) as down:
                await fetcher.fetch(Url.parse("https://example.org/"))
            await fetcher.close()
            return str(down.value)

        told = asyncio.run(scenario())
        assert "http://silent.test:1: no connection within 0.02 s" in told
        assert "http://nowhere.test:1: no such name" in told

    def test_one_that_comes_back_is_asked_again(self) -> None:
        clock = SimulatedClock()
        proxies = Proxies(["http://a:1", "http://b:1"], clock, rest_s=10)

        async def scenario() -> list[str]:
            first = await proxies.take()
            proxies.note_failure(first, "refused")
            proxies.note_failure(first, "refused")  # under way at the same time
            assert first.failures == 1
            asked = [(await proxies.take()).url for _ in range(2)]
            clock.advance_to(10.0)
            asked += [(await proxies.take()).url for _ in range(2)]
            proxies.note_failure(first, "refused")
            assert first.ready_at == 30.0
            clock.advance_to(30.0)
            proxies.note_answer(first)
            assert (first.failures, first.ready_at) == (0, 0.0)
            return asked

        assert asyncio.run(scenario()) == ["http://b:1", "http://b:1", "http://a:1", "http://b:1"]

    def test_when_none_answers_the_crawl_ends_with_one_line_and_goes_on_later(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def scenario() -> tuple[str, int]:
            async with forwarding_proxy() as (address, forwarded), small_site() as home:
                dead = [await dead_address(), await dead_address()]
                settings = settings_from(
                    {
                        "topic": {"name": "rock"},
                        "crawl": {"seed_urls": [home.text], "strategy": "breadth-first"},
                        "budget": {"fetches": 5},
                        "fetch": {"allow_private": ["127.0.0.0/8"], "proxies": dead, "proxy_rest_s": 0.02},
                        "politeness": {"delay_s": 0.0, "delay_factor": 0.0},
                    }
                )
                with pytest.raises(ProxyError) as down:
                    await crawl_async(tmp_path / "run", settings)
                with await resume_async(tmp_path / "run", {"fetch.proxies": [dead[0], address]}) as run:
                    assert len(forwarded) == run.progress.steps + 1, "all through the one that is up, robots.txt too"
                    return str(down.value), run.progress.pages

        told, pages = asyncio.run(scenario())
        assert told.startswith("no proxy answers (http://127.0.0.1:")
        assert told.count("Connect") >= 2
        assert "resume the run" in told
        assert "\n" not in told
        assert pages == 3
        waits = [record for record in caplog.records if "the crawl waits for one" in record.getMessage()]
        assert len(waits) == 1


@asynccontextmanager
async def small_site() -> AsyncIterator[Url]:
    pages = {"/": "<p>rock <a href=/a>a</a> <a href=/b>b</a>", "/a": "<p>basalt rock", "/b": "<p>granite rock"}
    responses = {path: web.Response(text=body, content_type="text/html") for path, body in pages.items()}
    async with serve(responses) as home:
        yield home


@asynccontextmanager
async def forwarding_proxy() -> AsyncIterator[tuple[str, list[str]]]:
    """A proxy that asks the host itself, and the request lines it was sent."""
    forwarded: list[str] = []

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        line, _, rest = head.partition("\r\n")
        forwarded.append(line)
        target = Url.parse(line.split()[1])
        name, _, port = target.host.partition(":")
        theirs, ours = await asyncio.open_connection(name, int(port or 80))
        ours.write(f"GET {target.text.removeprefix(target.origin)} HTTP/1.1\r\nConnection: close\r\n{rest}".encode())
        writer.write(await theirs.read())
        ours.close()
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(forward, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", forwarded


class TestLogin:
    def test_the_login_is_read_from_its_file_and_kept_nowhere(self, tmp_path: Path) -> None:
        file = tmp_path / "login"
        file.write_text(f"{LOGIN}\n", encoding="utf-8")

        async def scenario() -> tuple[str, str]:
            async with proxy() as (address, heads):
                settings = settings_from(
                    {"topic": {"name": "x"}, "fetch": {"proxies": [address], "proxy_login": str(file)}}
                )
                validate(settings)
                fetcher = polite_fetcher(settings, RealClock())
                await fetcher.fetch(Url.parse("http://nobody-knows.invalid/"))
                await fetcher.close()
                return heads[-1], to_toml(settings)

        head, kept = asyncio.run(scenario())
        assert ENCODED in head
        assert "s3cret" not in kept

    @pytest.mark.parametrize("content", [None, b"", b"nobody", b"two:\nlines", b"\xff:\xfe"])
    def test_a_file_without_a_login_is_refused(self, tmp_path: Path, content: bytes | None) -> None:
        file = tmp_path / "login"
        if content is not None:
            file.write_bytes(content)
        settings = settings_from({"fetch": {"proxies": ["http://proxy.test:3128"], "proxy_login": str(file)}})
        with pytest.raises(SettingsError, match=r"fetch\.proxy_login"):
            polite_fetcher(settings, RealClock())

    @pytest.mark.parametrize("url", [f"http://{LOGIN}@proxy.test:3128", "http://s3cret@proxy.test/"])
    def test_a_login_in_the_url_is_refused_and_not_repeated(self, url: str) -> None:
        with pytest.raises(SettingsError) as refused:
            validate(settings_from({"topic": {"name": "x"}, "fetch": {"proxies": [url]}}))

        assert "fetch.proxy_login" in str(refused.value)
        assert "s3cret" not in str(refused.value)

    @pytest.mark.parametrize("url", ["proxy.test:3128", "socks5://proxy.test", "http://", "http://a b", "http://p/x"])
    def test_what_is_no_proxy_is_refused(self, url: str) -> None:
        with pytest.raises(SettingsError, match="not the URL of an HTTP proxy"):
            validate(settings_from({"topic": {"name": "x"}, "fetch": {"proxies": [url]}}))

    def test_a_login_without_a_proxy_is_refused(self) -> None:
        with pytest.raises(SettingsError, match=r"no fetch\.proxies"):
            validate(settings_from({"topic": {"name": "x"}, "fetch": {"proxy_login": "file"}}))
