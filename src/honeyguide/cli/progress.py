"""How a crawl comes along, while it does: two lines that stay in place on a terminal, now and then a line elsewhere."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from honeyguide.cli.words import countdown, one_line, percent
from honeyguide.engine import CrawlStarted, CrawlStopped, LinkSkipped

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

    from honeyguide.clock import Clock
    from honeyguide.engine import Event
    from honeyguide.settings import BudgetSettings
    from honeyguide.store import Progress
    from honeyguide.text.vector_files import Converting

REFRESH_S: Final = 0.125
LINE_S: Final = 5.0
WINDOW_S: Final = 10.0
"""Speed is measured over so many seconds, so that it follows changes without jumping."""


@dataclass(frozen=True, slots=True)
class Speedometer:
    """How fast a crawl has come along lately: looks at it, with the moment of each, the oldest first."""

    looks: deque[tuple[float, Progress]] = field(default_factory=deque)

    def note(self, now: float, progress: Progress) -> None:
        self.looks.append((now, progress))
        while len(self.looks) > 2 and now - self.looks[0][0] > WINDOW_S:
            self.looks.popleft()

    @property
    def elapsed_s(self) -> float:
        return self.looks[-1][0] - self.looks[0][0] if self.looks else 0.0

    @property
    def pages_per_s(self) -> float:
        if not self.elapsed_s:
            return 0.0
        return (self.looks[-1][1].pages - self.looks[0][1].pages) / self.elapsed_s

    def seconds_left(self, budget: BudgetSettings) -> float | None:
        """Time until the first limit is reached at this speed; None as long as nobody can say."""
        if not self.elapsed_s:
            return None
        earlier, later = self.looks[0][1], self.looks[-1][1]
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


class ProgressDisplay:
    """A listener that draws the state of a crawl in place, at most eight times a second."""

    def __init__(self, live: Live, clock: Clock, budget: BudgetSettings, title: str) -> None:
        self._live = live
        self._clock = clock
        self._budget = budget
        self._title = title
        self._speed = Speedometer()
        self._next_look = 0.0

    def __call__(self, event: Event) -> None:
        if isinstance(event, LinkSkipped):
            return
        now = self._clock.now()
        if now < self._next_look and not isinstance(event, CrawlStarted | CrawlStopped):
            return
        self._next_look = now + REFRESH_S
        self._speed.note(now, event.progress)
        self._live.update(self._drawn(event.progress), refresh=True)

    def _drawn(self, progress: Progress) -> RenderableType:
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
        return Group(line, Text(state_line(progress, self._speed), style="dim", no_wrap=True, overflow="ellipsis"))


class ProgressLines:
    """A listener for where there is no terminal to draw on: a plain line every few seconds."""

    def __init__(self, console: Console, clock: Clock, budget: BudgetSettings) -> None:
        self._console = console
        self._clock = clock
        self._budget = budget
        self._speed = Speedometer()
        self._next_line = clock.now() + LINE_S

    def __call__(self, event: Event) -> None:
        now = self._clock.now()
        if isinstance(event, CrawlStarted):
            self._speed.note(now, event.progress)
        if isinstance(event, LinkSkipped) or now < self._next_line:
            return
        self._next_line = now + LINE_S
        self._speed.note(now, event.progress)
        left = self._speed.seconds_left(self._budget)
        words = (
            f"{event.progress.fetches:,}/{self._budget.fetches:,} fetches  {state_line(event.progress, self._speed)}"
        )
        self._console.print(
            words if left is None else f"{words}  {countdown(left)} left", markup=False, highlight=False, soft_wrap=True
        )


def state_line(progress: Progress, speed: Speedometer) -> str:
    """Everything worth watching, in less than 80 columns."""
    rate = progress.relevant / progress.fetches if progress.fetches else 0.0
    return (
        f"pages {progress.pages:,}  relevant {progress.relevant:,}  harvest {percent(rate)}  "
        f"waiting {progress.waiting:,}  {speed.pages_per_s:,.0f} pages/s"
    )


def converting_line(progress: Converting) -> str:
    """How far the conversion of a file of vectors is."""
    share = progress.bytes_read / progress.size_bytes if progress.size_bytes else 1.0
    return f"reading vectors {one_line(progress.path.name)}  {percent(share)}  {progress.words:,} words"
