"""What a world answers when it is asked for a URL. Everything ordinary on the web is one of these values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from honeyguide.domain.exchange import Exchange
    from honeyguide.domain.url import Url


_TEMPORARY_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class RefusalReason(StrEnum):
    """Why a URL may not be asked for."""

    ROBOTS = "robots"
    ADDRESS = "address"
    SCOPE = "scope"


class FailureReason(StrEnum):
    """Why a URL gave no page."""

    HTTP_STATUS = "http-status"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    DNS = "dns"  # there is no such host; a name server in trouble is a matter of the connection
    TLS = "tls"  # the host could not prove who it is, or speaks no TLS
    UNSUPPORTED_TYPE = "unsupported-type"
    TOO_LARGE = "too-large"
    TOO_MANY_REDIRECTS = "too-many-redirects"
    BAD_RESPONSE = "bad-response"
    UNREADABLE = "unreadable"  # it came, and the parser, or the process that was to read it, did not survive it
    UNJUDGED = "unjudged"  # it came and was read, and the judge broke on it


@dataclass(frozen=True, slots=True)
class Fetched:
    """A body arrived. Headers are as sent, empty where there were none.

    With `etag` and `last_modified` a host can be asked later whether the page has changed.
    """

    status: int
    content_type: str
    body: bytes
    etag: str = ""
    last_modified: str = ""
    robots_tag: str = ""  # the X-Robots-Tag headers, one a line

    @property
    def media_type(self) -> str:
        return self.content_type.partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Redirected:
    """The page is elsewhere; following it is another fetch."""

    status: int
    target: Url


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was asked of the host, by rule."""

    reason: RefusalReason
    detail: str


@dataclass(frozen=True, slots=True)
class Failed:
    """Asked, and no page came."""

    reason: FailureReason
    detail: str
    status: int | None = None  # where the host answered at all

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may well bring a page later."""
        if self.reason is FailureReason.HTTP_STATUS:
            return self.status in _TEMPORARY_STATUSES
        return self.reason in (FailureReason.TIMEOUT, FailureReason.CONNECTION)


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The host says that the page is still the one we know, and sends no body."""

    status: int = 304


@dataclass(frozen=True, slots=True)
class Unknown:
    """The world cannot tell: only a world that holds a part of the web answers so. It costs and teaches nothing."""

    detail: str


Outcome = Fetched | Unchanged | Redirected | Refused | Failed | Unknown


@dataclass(frozen=True, slots=True)
class Answer:
    """An outcome, and what getting it cost."""

    outcome: Outcome
    elapsed_s: float  # simulated offline, measured live
    host_delay_s: float = 0.0  # the pause this host asks for between two requests
    robots_fetches: int = 0  # requests for robots.txt on the way; counted apart from the budget
    address: str = ""  # the IP address that was called; empty offline, behind a proxy, or where none was found
    on_kept_connection: bool = False  # the request went out on a connection that was open already
    retry_after_s: float = 0.0  # how long the host wants to be left alone before it is asked for this again
    exchange: Exchange | None = None  # what went over the wire, where there was one

    @property
    def is_of_a_stale_connection(self) -> bool:
        """Whether a connection that was kept turned out to be broken: no trouble of the host's."""
        outcome = self.outcome
        is_broken = isinstance(outcome, Failed) and outcome.reason is FailureReason.CONNECTION
        return self.on_kept_connection and is_broken


@dataclass(frozen=True, slots=True)
class Skipped:
    """The strategy's decision not to fetch a link: nothing is sent, nothing spent, the reason is kept."""

    reason: str
