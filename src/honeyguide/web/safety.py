"""Who may ask the dashboard for what. Every request passes `Guarded`, before any route sees it.

- The Host header must name this server, so that a page elsewhere cannot reach it by a name that it lets point here.
- Where the server can be reached from other machines, each request carries its token: once in the address
  (`?token=…`), from then on in a cookie; programs send `Authorization: Bearer …`.
- A change must carry one value twice: in the cookie `honeyguide_csrf` and in the header `X-CSRF-Token`. Another site
  can make a browser send the cookie, but cannot read it. Nor can it send a token as `Bearer`: then there is no need.
- Assistants (`/mcp`) send JSON without an Origin header, which no browser does for a page of another site. They are
  given the tools that they may use.
- Every answer forbids scripts, styles and frames but our own, and tells no other site where the reader came from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from secrets import compare_digest, token_urlsafe
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CSRF_COOKIE: Final = "honeyguide_csrf"
TOKEN_COOKIE: Final = "honeyguide_token"  # noqa: S105 - a name
CSRF_HEADER: Final = "X-CSRF-Token"
ASSISTANTS_PATH: Final = "/mcp"
MOST_BODY_BYTES: Final = 1_000_000  # of a request
_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[^:]+)(?::[0-9]+)?")
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; frame-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask: the names of this server besides IP addresses, its token, and whether anything may be changed."""

    names: frozenset[str] = frozenset({"localhost"})
    token: str = ""  # empty where only this machine can ask
    read_only: bool = False
    allow_crawls: bool = False  # whether assistants may start crawls

    @property
    def is_local(self) -> bool:
        """Whether only this machine can ask."""
        return not self.token


class Guarded:
    """An application behind the rules of this module."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        csrf = request.cookies.get(CSRF_COOKIE) or token_urlsafe(24)
        scope.setdefault("state", {})["csrf"] = csrf
        refusal = self._refusal(request)
        if request.method == "HEAD":  # the server sends no body then
            scope = {**scope, "method": "GET"}
        if refusal is None and request.method not in _SAFE_METHODS:
            body = await _read(request)
            receive = _replayed(body, receive)
            if len(body) > MOST_BODY_BYTES:
                refusal = PlainTextResponse(f"A request has at most {MOST_BODY_BYTES:,} bytes.", 413)
        await (refusal or self._app)(scope, receive, _with_headers(send, request, csrf))

    def _refusal(self, request: Request) -> Response | None:
        """Return the answer to a request that is not let in; None for any other."""
        if not _is_ours(request.headers.get("host", ""), self._access.names):
            return PlainTextResponse("This server goes by another name; use the address that it printed.", 421)
        given = request.query_params.get("token", "")
        if self._access.token and not self._has_token(request, given):
            return PlainTextResponse("This dashboard needs the token that honeyguide serve printed: ?token=…", 401)
        if given and request.method in _SAFE_METHODS:
            return _without_token(request, given)
        return None if request.method in _SAFE_METHODS else self._refusal_of_change(request)

    def _refusal_of_change(self, request: Request) -> Response | None:
        if _is_by_assistant(request):
            return None
        if self._access.read_only:
            return PlainTextResponse("This dashboard is read-only: it was started with --read-only.", 403)
        if not (self._is_by_program(request) or _carries_csrf(request)):
            return PlainTextResponse(
                f"A change carries the value of the cookie {CSRF_COOKIE} in the header {CSRF_HEADER} as well. In a "
                "browser: load the page again, then repeat the change.",
                403,
            )
        return None

    def _has_token(self, request: Request, in_address: str) -> bool:
        shown = (in_address, _bearer(request), request.cookies.get(TOKEN_COOKIE, ""))
        return any(self._is_token(each) for each in shown)

    def _is_by_program(self, request: Request) -> bool:
        return bool(self._access.token) and self._is_token(_bearer(request))

    def _is_token(self, shown: str) -> bool:
        return compare_digest(shown.encode(), self._access.token.encode())


def _bearer(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


def _is_ours(host: str, names: frozenset[str]) -> bool:
    """Return whether a Host header is an IP address or one of the server's names: others are let point anywhere."""
    found = _HOST.fullmatch(host.lower())
    if found is None:
        return False
    name = found[1].strip("[]")
    try:
        ip_address(name)
    except ValueError:
        return name in names
    return True


def _without_token(request: Request, token: str) -> Response:
    """Send a reader on to the same address without the token, which a cookie carries from now on."""
    rest = urlencode([(key, value) for key, value in request.query_params.multi_items() if key != "token"])
    answer = RedirectResponse(request.url.path + (f"?{rest}" if rest else ""), 303)
    answer.set_cookie(TOKEN_COOKIE, token, httponly=True, samesite="strict")
    return answer


def _carries_csrf(request: Request) -> bool:
    cookie, shown = request.cookies.get(CSRF_COOKIE, ""), request.headers.get(CSRF_HEADER, "")
    return bool(cookie) and compare_digest(cookie.encode(), shown.encode())


def _is_by_assistant(request: Request) -> bool:
    is_json = request.headers.get("content-type", "").startswith("application/json")
    return request.url.path == ASSISTANTS_PATH and is_json and "origin" not in request.headers


async def _read(request: Request) -> bytes:
    """Return the body of a request, cut where it is too long."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BODY_BYTES:
            break
    return body


def _replayed(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return waiting.pop() if waiting else await receive()

    return replay


def _with_headers(send: Send, request: Request, csrf: str) -> Send:
    """Add the headers that every answer has, where the route has not set its own."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            if CSRF_COOKIE not in request.cookies:
                headers.append("Set-Cookie", f"{CSRF_COOKIE}={csrf}; Path=/; SameSite=Strict; HttpOnly")
        await send(message)

    return send_with_headers


def csrf_of(request: Request) -> str:
    """Return the value that the forms of an answer carry."""
    state: Mapping[str, str] = request.scope["state"]
    return state["csrf"]
