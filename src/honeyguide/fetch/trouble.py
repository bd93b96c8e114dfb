"""What the HTTP library and the system say went wrong, as the few kinds of failure that a crawl tells apart."""

from __future__ import annotations

import re
import socket
import ssl
from typing import Final

import aiohttp

from honeyguide.domain import Failed, FailureReason
from honeyguide.fetch.headers import readable

_LONGEST: Final = 200
_SYSTEM_ERROR: Final = re.compile(r"\b(?:Connection\w+|BrokenPipe|Timeout|OS)Error\(")
_NO_SUCH_NAME: Final = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


def failure_from(error: Exception) -> Failed:
    """The failure that an exception of a request stands for."""
    return Failed(_reason(error), _told(error))


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
        case aiohttp.ClientPayloadError() if _was_cut_off(error):
            return FailureReason.CONNECTION
        case _:
            return FailureReason.BAD_RESPONSE


def _was_cut_off(error: aiohttp.ClientPayloadError) -> bool:
    """Whether the connection broke within the body, rather than the host ending it too early.

    The library hands on the system's error only in its message.
    """
    return _SYSTEM_ERROR.search(str(error)) is not None


def _told(error: Exception) -> str:
    """Name an error on one line, since many carry no message of their own."""
    message = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
    message = " ".join(readable(message).split())[:_LONGEST]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
