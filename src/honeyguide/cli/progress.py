"""Listeners that show how a crawl comes along: a display on a terminal, lines elsewhere, and the log."""

from __future__ import annotations

import logging
import os
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, assert_never

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from honeyguide.cli.output import countdown, one_line, percent
from honeyguide.crawler import (
    AnswersTaken,
    CrawlRestarted,
    CrawlStarted,
    CrawlStopped,
    FetchFailed,
    LinkPutBack,
    LinkRedirected,
    LinkRefused,
    LinkSkipped,
    LinkUnknown,
    PageJudged,
    PageUnchanged,
)
from honeyguide.model.counts import count_of
from honeyguide.runs import MOST_LOOKED_AT, Progress, forecast
from honeyguide.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO

    from rich.console import RenderableType

    from honeyguide.crawler import Event
    from honeyguide.model.clock import Clock
    from honeyguide.settings import BudgetSettings
    from honeyguide.text.vector_files import Converting

log = logging.getLogger("honeyguide.crawl")

REFRESH_S: Final = 0.125
AHEAD: Final = 100
FINDS_SHOWN: Final = 3
MOST_HOSTS: Final = 20_000
"""Hosts that are counted at once."""
LINE_S: Final = 5.0
WINDOW_S: Final = 10.0
"""Speed is measured over so many seconds, so that it follows changes without jumping."""


@dataclass(frozen=True, slots=True)
class Speedometer:
    """Speed of a crawl, from its progress at moments of the last seconds, the oldest first."""

    samples: deque[tuple[float, Progress]] = field(default_factory=deque)

    def note(self, now: float, progress: Progress) -> None:
        self.samples.append((now, progress))
        while len(self.samples) > 2 and now - self.samples[0][0] > WINDOW_S:
            self.samples.popleft()

    @property
    def elapsed_s(self) -> float:
        return self.samples[-1][0] - self.samples[0][0] if self.samples else 0.0

    @property
    def pages_per_s(self) -> float:
        if not self.elapsed_s:
            return 0.0
        return (self.samples[-1][1].pages - self.samples[0][1].pages) / self.elapsed_s

    def seconds_left(self, budget: BudgetSettings) -> float | None:
        """Return the time until the first limit is reached at this speed; None while that is unknown."""
        if not self.elapsed_s:
            return None
        earlier, later = self.samples[0][1], self.samples[-1][1]
        limits = (
            (budget.fetches, earlier.fetches, later.fetches),
            (budget.seconds, earlier.spent_seconds, later.spent_seconds),
            (budget.megabytes * 1e6, earlier.body_bytes, later.body_bytes),
        )
        left = [
            max(0.0, limit - used) * self.elapsed_s / (used - used_before)
            for limit, used_before, used in limits
            if limit and used > used_before
        ]
        return min(left, default=None)


class RecentYield:
    """The last fetches of a crawl, and what the next hundred may bring."""

    def __init__(self, before: Iterable[bool] = ()) -> None:
        """`before` says of each of the last fetches of a run that goes on whether it brought a relevant page."""
        self._relevant: deque[bool] = deque(before, maxlen=MOST_LOOKED_AT)
        self._last: Progress | None = None

    def note(self, progress: Progress) -> None:
        """Note what a fetch has brought, if one has ended."""
        if self._last is not None and progress.fetches > self._last.fetches:
            self._relevant.append(progress.relevant > self._last.relevant)
        self._last = progress

    def words(self) -> str:
        """Return a 90% interval in words; empty as long as too little was seen."""
        last = self._last or Progress()
        told = forecast(list(self._relevant), last.fetches, min(AHEAD, last.waiting - last.behind))
        if told is None:
            return ""
        ahead = count_of(told.fetches, "fetch", "fetches")
        return f"next {ahead}: {told.relevant.low:,} to {told.relevant.high:,} relevant"


class RecentFinds:
    """The newest relevant pages and the best host since the crawl began or went on."""

    def __init__(self) -> None:
        self._last: deque[str] = deque(maxlen=FINDS_SHOWN)
        self._pages: Counter[str] = Counter()
        self._relevant: Counter[str] = Counter()

    def note(self, event: Event) -> None:
        """Note a page, if the event is about one."""
        if not isinstance(event, PageJudged):
            return
        self._pages[event.url.host] += 1
        if event.verdict.is_relevant:
            self._relevant[event.url.host] += 1
            self._last.append(one_line(event.title) or event.url.text)
        if len(self._pages) > MOST_HOSTS:  # those without a relevant page go first
            kept = sorted(self._pages, key=lambda host: -self._relevant[host])[: MOST_HOSTS // 2]
            self._pages = Counter({host: self._pages[host] for host in kept})
            self._relevant = Counter({host: self._relevant[host] for host in kept})

    def lines(self) -> Iterator[str]:
        """Yield the best host and the last finds, the newest first; nothing before the first find."""
        for host, relevant in self._relevant.most_common(1):
            yield f"best host {host}: {relevant:,} of {count_of(self._pages[host], 'page')} relevant"
        if self._last:
            yield f"found {'; '.join(reversed(self._last))}"


def spent_line(progress: Progress) -> str:
    """Return what the budget went to."""
    if not progress.fetches:
        return ""
    shares = (
        ("relevant pages", progress.relevant),
        ("other pages", progress.pages - progress.relevant),
        ("no page", progress.fetches - progress.pages),
    )
    return "spent on " + ", ".join(f"{words} {count / progress.fetches:.0%}" for words, count in shares if count > 0)


def is_in_foreground(file: IO[str]) -> bool:
    """Whether we may draw on a terminal, set it and read from it; in the background it is the shell's."""
    try:
        return os.tcgetpgrp(file.fileno()) == os.getpgrp()
    except (OSError, AttributeError):  # no terminal, not the one that we were started from, gone, or Windows
        return True


class CrawlScreen(Live):
    """The part of the terminal that is drawn again and again: progress, and a question below it where there is one."""

    _question: RenderableType | None = None

    def show_question(self, question: RenderableType | None) -> None:
        """Draw a question, or none, at once; from any thread."""
        self._question = question
        self.refresh()

    def refresh(self) -> None:
        if is_in_foreground(self.console.file):
            super().refresh()

    def get_renderable(self) -> RenderableType:
        progress = super().get_renderable()
        return progress if self._question is None else Group(progress, self._question)


class ProgressDisplay:
    """A listener that draws the state of a crawl in place, at most eight times a second."""

    def __init__(
        self, live: Live, clock: Clock, budget: BudgetSettings, title: str, before: Iterable[bool] = ()
    ) -> None:
        self._live = live
        self._clock = clock
        self._budget = budget
        self._title = title
        self._speed = Speedometer()
        self._yield = RecentYield(before)
        self._finds = RecentFinds()
        self._next_sample = 0.0

    def __call__(self, event: Event) -> None:
        if isinstance(event, LinkSkipped):
            return
        self._yield.note(event.progress)
        self._finds.note(event)
        now = self._clock.now()
        if now < self._next_sample and not isinstance(event, CrawlStarted | CrawlStopped):
            return
        self._next_sample = now + REFRESH_S
        self._speed.note(now, event.progress)
        self._live.update(self._draw(event.progress), refresh=True)

    def _draw(self, progress: Progress) -> RenderableType:
        line = Table.grid(padding=(0, 1), expand=True)
        for _ in range(4):
            line.add_column(no_wrap=True)
        line.columns[2].ratio = 1
        left = self._speed.seconds_left(self._budget)
        line.add_row(
            Text(self._title, style="bold"),
            f"{progress.fetches:,}/{self._budget.fetches:,}",
            ProgressBar(total=self._budget.fetches, completed=progress.fetches),
            "" if left is None else f"{countdown(left)} left",
        )
        words = [
            state_line(progress, self._speed),
            spent_line(progress),
            *self._finds.lines(),
            self._yield.words(),
        ]
        return Group(line, *(Text(each, style="dim", no_wrap=True, overflow="ellipsis") for each in words if each))


class ProgressLines:
    """A listener for where there is no terminal to draw on: a plain line every few seconds."""

    def __init__(self, console: Console, clock: Clock, budget: BudgetSettings, before: Iterable[bool] = ()) -> None:
        self._console = console
        self._clock = clock
        self._budget = budget
        self._speed = Speedometer()
        self._yield = RecentYield(before)
        self._next_line = clock.now() + LINE_S

    def __call__(self, event: Event) -> None:
        if isinstance(event, LinkSkipped):
            return
        now = self._clock.now()
        self._yield.note(event.progress)
        if isinstance(event, CrawlStarted):
            self._speed.note(now, event.progress)
        if now < self._next_line:
            return
        self._next_line = now + LINE_S
        self._speed.note(now, event.progress)
        left = self._speed.seconds_left(self._budget)
        words = (
            f"{event.progress.fetches:,}/{self._budget.fetches:,} fetches  {state_line(event.progress, self._speed)}",
            "" if left is None else f"{countdown(left)} left",
            self._yield.words(),
        )
        self._console.print("  ".join(filter(None, words)), markup=False, highlight=False, soft_wrap=True)


def state_line(progress: Progress, speed: Speedometer) -> str:
    """Return the state of a crawl in less than 80 columns."""
    rate = progress.relevant / progress.fetches if progress.fetches else 0.0
    return (
        f"pages {progress.pages:,}  relevant {progress.relevant:,}  harvest {percent(rate)}  "
        f"waiting {progress.waiting:,}  {speed.pages_per_s:,.0f} pages/s"
    )


def converting_line(progress: Converting) -> str:
    """Return the progress of converting a file of vectors."""
    share = progress.bytes_read / progress.size_bytes if progress.size_bytes else 1.0
    return f"reading vectors {one_line(progress.path.name)}  {percent(share)}  {progress.words:,} words"


STATE_LINES: Final = 10


class CrawlLog:
    """A listener that logs the start, the state ten times, and the end; at DEBUG every step."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._every = max(1, settings.budget.fetches // STATE_LINES)
        self._logs_urls = log.isEnabledFor(logging.DEBUG)

    def __call__(self, event: Event) -> None:
        if isinstance(event, CrawlStarted):
            self._begin(event)
        elif isinstance(event, CrawlStopped):
            log.info("stopped: %s; %s", event.reason.value, _state(event.progress))
        elif isinstance(event, CrawlRestarted):
            log.info("restarting at %s (%s): %s", count_of(event.links, "link"), event.source, event.reason)
        elif isinstance(event, AnswersTaken):
            log.info("%s", _answers(event))
        else:
            if self._logs_urls:
                _log_step(event)
            if not isinstance(event, LinkSkipped) and event.progress.steps % self._every == 0:
                log.info("%s", _state(event.progress))

    def _begin(self, event: CrawlStarted) -> None:
        settings = self._settings
        log.info(
            "%s: topic %r, keywords %s; strategy %s, world %s, budget %s%s, seed %s",
            f"going on after {_fetches(event.progress.fetches)}" if event.is_resumed else "starting",
            settings.topic.name,
            ", ".join(settings.topic.keywords) or "none",
            settings.crawl.strategy,
            settings.crawl.world,
            _fetches(settings.budget.fetches),
            f", {settings.crawl.concurrency} at once" if settings.crawl.concurrency else "",
            settings.crawl.seed,
        )


def _state(progress: Progress) -> str:
    return (
        f"{_fetches(progress.fetches)}: {count_of(progress.pages, 'page')}, {progress.relevant:,} relevant, "
        f"harvest rate {progress.relevant / max(1, progress.fetches):.1%}, {count_of(progress.waiting, 'link')} waiting"
    )


def _answers(event: AnswersTaken) -> str:
    counts = Counter(answer.answer for answer in event.answers)
    said = ", ".join(f"{count} {answer}" for answer, count in counts.items()) or "a page has come that was answered"
    changed = f"; {count_of(event.changed, 'page')} judged otherwise" if event.has_learned else ""
    return f"{said}{changed}; {_state(event.progress)}"


def _fetches(count: int) -> str:
    return count_of(count, "fetch", "fetches")


def _log_step(
    event: PageJudged
    | PageUnchanged
    | LinkRedirected
    | LinkRefused
    | FetchFailed
    | LinkPutBack
    | LinkUnknown
    | LinkSkipped,
) -> None:
    match event:
        case PageJudged():
            log.debug(
                "%s judged %.3f%s, expected %.3f%s; %s; %r",
                event.url,
                event.verdict.relevance,
                " (relevant)" if event.verdict.is_relevant else "",
                event.score,
                " (explored)" if event.explored else "",
                count_of(event.new_links, "new link"),
                event.title,
            )
        case PageUnchanged():
            log.debug("%s is unchanged", event.url)
        case LinkRedirected():
            log.debug("%s redirects to %s%s", event.url, event.target, "" if event.is_new else ", known already")
        case LinkRefused():
            log.debug("%s refused, %s: %s", event.url, event.outcome.reason.value, event.outcome.detail)
        case FetchFailed():
            log.debug("%s failed, %s: %s", event.url, event.outcome.reason.value, event.outcome.detail)
        case LinkPutBack():
            log.debug("%s will be tried again, %s: %s", event.url, event.outcome.reason.value, event.outcome.detail)
        case LinkUnknown():
            log.debug("%s unknown: %s", event.url, event.outcome.detail)
        case LinkSkipped():
            log.debug("%s skipped: %s", event.url, event.decision.reason)
        case _:
            assert_never(event)
