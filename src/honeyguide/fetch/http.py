"""One URL asked over HTTP, and whatever comes back turned into an outcome."""

from __future__ import annotations

import logging
import re
import socket
import ssl
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol

import aiohttp
from yarl import URL

from honeyguide.errors import InvalidUrl
from honeyguide.fetch.addresses import PrivateAccess, canonical_address, objection_to_name
from honeyguide.fetch.body import BodyReader, Call
from honeyguide.fetch.connections import Connections
from honeyguide.fetch.logins import Logins
from honeyguide.fetch.proxies import Proxies
from honeyguide.model import (
    Answer,
    Exchange,
    Failed,
    FailureReason,
    Fetched,
    Redirected,
    RefusalReason,
    Refused,
    Unchanged,
    Url,
)
from honeyguide.settings.fetch_sections import LONGEST_REST_S

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from aiohttp.abc import AbstractResolver

    from honeyguide.fetch.body import MediaTypeOf
    from honeyguide.model import KnownPage, Outcome
    from honeyguide.model.clock import Clock
    from honeyguide.settings import FetchSettings


logger = logging.getLogger(__name__)

NOT_MODIFIED: Final = 304
REDIRECTS: Final = frozenset({300, 301, 302, 303, 307, 308})


class Fetcher(Protocol):
    """Something that asks the web for a URL. Every trouble of the web is an outcome; only misuse raises."""

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        """Ask once; a redirect is an outcome, never followed.

        With `first_bytes` the body is cut after that many bytes, whatever its type; without, a body over the limit or
        of a type that nobody reads is a failure.
        """
        ...

    async def close(self) -> None:
        """Release connections; may be called twice. Nothing can be fetched afterwards."""
        ...


_MAX_HEADER_CHARACTERS: Final = 1000
_MAX_DETAIL_CHARACTERS: Final = 200
# Some sites send policies or cookies of many kilobytes in one header; the library's 8 KB would lose their pages.
_MAX_HEADER_BYTES: Final = 65_536
# A byte of a header that is not UTF-8, as the library hands it on: a surrogate that carries its value.
_RAW_BYTE: Final = re.compile("[\ud800-\udfff]")
_SECONDS: Final = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?", re.ASCII)
_SYSTEM_ERROR: Final = re.compile(r"\b(?:Connection\w+|BrokenPipe|Timeout|OS)Error\(")
_NO_SUCH_NAME: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


def readable(header: str) -> str:
    """Replace the bytes that were not UTF-8, which could be neither stored nor shown, and cut what is endless."""
    return _RAW_BYTE.sub("\ufffd", header[:_MAX_HEADER_CHARACTERS])


def retry_after_s(header: str, now: float) -> float:
    """Return the pause in seconds that `header` asks for at Unix time `now`, a day at most; 0 if it makes no sense."""
    text = header.strip()
    if _SECONDS.fullmatch(text):
        return min(float(text), LONGEST_REST_S)
    try:
        moment = parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0
    return min(max(0.0, moment - now), LONGEST_REST_S)


def failure_from(error: Exception) -> Failed:
    """Return the failure that an exception of a request stands for."""
    return Failed(_reason(error), _describe(error))


def _reason(error: Exception) -> FailureReason:
    match error:
        case UnicodeError():
            return FailureReason.DNS  # a host name that no resolver can take
        case aiohttp.ClientConnectorDNSError():
            is_final = isinstance(error.os_error, socket.gaierror) and error.os_error.errno in _NO_SUCH_NAME
            return FailureReason.DNS if is_final else FailureReason.CONNECTION
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return FailureReason.TLS
        case aiohttp.ClientConnectionError() | aiohttp.ClientHttpProxyError() | OSError():
            return FailureReason.CONNECTION
        case aiohttp.ClientPayloadError() if _SYSTEM_ERROR.search(str(error)):
            # The connection broke within the body; the library hands on the system's error only in its message.
            return FailureReason.CONNECTION
        case _:
            return FailureReason.BAD_RESPONSE


def _describe(error: Exception) -> str:
    """Name an error on one line, since many carry no message of their own."""
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return f"the name {error.host} cannot be looked up: {error.os_error.strerror or error.os_error}"
    message = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
    message = " ".join(readable(message).split())[:_MAX_DETAIL_CHARACTERS]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


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
        logins: Logins | None = None,
    ) -> None:
        """`media_type_of` tells the kind of a body from its start; without it, the header is believed.

        `proxy_login` is `user:password`. Of `known` pages a body is sent only if they have changed. `logins` has the
        secrets of hosts.
        """
        self._settings = settings
        self._access = PrivateAccess(settings.allow_private)
        self._clock = clock
        self._resolver = resolver
        self._bodies = BodyReader(settings, media_type_of)
        self._proxy_headers = _proxy_headers(proxy_login)
        self._known = known or {}
        self._logins = logins or Logins(keeps_cookies=settings.cookies)
        self._proxies = Proxies(settings.proxies, clock, settings.proxy_rest_s) if settings.proxies else None
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        """Ask for `url` once, within the time and size the settings allow."""
        session = self._open_session()
        objection = self._objection_without_asking(url)
        if objection:
            return Answer(_refused(objection), elapsed_s=0.0)
        if self._proxies is None:
            return (await self._ask(session, url, first_bytes))[0]
        while True:
            proxy = await self._proxies.take()
            answer, trouble = await self._ask(session, url, first_bytes, proxy.url)
            if not trouble:
                self._proxies.note_answer(proxy)
                return answer
            self._proxies.note_failure(proxy, trouble)

    async def _ask(
        self, session: aiohttp.ClientSession, url: Url, first_bytes: int | None, proxy: str | None = None
    ) -> tuple[Answer, str]:
        """Send one request; also return what is wrong with the proxy, where the host was never asked."""
        trouble = ""
        started = self._clock.now()
        call, pause_s = Call(self._settings, url.host), 0.0
        outcome: Outcome
        exchange: Exchange | None = None
        try:
            async with call, self._asked(session, url, proxy) as response:
                call.answered()
                self._logins.save_changes(self._clock.now())
                exchange = self._exchange(response)
                asked_for = response.headers.get("Retry-After")
                pause_s = retry_after_s(asked_for, self._clock.now()) if asked_for else 0.0
                outcome = await self._outcome(url, response, first_bytes)
        except TimeoutError:
            outcome = Failed(FailureReason.TIMEOUT, call.overdue)
            # A tunnel that does not open in time is the host's failure: it would open by no proxy.
            trouble = call.overdue if proxy and not call.is_reached else ""
        except (aiohttp.ClientError, aiohttp.http.HttpProcessingError, OSError, ValueError) as error:
            # ValueError: a header that passed the parser and still makes no sense when it is read, or a host name that
            # no resolver can take, such as one with a label of 70 letters.
            outcome = _refused(call.objection) if call.is_refused else failure_from(error)
            trouble = _trouble_of_proxy(error) if proxy else ""
        logger.debug("asked for %s: %s", url, type(outcome).__name__)
        answer = Answer(
            outcome,
            self._clock.now() - started,
            address=call.address,
            retry_after_s=pause_s,
            exchange=exchange,
            on_kept_connection=call.is_on_kept,
        )
        return answer, trouble

    async def close(self) -> None:
        """Close every connection; may be called twice."""
        self._is_closed = True
        session, self._session = self._session, None
        if session is not None:
            self._logins.save()
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
                    access=self._access,
                    is_proxied=bool(settings.proxies),
                ),
                cookie_jar=self._logins.jar(),
                timeout=aiohttp.ClientTimeout(),  # none of the library's own: a call keeps its time itself
                headers=_headers(settings),
                trust_env=False,
                max_line_size=_MAX_HEADER_BYTES,
                max_field_size=_MAX_HEADER_BYTES,
            )
        return self._session

    def _asked(
        self, session: aiohttp.ClientSession, url: Url, proxy: str | None
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        login = self._proxy_headers
        own = {**_conditions(self._known.get(url)), **self._logins.headers(url)}
        is_tunnelled = url.scheme == "https"  # then only the proxy may read the login
        return session.get(
            URL(url.text, encoded=True),  # canonical already; quoting it again would ask for another page
            allow_redirects=False,
            proxy=proxy,
            headers=own if is_tunnelled else own | login,
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
        body = await self._bodies.body(response, content_type, first_bytes)
        if isinstance(body, Failed):
            return body
        etag, last_modified = (readable(response.headers.get(name, "")) for name in ("ETag", "Last-Modified"))
        return Fetched(response.status, content_type, body, etag, last_modified, _robots_tags(response), _tdm(response))

    def _exchange(self, response: aiohttp.ClientResponse) -> Exchange:
        """Return status line and headers of request and response without the body, and without what is secret."""
        version = response.version
        number = f"{version.major}.{version.minor}" if version is not None else "1.1"
        status_line = f"HTTP/{number} {response.status} {response.reason or ''}".rstrip()
        sent = tuple(
            (name.encode("utf-8", "surrogateescape"), value.encode("utf-8", "surrogateescape"))
            for name, value in response.request_info.headers.items()
            if name.lower() not in self._logins.never_kept
        )
        # A session that a login opened is as secret as the login, whether its cookie is sent back or not.
        came = tuple((name, value) for name, value in response.raw_headers if name.lower() != b"set-cookie")
        return Exchange(status_line, came, sent)

    def _objection_without_asking(self, url: Url) -> str:
        """Behind a proxy nobody here sees the address, so what the URL itself tells must do."""
        objection = objection_to_name(url.host) if self._settings.proxies else ""
        return f"{url.host} is {objection}" if objection and not self._access.includes_name(url.host) else ""


def _robots_tags(response: aiohttp.ClientResponse) -> str:
    """Return the X-Robots-Tag headers, one a line."""
    tags = response.headers.getall("X-Robots-Tag", ())
    return "\n".join(tag.encode("utf-8", "replace").decode() for tag in tags)


def _tdm(response: aiohttp.ClientResponse) -> str:
    """Return the headers about text and data mining; of several, the one that reserves it."""
    reservation = max(response.headers.getall("TDM-Reservation", ("",)))
    return readable(f"{reservation.strip()} {response.headers.get('TDM-Policy', '').strip()}".strip())


def _refused(what: str) -> Refused:
    called = what.partition(" is ")[0]
    address = canonical_address(called) or called
    return Refused(RefusalReason.ADDRESS, f"{what}; --allow-private {address} (fetch.allow_private) lifts this")


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


def _trouble_of_proxy(error: Exception) -> str:
    """Return what is wrong with the proxy, on one line; empty where it is the host's trouble, or may be."""
    match error:
        case (
            aiohttp.ClientProxyConnectionError() | aiohttp.ClientConnectorDNSError()
        ):  # no other name is looked up here
            return str(error.os_error.strerror or error.os_error)
        case aiohttp.ClientHttpProxyError(status=407):
            return "it wants another login (fetch.proxy_login)"
        case _:
            return ""


def _proxy_headers(login: str) -> dict[str, str]:
    user, _, password = login.partition(":")
    return {"Proxy-Authorization": aiohttp.encode_basic_auth(user, password)} if login else {}


def _redirect(url: Url, response: aiohttp.ClientResponse) -> Outcome:
    raw = response.headers.get("Location", "")
    # Bytes that are not UTF-8 are percent-encoded, as a browser does.
    location = _RAW_BYTE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", raw).strip()
    if not location:
        detail = f"{response.status} without a Location"
        return Failed(FailureReason.BAD_RESPONSE, detail, response.status)
    try:
        return Redirected(response.status, Url.parse(location, base=url))
    except InvalidUrl as error:
        return Failed(FailureReason.BAD_RESPONSE, f"bad Location: {error}", response.status)
