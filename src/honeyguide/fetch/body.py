"""Reading a body: whether at all, and how much of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, TypeAlias

from honeyguide.domain import Failed, FailureReason, Fetched

if TYPE_CHECKING:
    from aiohttp import ClientResponse

    from honeyguide.settings import FetchSettings

MediaTypeOf: TypeAlias = Callable[[Fetched], str]
"""What kind of thing a body is, from its header and its first bytes."""

SNIFFED_BYTES: Final = 1024
"""As many bytes show what a body is."""

_CHUNK_BYTES: Final = 65_536
_SAYS_NOTHING: Final = frozenset({"", "*/*", "application/unknown", "unknown/unknown"})


class Reading:
    """What is read of an answer.

    A body of a type nobody asked for is not read. Bytes are counted as unpacked, and the library unpacks no more at a
    time than it hands over, so that a small bomb stays small.
    """

    def __init__(self, settings: FetchSettings, media_type_of: MediaTypeOf | None) -> None:
        self._types = settings.content_types
        self._max_bytes = settings.max_body_bytes
        self._media_type_of = media_type_of

    async def body(self, response: ClientResponse, content_type: str, first_bytes: int | None) -> bytes | Failed:
        """The body, or why it was given up; with `first_bytes` its beginning, of whatever type and size it is.

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
        """Why a body of this type and size is not wanted, or None."""
        if not self._is_welcome(media_type):
            return Failed(FailureReason.UNSUPPORTED_TYPE, f"{media_type} is none of fetch.content_types")
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
