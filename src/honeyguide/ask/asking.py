"""Asks about the pages of a run, one question after another, beside the crawl or afterwards."""

from __future__ import annotations

import getpass
import logging
import threading
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from honeyguide.ask.questions import RunQuestions
from honeyguide.errors import StoreError
from honeyguide.runs import open_run
from honeyguide.runs.inbox import PageAnswer, put

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Self

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.judge import LearningJudge
    from honeyguide.model import Url
    from honeyguide.runs.inbox import Answerer, Reply

    Find = Callable[[int, Collection[Url]], Sequence[PageQuestion]]
    Give = Callable[[PageAnswer], object]

log = logging.getLogger(__name__)

FIRST_QUESTION: Final = 10  # pages before it; of fewer, hardly one is worth a question
LOOK_S: Final = 0.5
LONGEST_PAUSE_S: Final = 30.0  # between two looks for a question that would help
LAST_ANSWER_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Respondent:
    """Somebody who answers, and how."""

    by: Answerer
    name: str
    reply: Callable[[PageQuestion], Reply | None]  # None: asks for no more questions


class Asking:
    """Asks a respondent up to so many questions, and hands on the answers. A skip counts as a question."""

    def __init__(self, find: Find, respondent: Respondent, give: Give, limit: int) -> None:
        """`find` gives so many of the most useful questions besides those about some pages, if there are any."""
        self.given: list[PageAnswer] = []
        self.is_over = limit <= 0
        self._find = find
        self._respondent = respondent
        self._give = give
        self._limit = limit
        self._questions: list[PageQuestion] = []  # those that `given` answers
        self._again: PageQuestion | None = None  # whose answer was taken back
        self._open: PageQuestion | None = None  # that is being answered

    def ask(self) -> bool:
        """Ask the next question; False where there is none now. After the last, `is_over` is true."""
        found = [self._again] if self._again else self._find(1, [each.url for each in self._questions])
        if not found:
            return False
        question = found[0]
        self._again = None
        self._open = question
        reply = self._respondent.reply(question)
        if self._open is not question:  # the crawl has ended meanwhile, and it was skipped
            return True
        self._open = None
        if reply is None:
            self.is_over = True
        elif reply == "undo":
            self._take_back(question)
        else:
            answer = self._answer(question, reply)
            self._give(answer)
            self.given.append(answer)
            self._questions.append(question)
            self.is_over = self.is_over or len(self.given) >= self._limit
        return True

    def skip_open(self) -> None:
        """Hand on a skip of the question that was not answered in time, where there is one."""
        question, self._open = self._open, None
        if question is not None:
            log.warning(
                "%s had not answered about %s when the crawl ended: the question is skipped",
                self._respondent.name or f"the {self._respondent.by}",
                question.url,
            )
            self._give(self._answer(question, "skip"))

    def _take_back(self, question: PageQuestion) -> None:
        """Undo the last answer and ask its question again; before the first, the same question."""
        self._again = question
        if self.given:
            self.given.pop()
            self._again = self._questions.pop()
            self._give(self._answer(self._again, "undo"))

    def _answer(self, question: PageQuestion, reply: Reply) -> PageAnswer:
        return PageAnswer(question.url, reply, self._respondent.by, self._respondent.name)


def asking_about(
    run: Path, make_judge: Callable[[], LearningJudge], respondent: Respondent, limit: int
) -> Asking | None:
    """Return who asks about a run that is being crawled; None as long as it has few pages.

    `limit` counts the answers that this kind of respondent has given in the run before.
    """
    try:
        with open_run(run) as opened:
            if opened.progress.pages < FIRST_QUESTION:
                return None
            before = sum(1 for each in opened.answers() if each.by == respondent.by and each.is_reply)
    except StoreError:  # its folder is being made
        return None
    return Asking(RunQuestions(run, make_judge).best, respondent, partial(put, run), limit - before)


class AskingBeside:
    """Asks in a thread of its own while a crawl goes on: the crawl never waits for an answer.

    A context manager. At its end no more questions are asked, and one that is still open is skipped.
    """

    def __init__(self, begin: Callable[[], Asking | None], is_over: threading.Event | None = None) -> None:
        """`begin` is called in the thread, again and again until there is something to ask about.

        `is_over` is set at the end, for a respondent who waits.
        """
        self._begin = begin
        self._is_over = is_over or threading.Event()
        self._asking: Asking | None = None
        self._thread = threading.Thread(target=self._run, name="honeyguide-ask", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        if self._asking is not None:
            self._asking.is_over = True
        self._thread.join(LAST_ANSWER_S)
        if self._asking is not None:
            self._asking.skip_open()

    def _run(self) -> None:
        try:
            while (asking := self._begin()) is None:
                if self._is_over.wait(LOOK_S):
                    return
            self._asking, pause_s = asking, LOOK_S
            while not asking.is_over and not self._is_over.is_set():
                # Each look judges all pages, so looks become rare while they bring no question.
                pause_s = LOOK_S if asking.ask() else min(2 * pause_s, LONGEST_PAUSE_S)
                if pause_s > LOOK_S:
                    self._is_over.wait(pause_s)
        except Exception:
            log.exception("no more questions are asked; the crawl goes on")


def user() -> str:
    """Return the name by which answers of this user are marked."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container may have none
        return ""
