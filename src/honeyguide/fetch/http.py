"""One URL asked over HTTP, and whatever comes back turned into an outcome."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Final

import aiohttp
from yarl import URL

from honeyguide.domain import Answer, Failed, FailureReason, Fetched, Redirected, Url
from honeyguide.errors import InvalidUrl
from honeyguide.fetch.wire import exchange_of, robots_tag_of

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

    from honeyguide.clock import Clock
    from honeyguide.domain import Exchange, Outcome
    from honeyguide.settings import FetchSettings

logger = logging.getLogger(__name__)

REDIRECTS: Final = frozenset({300, 301, 302, 303, 307, 308})

# Some sites send policies or cookies of many kilobytes in one header; the library's 8 KB would lose their pages.
_MAX_HEADER_BYTES: Final = 65_536
_CHUNK_BYTES: Final = 65_536

_RAW_BYTE = re.compile("[\ud800-\udfff]")
"""A byte of a header that is not UTF-8, as the library hands it on: a surrogate that carries its value."""


class HttpFetcher:
    """Asks for URLs over one pool of kept-alive connections, and remembers nothing else between two requests.

    How many requests run at once is the caller's affair. The pool is opened by the first fetch and belongs to the
    event loop of that fetch; a resolver that was handed in is left open.
    """

    def __init__(self, settings: FetchSettings, clock: Clock, resolver: AbstractResolver | None = None) -> None:
        self._settings = settings
        self._clock = clock
        self._resolver = resolver
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False

    async def fetch(self, url: Url, *, first_bytes: int | None = None) -> Answer:
        """Ask for `url` once, within the time and size the settings allow."""
        session = self._open_session()
        started = self._clock.now()
        heard: list[Exchange] = []
        try:
            outcome = await self._ask(session, url, first_bytes, heard)
        except TimeoutError:
            outcome = Failed(FailureReason.TIMEOUT, f"no whole answer within {self._settings.timeout_s:g} s")
        except (aiohttp.ClientConnectionError, OSError, UnicodeError) as error:
            # UnicodeError: a host name no resolver can take, such as one with a label of 70 letters.
            outcome = Failed(FailureReason.CONNECTION, _told(error))
        except (aiohttp.ClientError, aiohttp.http.HttpProcessingError, ValueError) as error:
            # ValueError: a header that passed the parser and still makes no sense when it is read.
            outcome = Failed(FailureReason.BAD_RESPONSE, _told(error))
        logger.debug("asked for %s: %s", url, type(outcome).__name__)
        return Answer(outcome, elapsed_s=self._clock.now() - started, exchange=heard[0] if heard else None)

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
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, resolver=self._resolver),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=self._settings.timeout_s),
                headers={
                    "User-Agent": self._settings.identity,
                    "Accept": "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.5",
                    "Accept-Encoding": "gzip, deflate",
                },
                trust_env=False,
                max_line_size=_MAX_HEADER_BYTES,
                max_field_size=_MAX_HEADER_BYTES,
            )
        return self._session

    async def _ask(
        self, session: aiohttp.ClientSession, url: Url, first_bytes: int | None, heard: list[Exchange]
    ) -> Outcome:
        # The URL is canonical already; quoting it again would ask for another page.
        async with session.get(URL(url.text, encoded=True), allow_redirects=False) as response:
            heard.append(exchange_of(response))
            if response.status in REDIRECTS:
                return _redirect(url, response)
            if not 200 <= response.status < 300:
                detail = f"{response.status} {_readable(response.reason or '')}".strip()
                return Failed(FailureReason.HTTP_STATUS, detail, response.status)
            body = await self._read_body(response, first_bytes)
            if isinstance(body, Failed):
                return body
            content_type = _readable(response.headers.get("Content-Type", ""))
            return Fetched(response.status, content_type, body, robots_tag=robots_tag_of(response))

    async def _read_body(self, response: aiohttp.ClientResponse, first_bytes: int | None) -> bytes | Failed:
        """Read until the end or the limit, counting bytes as unpacked, so that a small bomb stays small."""
        limit = self._settings.max_body_bytes if first_bytes is None else first_bytes
        announced = response.content_length or 0
        body = bytearray()
        if announced <= limit or first_bytes is not None:
            async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
                body += chunk
                if len(body) > limit:
                    break
            else:
                return bytes(body)
        response.close()  # the rest is not wanted, so the connection cannot be kept
        if first_bytes is not None:
            return bytes(body[:limit])
        return Failed(FailureReason.TOO_LARGE, f"body is over {limit} bytes", response.status)


def _redirect(url: Url, response: aiohttp.ClientResponse) -> Outcome:
    location = _RAW_BYTE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", response.headers.get("Location", "")).strip()
    if not location:
        detail = f"{response.status} without a Location"
        return Failed(FailureReason.BAD_RESPONSE, detail, response.status)
    try:
        return Redirected(response.status, Url.parse(location, base=url))
    except InvalidUrl as error:
        return Failed(FailureReason.BAD_RESPONSE, f"bad Location: {error}", response.status)


def _readable(header: str) -> str:
    """Replace the bytes of a header that were not UTF-8, which could be neither stored nor shown."""
    return _RAW_BYTE.sub("\ufffd", header)


def _told(error: Exception) -> str:
    """Name an error on one line, since many carry no message of their own."""
    message = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
    message = _readable(" ".join(message.split()))[:200]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
