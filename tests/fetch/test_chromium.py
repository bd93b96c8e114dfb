"""Pages that scripts make, run in a real Chromium whose every request is answered by a fetcher of ours."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from browser import needs_chromium
from honeyguide.crawler.live import polite_fetcher
from honeyguide.errors import SettingsError
from honeyguide.fetch.chromium import ChromiumRenderer
from honeyguide.model import Answer, Failed, FailureReason, Fetched, Redirected, RefusalReason, Refused, Url
from honeyguide.model.clock import RealClock
from honeyguide.settings import RenderSettings, settings_from
from loopback_servers import loopback_servers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from honeyguide.model import Outcome
    from loopback_servers import LoopbackServers

HERE = Url.parse("http://app.test/")
NOT_ROOTED = RenderSettings(enabled=True, sandbox=False, timeout_s=3.0)


class WrittenFetcher:
    """Answers from a table, and remembers what it was asked for."""

    def __init__(self, outcomes: Mapping[str, Outcome]) -> None:
        self._outcomes = outcomes
        self.asked: list[str] = []

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        assert first_bytes == 100_000
        self.asked.append(url.text)
        missing = Failed(FailureReason.HTTP_STATUS, "404", 404)
        return Answer(self._outcomes.get(url.text, missing), elapsed_s=0.0)

    async def close(self) -> None:
        pass


def script(text: str) -> Fetched:
    return Fetched(200, "text/javascript", text.encode())


def shell(body: str) -> Fetched:
    return Fetched(200, "text/html; charset=utf-8", f"<html><body><div id=app></div>{body}</body></html>".encode())


def rendered(
    page: Fetched, fetcher: WrittenFetcher, settings: RenderSettings = NOT_ROOTED
) -> Fetched | Redirected | None:
    async def scenario() -> Fetched | Redirected | None:
        renderer = ChromiumRenderer(fetcher, settings, "Honeyguide/test", max_body_bytes=100_000)
        try:
            await renderer.open()
            return await renderer.render(HERE, page)
        finally:
            await renderer.close()
            await renderer.close()

    return asyncio.run(scenario())


def text_of(outcome: Fetched | Redirected | None) -> str:
    assert isinstance(outcome, Fetched)
    return outcome.body.decode()


@needs_chromium
def test_a_page_becomes_what_its_scripts_make_of_it() -> None:
    fetcher = WrittenFetcher(
        {
            "http://cdn.test/app.js": script(
                "fetch('http://api.test/rocks.json').then(r => r.json()).then(rocks => {"
                "document.getElementById('app').innerHTML ="
                "'<p>' + rocks[0] + ' \\u00e9</p><a href=\"/more\">more</a>'})"
            ),
            "http://api.test/rocks.json": Fetched(200, "application/json", b'["basalt"]'),
        }
    )
    page = shell(
        '<img src="/picture.png"><link rel=stylesheet href="/a.css"><script src="http://cdn.test/app.js"></script>'
    )
    text = text_of(rendered(page, fetcher))
    assert "<p>basalt \u00e9</p>" in text
    assert 'href="/more"' in text
    assert fetcher.asked == ["http://cdn.test/app.js", "http://api.test/rocks.json"]  # nor the page a second time


@needs_chromium
def test_a_script_that_leaves_the_page_makes_it_a_redirect() -> None:
    fetcher = WrittenFetcher({})
    outcome = rendered(shell("<script>location.href = '/elsewhere#part'</script>"), fetcher)
    assert outcome == Redirected(200, Url.parse("http://app.test/elsewhere"))
    assert fetcher.asked == []


@needs_chromium
def test_what_the_fetcher_refuses_does_not_reach_the_page() -> None:
    fetcher = WrittenFetcher(
        {
            "http://10.0.0.1/secret": Refused(RefusalReason.ADDRESS, "private"),
            "http://api.test/moved": Redirected(302, Url.parse("http://10.0.0.1/secret")),
        }
    )
    told = "r => document.body.append('told ' + r.status), () => document.body.append('nothing')"
    page = shell(
        f"<script>fetch('http://10.0.0.1/secret').then({told}); fetch('http://api.test/moved').then({told});"
        f"fetch('http://api.test/none').then({told});"
        f"fetch('http://api.test/x', {{method: 'POST'}}).then({told})</script>"
    )
    text = text_of(rendered(page, fetcher)).rpartition("</script>")[2]
    assert text.count("nothing") == 3
    assert text.count("told 404") == 1
    assert sorted(set(fetcher.asked)) == ["http://10.0.0.1/secret", "http://api.test/moved", "http://api.test/none"]


@needs_chromium
def test_what_is_denied_is_not_asked_for_not_even_by_a_redirect() -> None:
    fetcher = WrittenFetcher(
        {
            "http://app.test/on": Redirected(302, Url.parse("http://ads.test/there")),
            "http://app.test/data": Fetched(200, "text/plain", b"basalt"),
        }
    )
    page = shell(
        "<script>const show = url => fetch(url).then(r => r.text(), () => 'denied').then(t => document.body.append(t));"
        "show('http://ads.test/'); show('/on'); show('/data')</script>"
    )

    async def scenario() -> Fetched | Redirected | None:
        renderer = ChromiumRenderer(
            fetcher, NOT_ROOTED, "Honeyguide/test", 100_000, is_denied=lambda url: url.host == "ads.test"
        )
        try:
            return await renderer.render(HERE, page)
        finally:
            await renderer.close()

    text = text_of(asyncio.run(scenario()))
    assert text.count("denied") == 3, "twice besides the script itself"
    assert "basalt" in text.partition("</script>")[2]
    assert sorted(fetcher.asked) == ["http://app.test/data", "http://app.test/on"]


@needs_chromium
def test_a_script_gets_nothing_of_other_hosts_that_the_user_is_signed_in_at() -> None:
    own, other, secret = "http://app.test/own", "http://other.test/data", "http://intranet.test/data"
    fetcher = WrittenFetcher({each: Fetched(200, "text/plain", b"rocks") for each in (own, other, secret)})
    page = shell(f"<script>for (const url of ['{own}', '{other}', '{secret}']) fetch(url)</script>")

    async def scenario() -> None:
        is_secret = {Url.parse(own), Url.parse(secret)}
        renderer = ChromiumRenderer(
            fetcher, NOT_ROOTED, "Honeyguide/test", max_body_bytes=100_000, has_secret=is_secret.__contains__
        )
        try:
            await renderer.open()
            await renderer.render(HERE, page)
        finally:
            await renderer.close()

    asyncio.run(scenario())
    assert sorted(fetcher.asked) == [own, other]


@needs_chromium
def test_nothing_is_asked_for_once_the_page_has_been_taken() -> None:
    """By the log of a server whose pause lets only a few of the requests of the page through in time."""
    page = shell("<script>document.body.append('rock'); for (let i = 0; i < 30; i++) fetch('/' + i)</script>")
    settings = settings_from(
        {
            "topic": {"name": "rock"},
            "fetch": {"allow_private": ["127.0.0.0/8"]},
            "politeness": {"delay_s": 0.3, "per_address": False},
            "render": {"enabled": True, "sandbox": False, "timeout_s": 4.0},  # a busy browser takes a second to begin
        }
    )

    async def scenario(servers: LoopbackServers) -> tuple[Fetched | Redirected | None, int, int]:
        fetcher = polite_fetcher(settings, RealClock())
        renderer = ChromiumRenderer(fetcher, settings.render, "Honeyguide/test", 100_000)
        try:
            await renderer.open()
            outcome = await renderer.render(Url.parse(servers.url("127.0.0.1")), page)
            asked = len(servers.log)
            await asyncio.sleep(1.5)
            return outcome, asked, len(servers.log)
        finally:
            await renderer.close()
            await fetcher.close()

    with loopback_servers(lambda _: web.Response(text="basalt")) as servers:
        outcome, asked, asked_later = asyncio.run(scenario(servers))
    assert "rock" in text_of(outcome)
    assert 2 <= asked < 30
    assert asked_later == asked


@needs_chromium
def test_the_browser_itself_calls_nobody() -> None:
    calls = 0

    async def scenario() -> None:
        def count(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal calls
            calls += 1
            writer.close()

        async with await asyncio.start_server(count, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            page = shell(
                f"<script>new WebSocket('ws://127.0.0.1:{port}/'); new EventSource('http://127.0.0.1:{port}/e');"
                f"navigator.sendBeacon('http://127.0.0.1:{port}/b', 'x');"
                f"new Image().src = 'http://localhost:{port}/i';"
                f"import('http://127.0.0.1:{port}/m.js').catch(() => 0); document.body.append('done')</script>"
                f"<iframe src='http://127.0.0.1:{port}/f'></iframe><link rel=preconnect href='http://127.0.0.1:{port}'>"
            )
            renderer = ChromiumRenderer(WrittenFetcher({}), NOT_ROOTED, "Honeyguide/test", 100_000)
            await renderer.open()
            outcome = await renderer.render(HERE, page)
            await renderer.close()
            assert "done" in text_of(outcome)

    asyncio.run(scenario())
    assert calls == 0


@needs_chromium
def test_a_script_that_never_ends_costs_its_time_and_no_more() -> None:
    page = shell("<script>for (;;) {}</script>")
    settings = RenderSettings(enabled=True, sandbox=False, timeout_s=1.0)

    async def scenario() -> tuple[Fetched | Redirected | None, ...]:
        renderer = ChromiumRenderer(WrittenFetcher({}), settings, "Honeyguide/test", 100_000)
        await renderer.open()
        stuck = await renderer.render(HERE, page)
        after = await renderer.render(HERE, shell("<script>document.body.append('well')</script>"))
        await renderer.close()
        return stuck, after

    stuck, after = asyncio.run(asyncio.wait_for(scenario(), 30))
    assert stuck is None
    assert "well" in text_of(after)


@needs_chromium
def test_requests_of_one_page_are_limited() -> None:
    page = shell("<script>(async () => { for (let i = 0; i < 9; i++) await fetch('/' + i).catch(() => 0) })()</script>")
    fetcher = WrittenFetcher({})
    settings = RenderSettings(enabled=True, sandbox=False, timeout_s=3.0, max_requests=4)
    assert rendered(page, fetcher, settings) is not None
    assert fetcher.asked == [f"http://app.test/{number}" for number in range(4)]


@needs_chromium
def test_a_page_that_grows_too_large_stays_as_it_was() -> None:
    page = shell("<script>document.body.append('rock '.repeat(30000))</script>")
    assert rendered(page, WrittenFetcher({})) is None


@needs_chromium
def test_a_browser_that_does_not_start_is_named_with_the_remedy() -> None:
    settings = RenderSettings(enabled=True, browser="/no/such/chromium", sandbox=False)
    with pytest.raises(SettingsError, match=r"/no/such/chromium does not start .*install Chromium"):
        rendered(shell(""), WrittenFetcher({}), settings)


def test_without_playwright_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    with pytest.raises(SettingsError, match=r"pip install .*\[browser\]'"):
        rendered(shell(""), WrittenFetcher({}))
