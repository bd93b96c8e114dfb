"""Questions in a real terminal: one key answers, and the terminal is as before whatever happens."""

from __future__ import annotations

import io
import os
import pty
import select
import signal
import termios
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from honeyguide.ask.questions import PageQuestion
from honeyguide.cli.asking import Keys, TerminalQuestions, question_panel
from honeyguide.model import Url
from honeyguide.runs.snippets import Snippet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from rich.console import RenderableType

REEF = PageQuestion(
    Url.parse("https://a.test/reef"), "Great \x1b[31mBarrier\nReef", Snippet("the coral reef", ((4, 9),)), "", 0.4, 7
)


@contextmanager
def terminal() -> Iterator[tuple[int, TextIO]]:
    """Give the keyboard's end of a new terminal, and the program's."""
    keyboard, screen = pty.openpty()
    with os.fdopen(screen, "r", encoding="utf-8") as stream:
        try:
            yield keyboard, stream
        finally:
            os.close(keyboard)


def drawn(shown: RenderableType, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    console.print(shown)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def typing(keyboard: int, *presses: str) -> Callable[[], bool]:
    """Press a key, or several at once, at every look whether the crawl is over: a question is shown by then."""
    left = iter(presses)

    def look() -> bool:
        pressed = next(left, None)
        if pressed is not None:
            os.write(keyboard, pressed.encode())
        return pressed is None

    return look


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ("y", "yes"), ("N", "no"), ("s", "skip"), ("u", "undo"), ("q", None), ("yyyy", "yes"),
        ("x|\x1b[A|7|\x00|\x1b|y", "yes"),
        ("\x1bOS|n", "no"),  # F4
        ("yesterday\n|s", "skip"),  # pasted
    ],
)  # fmt: skip
def test_one_key_answers_and_others_do_nothing(typed: str, reply: str | None) -> None:
    shown: list[RenderableType | None] = []
    with terminal() as (keyboard, stream), Keys(stream) as keys:
        over = typing(keyboard, *typed.split("|"))
        assert TerminalQuestions(keys, shown.append, over, 3).reply(REEF) == reply
    assert len(shown) == 2
    if reply in ("undo", None):
        assert shown[1] is None
    else:
        assert shown[1] is not None
        assert drawn(shown[1]).startswith(f"{reply}: Great ")


def test_keys_pressed_before_a_question_is_shown_do_not_answer_it() -> None:
    with terminal() as (keyboard, stream):
        with Keys(stream) as keys:
            os.write(keyboard, b"yyyy")
            assert select.select([stream], [], [], 5)[0]
            assert TerminalQuestions(keys, lambda _: None, typing(keyboard, "n"), 3).reply(REEF) == "no"
            os.write(keyboard, b"rm -rf reef\n")
            assert select.select([stream], [], [], 5)[0]
        assert not select.select([stream], [], [], 0)[0], "nothing is left for the shell"


def test_in_the_background_the_terminal_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal() as (keyboard, stream), Keys(stream) as keys:
        shells = termios.tcgetattr(stream)
        shells[3] |= termios.ECHO | termios.ICANON
        termios.tcsetattr(stream, termios.TCSANOW, shells)
        monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp() + 1)
        os.kill(os.getpid(), signal.SIGCONT)  # bg
        os.write(keyboard, b"ls\n")
        assert keys.read(0.01) == ""
        keys.forget()
        assert termios.tcgetattr(stream)[3] == shells[3]
        assert os.read(stream.fileno(), 10) == b"ls\n"
        monkeypatch.setattr(os, "tcgetpgrp", lambda _: os.getpgrp())  # fg
        assert keys.read(0.01) == ""
        assert not termios.tcgetattr(stream)[3] & (termios.ECHO | termios.ICANON)


def test_nobody_waits_for_a_key_when_the_crawl_is_over() -> None:
    looks = iter([False, False, True])
    with terminal() as (_, stream), Keys(stream) as keys:
        assert TerminalQuestions(keys, lambda _: None, lambda: next(looks), 3).reply(REEF) is None


def test_questions_are_counted_and_an_undone_one_comes_again_under_its_number() -> None:
    shown: list[RenderableType | None] = []
    with terminal() as (keyboard, stream), Keys(stream) as keys:
        questions = TerminalQuestions(keys, shown.append, typing(keyboard, *"yuny"), 3)
        for _ in range(4):
            questions.reply(REEF)
    numbers = [drawn(panel).split("(")[1][:6] for panel in shown[::2] if panel is not None]
    assert numbers == ["1 of 3", "2 of 3", "1 of 3", "2 of 3"]


def test_the_terminal_is_as_before_whatever_ends_the_questions() -> None:
    with terminal() as (_, stream):
        before, handler = termios.tcgetattr(stream), signal.getsignal(signal.SIGCONT)
        with Keys(stream):
            assert not termios.tcgetattr(stream)[3] & (termios.ECHO | termios.ICANON)
            assert termios.tcgetattr(stream)[3] & termios.ISIG
        assert termios.tcgetattr(stream) == before
        with pytest.raises(KeyboardInterrupt), Keys(stream):
            raise KeyboardInterrupt
        assert termios.tcgetattr(stream) == before
        assert signal.getsignal(signal.SIGCONT) == handler


def test_keys_work_again_after_the_program_was_stopped_and_continued() -> None:
    with terminal() as (keyboard, stream):
        before = termios.tcgetattr(stream)
        with Keys(stream) as keys:
            termios.tcsetattr(stream, termios.TCSANOW, before)  # as a shell does
            os.kill(os.getpid(), signal.SIGCONT)
            assert keys.read(0) == ""
            os.write(keyboard, b"y")
            assert keys.read(5) == "y"


def test_a_terminal_that_is_gone_ends_the_questions() -> None:
    keyboard, screen = pty.openpty()
    with os.fdopen(screen, "r", encoding="utf-8") as stream, Keys(stream) as keys:
        os.close(keyboard)
        assert TerminalQuestions(keys, lambda _: None, lambda: False, 3).reply(REEF) is None


def test_a_question_shows_title_address_and_snippet_as_text() -> None:
    lines = [line.strip() for line in drawn(question_panel(REEF, 3, 10), 100).splitlines()]
    assert lines[1].endswith("(3 of 10)  y yes  n no  s skip  u undo  q no more")
    assert lines[2:] == ["Great [31mBarrier Reef", "https://a.test/reef", "the coral reef"]


def test_a_long_title_and_address_take_a_line_each() -> None:
    page = PageQuestion(Url.parse("https://a.test/" + "x" * 300), "Reef " * 100, None, "", 0.4, 7)
    lines = drawn(question_panel(page, 1, 10)).splitlines()
    assert len(lines) == 5
    assert all(len(line) <= 80 for line in lines)
