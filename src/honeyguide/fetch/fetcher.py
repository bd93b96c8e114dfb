"""The seam between what asks for a URL and what wraps the asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from honeyguide.domain import Answer, Url


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
