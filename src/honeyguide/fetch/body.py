"""One request on its way: whom it calls, how much time it has left, and how much of the body is read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from enum import Enum
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, TypeAlias

from honeyguide.model import Failed, FailureReason, Fetched
from honeyguide.settings import DOCUMENT_TYPES

if TYPE_CHECKING:
    from contextvars import Token
    from types import TracebackType
    from typing import Self

    from aiohttp import ClientResponse

    from honeyguide.settings import FetchSettings


class Stage(Enum):
    """How far a request has come; the value says what is missing when its time is up."""

    CONNECTING = "no connection"
    WAITING = "no answer"
    READING = "no whole answer"


class Call:
    """The state of one request, from entering the context to leaving it. TimeoutError when a stage takes too long.

    The connector tells it what happens below the HTTP library, which hands on none of it. Its alarm is set once and
    asks only when it rings how much time there is by now: a fast host never hears of it.
    """

    def __init__(self, settings: FetchSettings, host: str = "") -> None:
        self.host = host
        self.address = ""  # that was called, or would have been
        self.is_dialled = False  # a connection of its own was tried
        self.is_reached = False  # whoever is called, host or proxy, has taken the connection
        self.is_on_kept = False  # there is a connection, and it had been kept from an earlier request
        self.objection = ""  # why the last address that was found may not be called
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._interruption = asyncio.timeout(None)
        self._whole_ends_at = self._loop.time() + settings.timeout_s
        self._alarm: asyncio.TimerHandle | None = None
        self._enter(Stage.CONNECTING, settings.connect_timeout_s)
        self._token: Token[Call] | None = None

    async def __aenter__(self) -> Self:
        await self._interruption.__aenter__()
        self._alarm = self._loop.call_at(self._ends_at, self._ring)
        self._token = _current.set(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._token is not None
        _current.reset(self._token)
        if self._alarm is not None:
            self._alarm.cancel()
        await self._interruption.__aexit__(kind, error, trace)

    @property
    def is_connected(self) -> bool:
        """Whether a connection was had, whatever became of it."""
        return self._stage is not Stage.CONNECTING

    def connected(self, address: str) -> None:
        """There is a connection, new or kept, and the request goes out on it."""
        self.address = address
        self.is_reached = True
        self.is_on_kept = not self.is_dialled
        self._enter(Stage.WAITING, self._settings.first_byte_timeout_s)

    def answered(self) -> None:
        """The headers are in."""
        self._enter(Stage.READING, self._settings.timeout_s)

    @property
    def overdue(self) -> str:
        """Say what did not come in time."""
        return f"{self._stage.value} within {self._limit_s:g} s"

    @property
    def is_refused(self) -> bool:
        """Whether every address that was found is one not to be called."""
        return bool(self.objection) and not self.address

    def _enter(self, stage: Stage, limit_s: float) -> None:
        self._stage, self._limit_s = stage, limit_s
        self._ends_at = self._loop.time() + limit_s
        if self._ends_at > self._whole_ends_at:
            self._ends_at, self._limit_s = self._whole_ends_at, self._settings.timeout_s
        if self._alarm is not None and self._alarm.when() > self._ends_at:
            self._alarm.cancel()
            self._alarm = self._loop.call_at(self._ends_at, self._ring)

    def _ring(self) -> None:
        now = self._loop.time()
        if now < self._ends_at:
            self._alarm = self._loop.call_at(self._ends_at, self._ring)
        else:
            self._alarm = None
            self._interruption.reschedule(now)


_current: ContextVar[Call] = ContextVar("call")


def current_call() -> Call:
    """Return the request that this task is busy with."""
    return _current.get()


MediaTypeOf: TypeAlias = Callable[[Fetched], str]
"""What kind of thing a body is, from its header and its first bytes."""

SNIFFED_BYTES: Final = 1024
"""As many bytes show what a body is."""

_CHUNK_BYTES: Final = 65_536
_SAYS_NOTHING: Final = frozenset({"", "*/*", "application/unknown", "unknown/unknown"})


class BodyReader:
    """Reads the bodies that are wanted.

    A body of a type nobody asked for is not read. Bytes are counted as unpacked, and the library unpacks no more at a
    time than it hands over, so that a small bomb stays small.
    """

    def __init__(self, settings: FetchSettings, media_type_of: MediaTypeOf | None) -> None:
        self._types = settings.content_types
        self._max_bytes = settings.max_body_bytes
        self._media_type_of = media_type_of

    async def body(self, response: ClientResponse, content_type: str, first_bytes: int | None) -> bytes | Failed:
        """Return the body, or why it was given up; with `first_bytes` its beginning, of whatever type and size it is.

        An answer that is not read to its end costs its connection.
        """
        body = bytearray()
        if first_bytes is not None:
            await _fill(body, response, first_bytes)
            return bytes(body[:first_bytes])
        answer = Fetched(response.status, content_type, b"")
        failed = self._objection(answer.media_type, response.content_length or 0)
        if failed is None:
            await _fill(body, response, SNIFFED_BYTES)
            failed = self._objection(self._sniffed(answer, body), len(body))
        if failed is None:
            await _fill(body, response, self._max_bytes)
            failed = self._objection(answer.media_type, len(body))
        if failed is None:
            return bytes(body)
        response.close()
        return replace(failed, status=response.status)

    def _objection(self, media_type: str, body_bytes: int) -> Failed | None:
        """Return why a body of this type and size is not wanted, or None."""
        if not self._is_welcome(media_type):
            hint = "; --documents reads it" if media_type in DOCUMENT_TYPES else ""
            return Failed(FailureReason.UNSUPPORTED_TYPE, f"{media_type} is none of fetch.content_types{hint}")
        if body_bytes > self._max_bytes:
            return Failed(FailureReason.TOO_LARGE, f"body is over {self._max_bytes} bytes")
        return None

    def _is_welcome(self, media_type: str) -> bool:
        if media_type in _SAYS_NOTHING or media_type in self._types:
            return True
        return any(fnmatchcase(media_type, pattern) for pattern in self._types)

    def _sniffed(self, answer: Fetched, body: bytearray) -> str:
        if self._media_type_of is None or not body:
            return answer.media_type
        return self._media_type_of(Fetched(answer.status, answer.content_type, bytes(body[:SNIFFED_BYTES])))


async def _fill(body: bytearray, response: ClientResponse, most_bytes: int) -> None:
    """Read on until the body has ended or is longer than this."""
    async for chunk in response.content.iter_chunked(_CHUNK_BYTES):
        body += chunk
        if len(body) > most_bytes:
            return
