"""Everything asked through a proxy, which then is the one to look up names."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.crawler.live import polite_fetcher
from honeyguide.errors import SettingsError
from honeyguide.fetch import HttpFetcher
from honeyguide.model import Answer, Failed, FailureReason, Fetched, RefusalReason, Refused, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import FetchSettings, settings_from, to_toml, validate

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
            fetcher = HttpFetcher(FetchSettings(proxy=address, **settings), RealClock(), proxy_login=login)
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


def test_a_proxy_that_is_not_there_is_a_failed_connection() -> None:
    async def scenario() -> Answer:
        async with proxy() as (address, _):
            pass
        fetcher = HttpFetcher(FetchSettings(proxy=address), RealClock())
        answer = await fetcher.fetch(Url.parse("http://example.org/"))
        await fetcher.close()
        return answer

    outcome = asyncio.run(scenario()).outcome
    assert isinstance(outcome, Failed)
    assert outcome.reason is FailureReason.CONNECTION


class TestLogin:
    def test_the_login_is_read_from_its_file_and_kept_nowhere(self, tmp_path: Path) -> None:
        file = tmp_path / "login"
        file.write_text(f"{LOGIN}\n", encoding="utf-8")

        async def scenario() -> tuple[str, str]:
            async with proxy() as (address, heads):
                settings = settings_from(
                    {"topic": {"name": "x"}, "fetch": {"proxy": address, "proxy_login": str(file)}}
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
        settings = settings_from({"fetch": {"proxy": "http://proxy.test:3128", "proxy_login": str(file)}})
        with pytest.raises(SettingsError, match=r"fetch\.proxy_login"):
            polite_fetcher(settings, RealClock())

    @pytest.mark.parametrize("url", [f"http://{LOGIN}@proxy.test:3128", "http://s3cret@proxy.test/"])
    def test_a_login_in_the_url_is_refused_and_not_repeated(self, url: str) -> None:
        with pytest.raises(SettingsError) as refused:
            validate(settings_from({"topic": {"name": "x"}, "fetch": {"proxy": url}}))

        assert "fetch.proxy_login" in str(refused.value)
        assert "s3cret" not in str(refused.value)

    @pytest.mark.parametrize("url", ["proxy.test:3128", "socks5://proxy.test", "http://", "http://a b", "http://p/x"])
    def test_what_is_no_proxy_is_refused(self, url: str) -> None:
        with pytest.raises(SettingsError, match="not the URL of an HTTP proxy"):
            validate(settings_from({"topic": {"name": "x"}, "fetch": {"proxy": url}}))

    def test_a_login_without_a_proxy_is_refused(self) -> None:
        with pytest.raises(SettingsError, match=r"no fetch\.proxy"):
            validate(settings_from({"topic": {"name": "x"}, "fetch": {"proxy_login": "file"}}))
