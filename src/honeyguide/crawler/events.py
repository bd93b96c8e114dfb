"""The values that a core gives out: which link to fetch next or why none, what an outcome changed, and events.

An event is announced after the step that it belongs to is safely stored. A progress bar, a log and a dashboard are
three listeners on this one stream; `SeedWarnings` is another.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from honeyguide.crawler.links import LinkTable
    from honeyguide.model import Failed, HostId, Refused, Row, Skipped, Unknown, Url, Verdict
    from honeyguide.runs import AnswerRecord, DispatchRecord, Progress, StepRecord
    from honeyguide.settings import BudgetSettings

MEGABYTE = 1_000_000


class StopReason(StrEnum):
    """Why a crawl stopped. The text is what a person reads."""

    FETCHES = "budget of fetches spent"
    RELEVANT = "as many relevant pages as are wanted"
    YIELD = "too few fetches bring relevant pages (budget.stop_when)"
    SECONDS = "budget of seconds spent"
    BYTES = "budget of received bytes spent"
    DISK = "budget of disk space spent"
    DISK_FULL = "the disk is nearly full (budget.free_disk_megabytes)"
    MEMORY = "the process has all the memory that it may take (budget.memory_megabytes)"
    EXHAUSTED = "nothing left to crawl"
    RESTING = "the hosts that are left are to be left alone for longer"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        """Whether resuming makes no sense without a larger budget."""
        return self not in (StopReason.INTERRUPTED, StopReason.RESTING, StopReason.DISK_FULL, StopReason.MEMORY)


def limit_reached(budget: BudgetSettings, progress: Progress, disk_bytes: int) -> StopReason | None:
    """The first limit that forbids another fetch; a limit of 0 is no limit.

    A fetch in flight counts as spent, until its answer turns out unknown.
    """
    if progress.charged >= budget.fetches:
        return StopReason.FETCHES
    spent = (
        (StopReason.RELEVANT, budget.relevant, progress.relevant),
        (StopReason.SECONDS, budget.seconds, progress.spent_seconds),
        (StopReason.BYTES, budget.megabytes * MEGABYTE, progress.body_bytes),
        (StopReason.DISK, budget.disk_megabytes * MEGABYTE, disk_bytes),
    )
    return next((reason for reason, limit, used in spent if limit and used >= limit), None)


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
    """A link that the world knows nothing of."""

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
class AnswersTaken:
    """Answers about pages were taken in; where the judge learns, all pages are judged by them now."""

    answers: tuple[AnswerRecord, ...]
    changed: int  # pages that have become relevant, or are no more
    has_learned: bool  # whether the judge has learned from them
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
    | AnswersTaken
    | CrawlStopped
)
Listener: TypeAlias = Callable[[Event], None]


@dataclass(frozen=True, slots=True, eq=False)
class Dispatch:
    """A link that is being fetched."""

    record: DispatchRecord
    url: Url
    host: HostId
    not_before: float = 0.0  # a fetch taken up again waits for its host like any other

    @property
    def row(self) -> Row:
        return self.record.row


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing may be fetched before `until`, or before an answer comes in; infinite when only an answer helps."""

    until: float


@dataclass(frozen=True, slots=True)
class Stop:
    """The crawl is over."""

    reason: StopReason


Choice: TypeAlias = Dispatch | Wait | Stop


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The changes of one outcome: to be stored first, then announced."""

    record: StepRecord
    events: tuple[Event, ...]


log = logging.getLogger(__name__)

MOST_TOLD: Final = 20  # a sitemap may have thousands


class SeedWarnings:
    """Listens to a crawl, and warns of each seed that is refused or fails for good.

    Where a seed was redirected, it is the URL to which it led that is told of.
    """

    def __init__(self, links: LinkTable) -> None:
        self._links = links
        self._told = 0

    def __call__(self, event: Event) -> None:
        if not isinstance(event, FetchFailed | LinkRefused) or self._told > MOST_TOLD:
            return
        link = self._links.find(event.url)
        if link is None or self._links.depth(link) > 0:
            return
        self._told += 1
        if self._told > MOST_TOLD:
            log.warning("more seeds brought no page; the summary counts why")
        else:
            log.warning("seed %s brought no page: %s (%s)", event.url, event.outcome.detail, event.outcome.reason)
