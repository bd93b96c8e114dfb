"""The answers of a world to a URL. Everything ordinary on the web is one of these values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, TypeAlias

from honeyguide.model.page import NO_DIRECTIVES, Directives

if TYPE_CHECKING:
    from honeyguide.model.url import Url

Headers: TypeAlias = tuple[tuple[bytes, bytes], ...]
"""Names and values as they were sent, in order; a name may stand twice."""


class Cut(StrEnum):
    """Why a body is not all there, in the words of the WARC standard."""

    LENGTH = "length"  # it was over the limit
    UNSPECIFIED = "unspecified"  # nobody wanted it


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response. The body of a page is in the outcome; here it is only where the outcome has none.

    `request_headers` are empty where nothing was sent, as by a world that holds its pages.
    """

    status_line: str  # as in "HTTP/1.1 200 OK"
    headers: Headers
    request_headers: Headers = ()
    body: bytes | None = None  # transfer and content encoding undone
    cut: Cut | None = None


ROBOTS_TXT: Final = "/robots.txt"

_TEMPORARY_STATUSES: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class RefusalReason(StrEnum):
    """Why a URL may not be asked for."""

    ROBOTS = "robots"
    ADDRESS = "address"
    SCOPE = "scope"
    RESERVED = "reserved"  # by a file of the site, where `directives.respect` is strict


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
    HOOK = "hook"  # it came and was read, and the user's own function broke on it or took too long
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
    tdm: str = ""  # the TDM-Reservation header and, after a space, the TDM-Policy header
    site_directives: Directives = NO_DIRECTIVES  # what files of its site say of it

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
    target: Url | None = None  # where it sent the crawl, one redirect too many

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
    robots_fetches: int = 0  # requests for robots.txt and other site files on the way; counted apart from the budget
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


_NO_CONTENT = frozenset({204, 205, 304})


def whole_exchange(answer: Answer) -> Exchange | None:
    """Return the exchange behind an answer, with its body; None where the host was not asked or did not answer.

    A world that holds its pages sends no headers, so the few that say what the outcome says are made up.
    """
    exchange = answer.exchange or _make_exchange(answer.outcome)
    if exchange is None or exchange.body is not None:
        return exchange
    match answer.outcome:
        case Fetched() as fetched:
            return replace(exchange, body=fetched.body)
        case Failed(reason=FailureReason.TOO_LARGE):
            return replace(exchange, body=b"", cut=Cut.LENGTH)
        case _:
            return replace(exchange, body=b"", cut=Cut.UNSPECIFIED if _has_body(exchange) else None)


def _make_exchange(outcome: Outcome) -> Exchange | None:
    match outcome:
        case Fetched():
            tags = [("X-Robots-Tag", tag) for tag in outcome.robots_tag.split("\n") if tag]
            tdm = zip(("TDM-Reservation", "TDM-Policy"), outcome.tdm.split(), strict=False)
            return _response(outcome.status, ("Content-Type", outcome.content_type), *tags, *tdm)
        case Unchanged():
            return _response(outcome.status)
        case Redirected():
            return _response(outcome.status, ("Location", outcome.target.text))
        case Failed(status=int(status)):
            return _response(status)
        case Failed() | Refused() | Unknown():
            return None


def _response(status: int, *headers: tuple[str, str]) -> Exchange:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    sent = tuple((name.encode(), value.encode("utf-8", "replace")) for name, value in headers if value)
    return Exchange(f"HTTP/1.1 {status} {phrase}".rstrip(), sent)


def _has_body(exchange: Exchange) -> bool:
    """Return whether a response that came over the wire had a body that was not read."""
    if not exchange.request_headers:
        return False
    length = next((value for name, value in exchange.headers if name.lower() == b"content-length"), b"?")
    status = exchange.status_line.split()[1]
    return length.strip() != b"0" and int(status) not in _NO_CONTENT


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file in which an origin tells crawlers its rules, and until when it counts: its robots.txt, unless `path` says.

    With neither a body nor a reason there is no such file, and everything is allowed. Other files than robots.txt close
    their origin only under strict respect.
    """

    origin: str
    expires: float  # clock time
    body: bytes | None = None  # as much of it as is read
    closed_by: RefusalReason | FailureReason | None = None  # why nothing of this origin may be asked for
    detail: str = ""  # of that reason; else why there is none, or what of it is not understood
    troubles: int = 0  # times in a row that the file could not be had
    path: str = ROBOTS_TXT
    asked_at: float = 0.0  # clock time


@dataclass(frozen=True, slots=True)
class HostRest:
    """When a host that was asked may be asked again; what a run keeps of its schedule."""

    host: str
    ready_at: float
    crawl_delay_s: float = 0.0  # the pause between two requests that its robots.txt asks for
    address: str = ""  # at which it was found last; empty where that is not known
    address_ready_at: float = 0.0  # when that address may be asked again
    troubles: int = 0  # temporary failures in a row, up to now


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of an earlier pass, as much of it as is needed to ask whether it has changed."""

    url: Url
    relevance: float
    digest: bytes  # of title and text; empty where it is not known
    etag: str  # as the host sent it, empty where it did not
    last_modified: str
    first_seen_at: float  # on the crawl's clock
    checked_at: float
    changes: int = 0  # how often it was found changed since it was first seen
    checks: int = 0  # how often it was looked at since then, with an answer
