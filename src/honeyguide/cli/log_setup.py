"""Where log lines go: to stderr above the progress display, and to a file."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from honeyguide.cli.words import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rich.console import Console

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


@contextmanager
def logging_to(console: Console, verbosity: int, file: Path | None) -> Iterator[None]:
    """Log to `console` and, where one is named, to `file`, while the context is open. OSError if it cannot be had."""
    level = _LEVELS[min(verbosity, 2)]
    shown = ConsoleHandler(console)
    shown.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    shown.setLevel(level)
    handlers: list[logging.Handler] = [shown]
    if file is not None:
        kept = logging.FileHandler(file, encoding="utf-8")
        kept.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
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


def _style(level: int) -> str:
    return "yellow" if level >= logging.WARNING else "dim"
