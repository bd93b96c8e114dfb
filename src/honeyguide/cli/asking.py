"""Questions in a terminal: a page, and one key for the answer."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
import tty
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group
from rich.text import Text

from honeyguide.cli.output import one_line, printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType, TracebackType
    from typing import Self, TextIO

    from rich.console import RenderableType

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.runs.inbox import Reply

_REPLY_BY_KEY: Final[dict[str, Reply]] = {"y": "yes", "n": "no", "s": "skip", "u": "undo"}
_QUIT: Final = "q"
_HELP: Final = "y yes  n no  s skip  u undo  q no more"
_LOOK_S: Final = 0.1


class Keys:
    """Single keys from a terminal, without echo or Enter, while the context is open. Opened in the main thread.

    The terminal is as before when the context closes. Ctrl-C and Ctrl-Z work as ever.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._file = (stream or sys.stdin).fileno()
        self._before: list[Any] = []
        self._on_continue: Any = None

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._file)
        self._on_continue = signal.signal(signal.SIGCONT, self._continue)
        tty.setcbreak(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGCONT, self._on_continue)
        with suppress(termios.error):  # it may be gone
            termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def _continue(self, number: int, frame: FrameType | None) -> None:
        """After Ctrl-Z and fg the shell has set the terminal to its own liking."""
        del number, frame
        tty.setcbreak(self._file)

    def read(self, patience_s: float) -> str:
        """Return the next key; empty where none is pressed in time. EOFError where the terminal is gone."""
        ready, _, _ = select.select([self._file], [], [], patience_s)
        if not ready:
            return ""
        try:
            key = os.read(self._file, 1)
        except OSError as error:
            raise EOFError from error
        if not key:
            raise EOFError
        return key.decode("latin-1")


class TerminalQuestions:
    """Shows a question and waits for the key that answers it."""

    def __init__(
        self, keys: Keys, show: Callable[[RenderableType | None], None], is_over: Callable[[], bool], limit: int
    ) -> None:
        self._keys = keys
        self._show = show
        self._is_over = is_over
        self._limit = limit
        self._asked = 0

    def reply(self, question: PageQuestion) -> Reply | None:
        """Return the answer, or None for no more questions: by key, or because the crawl is over."""
        self._show(question_panel(question, self._asked + 1, self._limit))
        try:
            while not self._is_over():
                key = self._keys.read(_LOOK_S).lower()
                if key == _QUIT:
                    return None
                if key in _REPLY_BY_KEY:
                    reply = _REPLY_BY_KEY[key]
                    self._asked = max(0, self._asked - 1) if reply == "undo" else self._asked + 1
                    return reply
        except EOFError:
            pass
        finally:
            self._show(None)
        return None


def question_panel(question: PageQuestion, number: int, limit: int) -> RenderableType:
    """Return a question as it is shown: five lines or so, cut to the width of the terminal."""
    of_how_many = f" ({number} of {limit})" if limit else ""
    lines = [
        Text.assemble((f"Does this page belong to the topic?{of_how_many}  ", "bold"), (_HELP, "cyan")),
        Text(f"  {one_line(question.title) or '(no title)'}"),
        Text(f"  {question.url}", style="dim"),
    ]
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    if question.snippet is not None:
        pieces = ((printable(piece), "bold" if is_marked else "") for piece, is_marked in question.snippet.pieces())
        lines.append(Text.assemble("  ", *pieces))
    return Group(Text(""), *lines)
