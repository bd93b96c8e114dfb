"""What happens in a crawl, as values; each is announced after the step it belongs to is safely stored.

A progress bar, a log and a dashboard are three listeners on this one stream.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from honeyguide.domain import Failed, Refused, Skipped, Unknown, Url, Verdict
    from honeyguide.engine.budget import StopReason
    from honeyguide.store import Progress


@dataclass(frozen=True, slots=True)
class CrawlStarted:
    """A crawl begins, or goes on after a stop."""

    progress: Progress
    is_resumed: bool


@dataclass(frozen=True, slots=True)
class PageJudged:
    """A page came, was judged and learned from."""

    url: Url
    title: str
    verdict: Verdict
    score: float  # what the strategy expected when it chose the link
    explored: bool
    new_links: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class PageUnchanged:
    """The host of a page that an earlier run knows says that it is still the same."""

    url: Url
    progress: Progress


@dataclass(frozen=True, slots=True)
class LinkRedirected:
    """A link led elsewhere."""

    url: Url
    target: Url
    is_new: bool  # the target had not been met before
    progress: Progress


@dataclass(frozen=True, slots=True)
class LinkRefused:
    """A link may not be fetched."""

    url: Url
    outcome: Refused
    progress: Progress


@dataclass(frozen=True, slots=True)
class FetchFailed:
    """A link gave no page."""

    url: Url
    outcome: Failed
    progress: Progress


@dataclass(frozen=True, slots=True)
class LinkPutBack:
    """A link brought trouble that may pass; it waits to be tried again."""

    url: Url
    outcome: Refused | Failed
    progress: Progress


@dataclass(frozen=True, slots=True)
class LinkUnknown:
    """What a link leads to, the world cannot tell."""

    url: Url
    outcome: Unknown
    progress: Progress


@dataclass(frozen=True, slots=True)
class LinkSkipped:
    """The strategy decided not to fetch a link whose turn had come."""

    url: Url
    decision: Skipped


@dataclass(frozen=True, slots=True)
class CrawlRestarted:
    """The crawl begins anew elsewhere: some links go first."""

    reason: str
    source: str
    links: int
    progress: Progress


@dataclass(frozen=True, slots=True)
class CrawlStopped:
    """The crawl has stopped; everything up to here is stored."""

    reason: StopReason
    progress: Progress


Event: TypeAlias = (
    CrawlStarted
    | PageJudged
    | PageUnchanged
    | LinkRedirected
    | LinkRefused
    | FetchFailed
    | LinkPutBack
    | LinkUnknown
    | LinkSkipped
    | CrawlRestarted
    | CrawlStopped
)
Listener: TypeAlias = Callable[[Event], None]
