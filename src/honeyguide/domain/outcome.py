"""What a world answers when it is asked for a URL. Everything ordinary on the web is one of these values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.domain.exchange import Exchange
    from honeyguide.domain.url import Url


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
    TOO_LARGE = "too-large"
    TOO_MANY_REDIRECTS = "too-many-redirects"
    BAD_RESPONSE = "bad-response"


@dataclass(frozen=True, slots=True)
class Fetched:
    """A body arrived. `content_type` is the header as sent, empty when there was none."""

    status: int
    content_type: str
    body: bytes
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


@dataclass(frozen=True, slots=True)
class Unknown:
    """The world cannot tell: only a world that holds a part of the web answers so. It costs and teaches nothing."""

    detail: str


Outcome = Fetched | Redirected | Refused | Failed | Unknown


@dataclass(frozen=True, slots=True)
class Answer:
    """An outcome, and what getting it cost."""

    outcome: Outcome
    elapsed_s: float  # simulated offline, measured live
    host_delay_s: float = 0.0  # the pause this host asks for between two requests
    robots_fetches: int = 0  # requests for robots.txt on the way; counted apart from the budget
    address: str = ""  # that was called; empty offline
    exchange: Exchange | None = None  # what went over the wire, where there was one


@dataclass(frozen=True, slots=True)
class Skipped:
    """The strategy's decision not to fetch a link: nothing is sent, nothing spent, the reason is kept."""

    reason: str
