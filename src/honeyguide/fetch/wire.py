"""What the HTTP library knows of a response as it came, in our own values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import Exchange

if TYPE_CHECKING:
    import aiohttp


def exchange_of(response: aiohttp.ClientResponse) -> Exchange:
    """Status line and headers of request and response, as they went over the wire; the body is read elsewhere."""
    version = response.version
    number = f"{version.major}.{version.minor}" if version is not None else "1.1"
    status_line = f"HTTP/{number} {response.status} {response.reason or ''}".rstrip()
    sent = tuple((_bytes(name), _bytes(value)) for name, value in response.request_info.headers.items())
    return Exchange(status_line, response.raw_headers, sent)


def robots_tag_of(response: aiohttp.ClientResponse) -> str:
    """The X-Robots-Tag headers, one a line."""
    tags = response.headers.getall("X-Robots-Tag", ())
    return "\n".join(tag.encode("utf-8", "replace").decode() for tag in tags)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
