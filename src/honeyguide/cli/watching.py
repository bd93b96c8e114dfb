"""Everything that looks on while a command crawls: display, log, and the hand on Ctrl-C."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.live import Live
from rich.text import Text

from honeyguide.cli.interruption import Interruption
from honeyguide.cli.log_setup import logging_to
from honeyguide.cli.progress import ProgressDisplay, ProgressLines, converting_line
from honeyguide.cli.story import Story
from honeyguide.clock import RealClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.engine import Listener, Surroundings
    from honeyguide.settings import Settings
    from honeyguide.text.vector_files import Converting


@dataclass(frozen=True, slots=True)
class Watch:
    """Looks on at one crawl after another."""

    console: Console
    live: Live | None  # None where there is no terminal to draw on
    verbosity: int
    is_interrupted: Interruption
    clock: RealClock

    def listeners(self, settings: Settings, title: str = "fetches") -> list[Listener]:
        """What the crawl with these settings is to tell its events to."""
        listeners: list[Listener] = [Story(settings)]
        if self.live is not None:
            listeners.append(ProgressDisplay(self.live, self.clock, settings.budget, title))
        elif self.verbosity:
            listeners.append(ProgressLines(self.console, self.clock, settings.budget))
        return listeners

    def surroundings(self, settings: Settings) -> Surroundings:
        """All that a crawl with these settings is given to be watched and stopped."""
        return {
            "listeners": self.listeners(settings),
            "is_interrupted": self.is_interrupted,
            "on_converting": self.converting,
        }

    def converting(self, progress: Converting) -> None:
        """Show how far a file of vectors is. Whoever interrupts here wants no crawl at all."""
        if self.is_interrupted():
            self.console.print("stopped before the crawl began")
            raise typer.Exit(self.is_interrupted.exit_code)
        if self.live is not None:
            self.live.update(Text(converting_line(progress), no_wrap=True, overflow="ellipsis"), refresh=True)


@contextmanager
def watching(verbosity: int, log_file: Path | None) -> Iterator[Watch]:
    """Look on for as long as the context is open; the display is gone when it closes, the log stays."""
    console = Console(stderr=True)
    can_draw = sys.stderr.isatty() and not console.is_dumb_terminal
    live = Live(console=console, auto_refresh=False, transient=True) if can_draw else None
    with Interruption() as is_interrupted, logging_to(console, verbosity, log_file):
        watch = Watch(console, live, verbosity, is_interrupted, RealClock())
        try:
            with live or nullcontext():
                yield watch
        except KeyboardInterrupt:
            console.print("aborted; every finished step is saved")
            raise
