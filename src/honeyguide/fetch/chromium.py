"""Pages run in headless Chromium, which never touches the network itself.

Every request of a page is taken from the browser and asked through our own fetcher, so robots.txt, pauses, private
addresses, sizes and times are treated as for any other URL. The page itself is not asked for a second time. Pictures,
styles, fonts, frames, sockets and everything that is not a plain GET are refused: only what can bring text is let in.
When the page has been taken, whatever it still asks for is given up.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from honeyguide.errors import InvalidUrl, SettingsError
from honeyguide.extras import install_hint
from honeyguide.model import Failed, Fetched, Redirected, Url

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Browser, Playwright, Request, Route, WebSocketRoute

    from honeyguide.fetch.http import Fetcher
    from honeyguide.model import Outcome
    from honeyguide.settings import RenderSettings


class Renderer(Protocol):
    """Something that runs a page as a browser does. Whatever the page does, only misuse raises."""

    async def render(self, url: Url, page: Fetched) -> Fetched | Redirected | None:
        """Return what the page becomes, or where it leads; None where it could not be run."""
        ...

    async def close(self) -> None:
        """Release what is held; may be called twice. Nothing can be rendered afterwards."""
        ...


logger = logging.getLogger(__name__)

BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What the browser may be called on the search path."""

_USEFUL: Final = frozenset({"document", "script", "xhr", "fetch"})
_MAX_REDIRECTS: Final = 5
# A second fence behind the routes: no name resolves, and no address is reached round them.
_NO_NETWORK: Final = ("--host-resolver-rules=MAP * ~NOTFOUND", "--webrtc-ip-handling-policy=disable_non_proxied_udp")
_HTML_TYPE: Final = "text/html; charset=utf-8"


class ChromiumRenderer:
    """One browser for the whole crawl, a fresh profile for every page.

    Start it with `open`, which raises a SettingsError where there is no browser to start. A browser that dies is
    started again for the next page.
    """

    def __init__(
        self,
        fetcher: Fetcher,
        settings: RenderSettings,
        user_agent: str,
        max_body_bytes: int,
        *,
        is_denied: Callable[[Url], bool] = lambda _: False,
        has_secret: Callable[[Url], bool] = lambda _: False,
    ) -> None:
        """`is_denied` says what a page may not ask for, besides what the fetcher refuses.

        Nor may it ask another origin than its own for what only a request with a secret of the user's would bring.
        """
        self._fetcher = fetcher
        self._is_denied = is_denied
        self._has_secret = has_secret
        self._settings = settings
        self._user_agent = user_agent
        self._max_body_bytes = max_body_bytes
        self._at_once = asyncio.Semaphore(settings.at_once)
        self._opening = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None

    async def open(self) -> None:
        """Start the browser, unless it runs already."""
        async with self._opening:
            if self._browser is not None and self._browser.is_connected():
                return
            if self._playwright is None:
                self._playwright = await _start_playwright()
            self._browser = await _launch(self._playwright, self._settings)

    async def render(self, url: Url, page: Fetched) -> Fetched | Redirected | None:
        from playwright.async_api import Error  # noqa: PLC0415 - an extra, and slow to load

        async with self._at_once:
            try:
                await self.open()
                return await self._run(url, page)
            except Error as error:
                logger.warning("%s could not be rendered: %s", url, _first_line(error))
                return None

    async def close(self) -> None:
        browser, self._browser = self._browser, None
        playwright, self._playwright = self._playwright, None
        if browser is not None:
            await browser.close()
        if playwright is not None:
            await playwright.stop()

    async def _run(self, url: Url, page: Fetched) -> Fetched | Redirected | None:
        from playwright.async_api import TimeoutError as Overdue  # noqa: PLC0415

        assert self._browser is not None
        context = await self._browser.new_context(
            user_agent=self._user_agent, service_workers="block", accept_downloads=False
        )

        def is_denied(target: Url) -> bool:
            return self._is_denied(target) or (target.origin != url.origin and self._has_secret(target))

        visit = _Visit(self._fetcher, is_denied, page, self._settings.max_requests, self._max_body_bytes)
        try:
            await context.route("**/*", visit.answer)
            await context.route_web_socket("**/*", _refuse_socket)
            tab = await context.new_page()
            limit_ms = self._settings.timeout_s * 1000
            try:
                await tab.goto(url.text, wait_until="networkidle", timeout=limit_ms)
            except Overdue:
                logger.debug("%s was not at rest after %g s; taken as it is", url, self._settings.timeout_s)
            if visit.leads_to is not None:
                return Redirected(page.status, visit.leads_to)
            # A page that keeps its thread busy for ever never hands over its content.
            html = await asyncio.wait_for(tab.content(), self._settings.timeout_s)
        except TimeoutError:
            logger.warning("%s could not be rendered: its script does not end", url)
            return None
        finally:
            await visit.end()
            await context.close()
        body = html.encode("utf-8", "replace")
        return replace(page, content_type=_HTML_TYPE, body=body) if len(body) <= self._max_body_bytes else None


class _Visit:
    """One page being run, and the answers to what it asks for."""

    def __init__(
        self, fetcher: Fetcher, is_denied: Callable[[Url], bool], page: Fetched, max_requests: int, max_bytes: int
    ) -> None:
        self._fetcher = fetcher
        self._is_denied = is_denied
        self._page = page
        self._requests_left = max_requests
        self._max_bytes = max_bytes
        self._has_begun = False
        self._is_over = False
        self._fetching: set[asyncio.Task[Outcome | None]] = set()
        self.leads_to: Url | None = None  # where its script wants to go instead

    async def answer(self, route: Route) -> None:
        request = route.request
        if self._is_over or request.resource_type not in _USEFUL or request.method != "GET":
            await route.abort()
        elif request.is_navigation_request():
            await self._navigate(route)
        else:
            fetching = asyncio.create_task(self._fetched(request))
            self._fetching.add(fetching)
            await asyncio.wait({fetching})
            self._fetching.discard(fetching)
            if not self._is_over:
                await self._fulfil(route, fetching.result())

    async def end(self) -> None:
        """Give up what is still being asked for; nothing is asked for any more."""
        self._is_over = True
        for fetching in self._fetching:
            fetching.cancel()
        await asyncio.gather(*self._fetching, return_exceptions=True)

    async def _navigate(self, route: Route) -> None:
        if route.request.frame.parent_frame is not None:
            await route.abort()
        elif not self._has_begun:
            self._has_begun = True
            await route.fulfill(status=200, content_type=self._page.content_type or _HTML_TYPE, body=self._page.body)
        else:
            self.leads_to = self.leads_to or _usable(route.request.url)
            await route.abort()

    async def _fetched(self, request: Request) -> Outcome | None:
        """Return what one request of the page brings, over a few redirects; None where it may not be asked."""
        target = _usable(request.url)
        for _ in range(_MAX_REDIRECTS + 1):
            if target is None or not self._requests_left or self._is_denied(target):
                return None
            self._requests_left -= 1
            answer = await self._fetcher.fetch(target, first_bytes=self._max_bytes)
            if not isinstance(answer.outcome, Redirected):
                return answer.outcome
            target = answer.outcome.target
        return None

    async def _fulfil(self, route: Route, outcome: Outcome | None) -> None:
        # A page may read what it asked of other hosts: no cookies or logins went there that could be abused.
        headers = {"Access-Control-Allow-Origin": "*"}
        match outcome:
            case Fetched():
                headers["Content-Type"] = outcome.content_type
                await route.fulfill(status=outcome.status, headers=headers, body=outcome.body)
            case Failed(status=int() as status):
                await route.fulfill(status=status, headers=headers, body="")
            case _:
                await route.abort()


async def _start_playwright() -> Playwright:
    try:
        from playwright.async_api import async_playwright  # noqa: PLC0415 - an extra, and slow to load
    except ImportError:
        raise SettingsError(
            [f"render.enabled is true: it needs Playwright; {install_hint('browser')}, or leave it off"]
        ) from None
    return await async_playwright().start()


async def _launch(playwright: Playwright, settings: RenderSettings) -> Browser:
    from playwright.async_api import Error  # noqa: PLC0415

    path = settings.browser or next(filter(None, map(shutil.which, BROWSERS)), None)
    try:
        return await playwright.chromium.launch(
            executable_path=path,  # without one, Playwright's own
            args=list(_NO_NETWORK),
            chromium_sandbox=settings.sandbox,
        )
    except Error as error:
        remedy = "install Chromium or give its path as render.browser"
        if settings.sandbox:
            remedy += "; as root or in a container set render.sandbox=false"
        raise SettingsError(
            [f"render.enabled is true: {path or 'Chromium'} does not start ({_first_line(error)}); {remedy}"]
        ) from None


def _refuse_socket(socket: WebSocketRoute) -> None:
    socket.on_message(lambda _: None)  # nothing is ever connected behind it


def _usable(text: str) -> Url | None:
    try:
        return Url.parse(text)
    except InvalidUrl:
        return None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
