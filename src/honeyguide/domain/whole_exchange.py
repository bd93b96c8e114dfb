"""The exchange behind any answer, with its body: as it went over the wire, or as it would have."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from honeyguide.domain.exchange import Cut, Exchange
from honeyguide.domain.outcome import Failed, FailureReason, Fetched, Redirected, Refused, Unchanged, Unknown

if TYPE_CHECKING:
    from honeyguide.domain.outcome import Answer, Outcome

_NO_CONTENT = frozenset({204, 205, 304})


def whole_exchange(answer: Answer) -> Exchange | None:
    """What a host said, body included; None where it was not asked or did not answer.

    A world that holds its pages sends no headers, so the few that say what the outcome says are made up.
    """
    exchange = answer.exchange or _made_up(answer.outcome)
    if exchange is None or exchange.body is not None:
        return exchange
    match answer.outcome:
        case Fetched() as fetched:
            return replace(exchange, body=fetched.body)
        case Failed(reason=FailureReason.TOO_LARGE):
            return replace(exchange, body=b"", cut=Cut.LENGTH)
        case _:
            return replace(exchange, body=b"", cut=Cut.UNSPECIFIED if _has_body(exchange) else None)


def _made_up(outcome: Outcome) -> Exchange | None:
    match outcome:
        case Fetched():
            tags = (("X-Robots-Tag", tag) for tag in outcome.robots_tag.split("\n") if tag)
            return _answered(outcome.status, ("Content-Type", outcome.content_type), *tags)
        case Unchanged():
            return _answered(outcome.status)
        case Redirected():
            return _answered(outcome.status, ("Location", outcome.target.text))
        case Failed(status=int(status)):
            return _answered(status)
        case Failed() | Refused() | Unknown():
            return None


def _answered(status: int, *headers: tuple[str, str]) -> Exchange:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    sent = tuple((name.encode(), value.encode("utf-8", "replace")) for name, value in headers if value)
    return Exchange(f"HTTP/1.1 {status} {phrase}".rstrip(), sent)


def _has_body(exchange: Exchange) -> bool:
    """Whether a response that came over the wire had a body that was not read."""
    if not exchange.request_headers:
        return False
    length = next((value for name, value in exchange.headers if name.lower() == b"content-length"), b"?")
    status = exchange.status_line.split()[1]
    return length.strip() != b"0" and int(status) not in _NO_CONTENT
