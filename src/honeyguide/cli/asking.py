"""Questions in a terminal: a page, and one key for the answer."""

from __future__ import annotations

import logging
import os
import select
import signal
import sys
import threading
from contextlib import contextmanager, suppress
from time import sleep
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from honeyguide.ask.asking import AskingBeside, Respondent, asking_about, user
from honeyguide.cli.output import command, one_line, printable
from honeyguide.cli.progress import is_in_foreground
from honeyguide.crawler import judge_of
from honeyguide.errors import SettingsError

try:
    import termios
    import tty
except ImportError:  # Windows: a terminal gives no single keys
    termios = tty = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType, TracebackType
    from typing import Self, TextIO

    from rich.console import RenderableType

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.cli.progress import CrawlScreen
    from honeyguide.runs.inbox import Reply
    from honeyguide.settings import Settings

log = logging.getLogger(__name__)

_REPLY_BY_KEY: Final[dict[str, Reply]] = {"y": "yes", "n": "no", "s": "skip", "u": "undo"}
_QUIT: Final = "q"
_HELP: Final = "y yes  n no  s skip  u undo  q no more"
_LOOK_S: Final = 0.1
_MOST_AT_ONCE: Final = 4096  # bytes: all that a terminal keeps


class Keys:
    """Single keys from a terminal, without echo or Enter, while the context is open. Opened in the main thread.

    The terminal is as before when the context closes. Ctrl-C and Ctrl-Z work as ever.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        if termios is None:
            raise SettingsError(
                ["questions in a terminal need Linux or macOS; answer them in honeyguide serve instead"]
            )
        self._stream = stream or sys.stdin
        self._file = self._stream.fileno()
        self._before: list[Any] = []
        self._on_continue: Any = None
        self._is_continued = False

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self._file)
        self._on_continue = signal.signal(signal.SIGCONT, self._continue)
        tty.setcbreak(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGCONT, self._on_continue)
        if is_in_foreground(self._stream):
            with suppress(termios.error):  # it may be gone
                termios.tcsetattr(self._file, termios.TCSAFLUSH, self._before)  # no key is left for the shell

    def _continue(self, number: int, frame: FrameType | None) -> None:
        """After Ctrl-Z and fg the shell has set the terminal to its own liking; after bg it is the shell's."""
        del number, frame
        self._is_continued = True

    def forget(self) -> None:
        """Drop the keys pressed so far: they were meant for something else."""
        if is_in_foreground(self._stream):
            with suppress(termios.error):
                termios.tcflush(self._file, termios.TCIFLUSH)

    def read(self, patience_s: float) -> str:
        """Return the next key; empty where none is pressed in time. EOFError where the terminal is gone.

        Several different bytes at once are a function key or a paste, and no answer.
        """
        ready, _, _ = select.select([self._file], [], [], patience_s)
        if not is_in_foreground(self._stream):
            if ready:
                sleep(patience_s)
            return ""
        if self._is_continued:
            self._is_continued = False
            with suppress(termios.error):
                tty.setcbreak(self._file)
        if not ready:
            return ""
        try:
            typed = os.read(self._file, _MOST_AT_ONCE)
        except OSError as error:
            raise EOFError from error
        if not typed:
            raise EOFError
        return chr(typed[0]) if len(set(typed)) == 1 else ""


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
        self._keys.forget()
        self._show(question_panel(question, self._asked + 1, self._limit))
        try:
            while not self._is_over():
                key = self._keys.read(_LOOK_S).lower()
                if key == _QUIT:
                    break
                if key in _REPLY_BY_KEY:
                    reply = _REPLY_BY_KEY[key]
                    self._asked = max(0, self._asked - 1) if reply == "undo" else self._asked + 1
                    self._show(_noted(question, reply))
                    return reply
        except EOFError:
            pass
        self._show(None)
        return None


def _noted(question: PageQuestion, reply: Reply) -> RenderableType | None:
    """Return what is shown until the next question comes."""
    if reply == "undo":
        return None
    return Text(f"{reply}: {one_line(question.title) or question.url}", style="dim", no_wrap=True, overflow="ellipsis")


def refuse_without_terminal(settings: Settings, run: Path) -> None:
    """SettingsError where questions are wanted and there is nobody to ask. Before a crawl begins."""
    if settings.ask.questions > 0 and not settings.ask.model and not (sys.stdin.isatty() and sys.stderr.isatty()):
        instead = f"leave it out and use {command('ask', run)} in one, or name a model with --ask-model"
        raise SettingsError([f"--ask {settings.ask.questions} needs a terminal to ask in: {instead}"])


@contextmanager
def asking_beside(run: Path, settings: Settings, screen: CrawlScreen | None) -> Iterator[None]:
    """Ask in the terminal while a crawl goes on inside the block, where its settings want that."""
    if settings.ask.questions <= 0 or settings.ask.model:
        yield
        return
    if screen is None or not sys.stdin.isatty():
        log.warning("nobody is asked, for want of a terminal; in one, use: %s", command("ask", run))
        yield
        return
    is_over = threading.Event()
    with Keys() as keys:
        limit = settings.ask.questions
        terminal = TerminalQuestions(keys, screen.show_question, is_over.is_set, limit)
        person = Respondent("person", user(), terminal.reply)
        with AskingBeside(lambda: asking_about(run, lambda: judge_of(run), person, limit), is_over):
            yield


def question_panel(question: PageQuestion, number: int, limit: int) -> RenderableType:
    """Return a question as it is shown: six lines or so, cut to the width of the terminal."""
    about: list[Text] = [Text(one_line(question.title) or "(no title)"), Text(question.url.text, style="dim")]
    for line in about:
        line.no_wrap, line.overflow = True, "ellipsis"
    if question.snippet is not None:
        pieces = ((printable(piece), "bold" if is_marked else "") for piece, is_marked in question.snippet.pieces())
        about.append(Text.assemble(*pieces))
    asked = Text.assemble(("Does this page belong to the topic?", "bold"), f" ({number} of {limit})  ", (_HELP, "cyan"))
    return Group(Text(""), asked, Padding(Group(*about), (0, 0, 0, 2)))
