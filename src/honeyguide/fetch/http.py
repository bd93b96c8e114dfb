"""One URL asked over HTTP, and whatever comes back turned into an outcome."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import aiohttp
from yarl import URL

from honeyguide.domain import (
    Answer,
    Failed,
    FailureReason,
    Fetched,
    HostKey,
    Redirected,
    RefusalReason,
    Refused,
    Unchanged,
    Url,
)
from honeyguide.errors import InvalidUrl
from honeyguide.fetch.addresses import objection_to_name
from honeyguide.fetch.body import Reading
from honeyguide.fetch.call import Call
from honeyguide.fetch.connections import Connections
from honeyguide.fetch.headers import escaped, readable
from honeyguide.fetch.retry_after import retry_after_s
from honeyguide.fetch.trouble import failure_from
from honeyguide.fetch.wire import exchange_of, robots_tag_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from aiohttp.abc import AbstractResolver

    from honeyguide.clock import Clock
    from honeyguide.domain import Exchange, KnownPage, Outcome
    from honeyguide.fetch.body import MediaTypeOf
    from honeyguide.settings import FetchSettings

logger = logging.getLogger(__name__)

NOT_MODIFIED: Final = 304
REDIRECTS: Final = frozenset({300, 301, 302, 303, 307, 308})

# Some sites send policies or cookies of many kilobytes in one header; the library's 8 KB would lose their pages.
_MAX_HEADER_BYTES: Final = 65_536


class HttpFetcher:
    """Asks for URLs over one pool of kept-alive connections; between two requests it remembers cookies, if told to.

    How many requests run at once is the caller's affair. The pool is opened by the first fetch and belongs to the
    event loop of that fetch; a resolver that was handed in is left open.
    """

    def __init__(
        self,
        settings: FetchSettings,
        clock: Clock,
        resolver: AbstractResolver | None = None,
        *,
        media_type_of: MediaTypeOf | None = None,
        proxy_login: str = "",
        known: Mapping[Url, KnownPage] | None = None,
    ) -> None:
        """`media_type_of` tells the kind of a body from its start; without it, the header is believed.

        `proxy_login` is `user:password`. Of `known` pages a body is sent only if they have changed.
        """
        self._settings = settings
        self._clock = clock
        self._resolver = resolver
        self._reading = Reading(settings, media_type_of)
        self._proxy_headers = _proxy_headers(proxy_login)
        self._known = known or {}
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        """Ask for `url` once, within the time and size the settings allow."""
        session = self._open_session()
        refusal = self._refusal_without_asking(url)
        if refusal is not None:
            return Answer(refusal, elapsed_s=0.0)
        started = self._clock.now()
        call, pause_s = Call(self._settings), 0.0
        outcome: Outcome
        exchange: Exchange | None = None
        try:
            async with call, self._asked(session, url) as response:
                call.answered()
                exchange = exchange_of(response)
                asked_for = response.headers.get("Retry-After")
                pause_s = retry_after_s(asked_for, self._clock.now()) if asked_for else 0.0
                outcome = await self._outcome(url, response, first_bytes)
        except TimeoutError:
            outcome = Failed(FailureReason.TIMEOUT, call.overdue)
        except (aiohttp.ClientError, aiohttp.http.HttpProcessingError, OSError, ValueError) as error:
            # ValueError: a header that passed the parser and still makes no sense when it is read, or a host name that
            # no resolver can take, such as one with a label of 70 letters.
            outcome = self._refusal(call) or failure_from(error)
        logger.debug("asked for %s: %s", url, type(outcome).__name__)
        elapsed_s = self._clock.now() - started
        return Answer(
            outcome,
            elapsed_s,
            address=call.address,
            retry_after_s=pause_s,
            exchange=exchange,
            on_kept_connection=call.is_on_kept,
        )

    async def close(self) -> None:
        """Close every connection; may be called twice."""
        self._is_closed = True
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _open_session(self) -> aiohttp.ClientSession:
        if self._is_closed:
            raise RuntimeError("this fetcher is closed: make a new one")
        if self._session is None:
            settings = self._settings
            self._session = aiohttp.ClientSession(
                connector=Connections(
                    self._resolver,
                    kept=settings.kept_connections,
                    may_call_all=settings.allow_private,
                    is_proxied=bool(settings.proxy),
                ),
                cookie_jar=aiohttp.CookieJar() if settings.cookies else aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(),  # none of the library's own: a call keeps its time itself
                headers=_headers(settings),
                proxy=settings.proxy or None,
                trust_env=False,
                max_line_size=_MAX_HEADER_BYTES,
                max_field_size=_MAX_HEADER_BYTES,
            )
            # Else the library would, of its own accord and at once, send a request again whose kept connection broke.
            self._session._retry_connection = False  # noqa: SLF001 - there is no other way to say so
        return self._session

    def _asked(self, session: aiohttp.ClientSession, url: Url) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        login = self._proxy_headers or {}
        conditions = _conditions(self._known.get(url))
        is_tunnelled = url.scheme == "https"  # then only the proxy may read the login
        return session.get(
            URL(url.text, encoded=True),  # canonical already; quoting it again would ask for another page
            allow_redirects=False,
            headers=conditions if is_tunnelled else conditions | login,
            proxy_headers=login if is_tunnelled else None,
        )

    async def _outcome(self, url: Url, response: aiohttp.ClientResponse, first_bytes: int | None) -> Outcome:
        if response.status == NOT_MODIFIED and url in self._known:
            return Unchanged()
        if response.status in REDIRECTS:
            return _redirect(url, response)
        if not 200 <= response.status < 300:
            detail = f"{response.status} {readable(response.reason or '')}".strip()
            return Failed(FailureReason.HTTP_STATUS, detail, response.status)
        content_type = readable(response.headers.get("Content-Type", ""))
        body = await self._reading.body(response, content_type, first_bytes)
        if isinstance(body, Failed):
            return body
        etag, last_modified = (readable(response.headers.get(name, "")) for name in ("ETag", "Last-Modified"))
        return Fetched(response.status, content_type, body, etag, last_modified, robots_tag_of(response))

    def _refusal_without_asking(self, url: Url) -> Refused | None:
        """Behind a proxy nobody here sees the address, so what the URL itself tells must do."""
        if not self._settings.proxy or self._settings.allow_private:
            return None
        name = _without_port(url.host)
        objection = objection_to_name(name)
        return _refused(f"{name} is {objection}") if objection else None

    def _refusal(self, call: Call) -> Refused | None:
        return _refused(call.objection) if call.is_refused else None


def _refused(what: str) -> Refused:
    return Refused(RefusalReason.ADDRESS, f"{what}; fetch.allow_private lifts this")


def _headers(settings: FetchSettings) -> dict[str, str]:
    headers = {
        "User-Agent": settings.identity,
        "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5",
        "Accept-Encoding": "gzip, deflate, br" if find_spec("brotli") else "gzip, deflate",
    }
    return headers | ({"Accept-Language": settings.accept_language} if settings.accept_language else {})


def _conditions(known: KnownPage | None) -> dict[str, str]:
    """Headers by which a host that knows a page by its tag or date need not send it again."""
    if known is None:
        return {}
    conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in conditions.items() if value.isprintable() and value}


def _proxy_headers(login: str) -> dict[str, str] | None:
    user, _, password = login.partition(":")
    return {"Proxy-Authorization": aiohttp.encode_basic_auth(user, password)} if login else None


def _without_port(host: HostKey) -> str:
    return host if host.endswith("]") else host.rpartition(":")[0] or host


def _redirect(url: Url, response: aiohttp.ClientResponse) -> Outcome:
    location = escaped(response.headers.get("Location", "")).strip()
    if not location:
        detail = f"{response.status} without a Location"
        return Failed(FailureReason.BAD_RESPONSE, detail, response.status)
    try:
        return Redirected(response.status, Url.parse(location, base=url))
    except InvalidUrl as error:
        return Failed(FailureReason.BAD_RESPONSE, f"bad Location: {error}", response.status)
