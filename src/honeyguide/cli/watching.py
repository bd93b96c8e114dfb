"""Progress, log and Ctrl-C while a command crawls."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
from rich.console import Console
from rich.text import Text

from honeyguide.cli.output import one_line
from honeyguide.cli.progress import CrawlLog, CrawlScreen, ProgressDisplay, ProgressLines, converting_line
from honeyguide.model.clock import RealClock
from honeyguide.model.counts import count_of
from honeyguide.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType, TracebackType
    from typing import Self

    from honeyguide.cluster.crawling import ClusterProgress
    from honeyguide.crawler import CrawlOptions, Listener
    from honeyguide.text.vector_files import Converting

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
_LONG_URL: Final = re.compile(r"(https?://\S{200})\S+")


GRACE_S: Final = 4
"""Seconds that a crawl has to end by itself after SIGTERM."""
# Reads the number of every signal as one byte; 15, octal 17, is SIGTERM. At the end of the file nobody is left.
_WATCHER: Final = r"""
while number=$(head -c 1 2>/dev/null) && [ -n "$number" ]; do
    if [ "$number" = "$(printf '\017')" ]; then
        sleep "$2" 2>/dev/null
        echo "honeyguide: ended after $2 s in one step; every finished step is saved" >&2
        kill -9 "$1"
        exit
    fi
done
"""


class Interruption:
    """Says between steps whether the crawl is to stop; a second signal aborts. Main thread only.

    A step may hang where Python runs no handler, as in the code of a library. So a process beside this one kills it
    if it is still there a while after SIGTERM: every finished step is saved.
    """

    def __init__(self) -> None:
        self._signal = 0
        self._before: dict[signal.Signals, Any] = {}
        self._watcher: subprocess.Popen[bytes] | None = None
        self._wakeup_before = -1

    def __call__(self) -> bool:
        return self._signal != 0

    @property
    def exit_code(self) -> int:
        """Return 130 or 143 after a signal, as shells expect; 0 when none came."""
        return 128 + self._signal if self._signal else 0

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        self._watch()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._watcher is not None and self._watcher.stdin is not None:
            signal.set_wakeup_fd(self._wakeup_before)
            self._watcher.kill()  # also while it counts the seconds
            self._watcher.stdin.close()
            self._watcher.wait()

    def _watch(self) -> None:
        """Start the process that ends this one. The system itself tells it of a signal, whatever this one is doing."""
        with suppress(OSError):  # without a shell a hanging step is waited for
            self._watcher = subprocess.Popen(  # noqa: S603 - a script of our own
                ["/bin/sh", "-c", _WATCHER, "sh", str(os.getpid()), str(GRACE_S)],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        if self._watcher is not None and self._watcher.stdin is not None:
            os.set_blocking(self._watcher.stdin.fileno(), False)
            self._wakeup_before = signal.set_wakeup_fd(self._watcher.stdin.fileno(), warn_on_full_buffer=False)

    def _note(self, number: int, frame: FrameType | None) -> None:
        del frame
        if self._signal:
            for waiting in SIGNALS:  # a third one need not wait for anybody
                signal.signal(waiting, signal.SIG_DFL)
            raise KeyboardInterrupt
        self._signal = number


_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


class ConsoleHandler(logging.Handler):
    """Prints through the console that draws the progress display, so that neither spoils the other."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.print(
            one_line(self.format(record)), markup=False, highlight=False, soft_wrap=True, style=_style(record.levelno)
        )


class _Formatter(logging.Formatter):
    """Shortens long URLs: whoever wrote a page chose them."""

    def format(self, record: logging.LogRecord) -> str:
        return _LONG_URL.sub(r"\1…", super().format(record))


@contextmanager
def logging_to(console: Console, verbosity: int, file: Path | None) -> Iterator[None]:
    """Log to `console` and, where one is named, to `file`, while the context is open. OSError if it cannot be had."""
    level = _LEVELS[min(verbosity, 2)]
    shown = ConsoleHandler(console)
    shown.setFormatter(_Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    shown.setLevel(level)
    handlers: list[logging.Handler] = [shown]
    if file is not None:
        kept = logging.FileHandler(file, encoding="utf-8")
        kept.setFormatter(_Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
        kept.setLevel(min(level, logging.INFO))
        handlers.append(kept)
    logger = logging.getLogger("honeyguide")
    before = logger.level, logger.propagate
    logger.propagate = False  # whatever else may listen in this process has not been asked for
    logger.setLevel(min(handler.level for handler in handlers))
    for handler in handlers:
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.level, logger.propagate = before
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()


LINE_EVERY_S: Final = 10.0


def cluster_line(progress: ClusterProgress) -> str:
    """Say in one line how a crawl on a cluster stands."""
    status = progress.status
    parts = [
        count_of(progress.workers, "worker"),
        count_of(progress.shards, "shard"),
        f"{status.fetches:,} of {progress.budget:,} fetches",
        f"{status.relevant:,} relevant",
        f"{progress.pages_per_s:.1f} pages/s",
        f"{status.in_transit:,} links in transit",
    ]
    if progress.deaths:
        parts.append(f"{count_of(progress.deaths, 'worker')} replaced")
    return " · ".join(parts)


def _style(level: int) -> str:
    return "yellow" if level >= logging.WARNING else "dim"


@dataclass(frozen=True, slots=True)
class Watch:
    """Progress display, log and Ctrl-C for one crawl after another."""

    console: Console
    live: CrawlScreen | None  # None where there is no terminal to draw on
    verbosity: int
    is_interrupted: Interruption
    clock: RealClock

    def listeners(self, settings: Settings, title: str = "fetches", before: Iterable[bool] = ()) -> list[Listener]:
        """Return the listeners for a crawl with these settings.

        `before` says of each of the last fetches of a run that goes on whether it brought a relevant page.
        """
        listeners: list[Listener] = [CrawlLog(settings)]
        if self.live is not None:
            listeners.append(ProgressDisplay(self.live, self.clock, settings.budget, title, before))
        elif self.verbosity:
            listeners.append(ProgressLines(self.console, self.clock, settings.budget, before))
        return listeners

    def crawl_options(self, settings: Settings, before: Iterable[bool] = ()) -> CrawlOptions:
        """Return the arguments of `crawl` that let it be watched and stopped."""
        return {
            "listeners": self.listeners(settings, before=before),
            "is_interrupted": self.is_interrupted,
            "on_converting": self.converting,
        }

    def cluster_options(self) -> dict[str, Any]:
        """Return the arguments of `crawl_on_cluster` that let it be watched and stopped."""
        last = [0.0]

        def show(progress: ClusterProgress) -> None:
            line = cluster_line(progress)
            if self.live is not None:
                self.live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
            elif self.verbosity and self.clock.now() - last[0] >= LINE_EVERY_S:
                last[0] = self.clock.now()
                self.console.print(line, markup=False, highlight=False, soft_wrap=True)

        return {"is_interrupted": self.is_interrupted, "on_progress": show}

    def converting(self, progress: Converting) -> None:
        """Show how far the conversion of a file of vectors is. An interruption here stops before the crawl."""
        if self.is_interrupted():
            self.console.print("stopped before the crawl began")
            raise typer.Exit(self.is_interrupted.exit_code)
        if self.live is not None:
            self.live.update(Text(converting_line(progress), no_wrap=True, overflow="ellipsis"), refresh=True)


@contextmanager
def watching(verbosity: int, log_file: Path | None) -> Iterator[Watch]:
    """Show and log crawls while the context is open; the display is gone when it closes, the log stays."""
    console = Console(stderr=True)
    can_draw = sys.stderr.isatty() and not console.is_dumb_terminal
    live = CrawlScreen(console=console, auto_refresh=False, transient=True) if can_draw else None
    with Interruption() as is_interrupted, logging_to(console, verbosity, log_file):
        watch = Watch(console, live, verbosity, is_interrupted, RealClock())
        try:
            with live or nullcontext():
                yield watch
        except KeyboardInterrupt as interrupt:
            console.print(str(interrupt) or "aborted; every finished step is saved")
            raise typer.Exit(is_interrupted.exit_code or 130) from None
