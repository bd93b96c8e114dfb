"""Asks about the pages of a run, one question after another, beside the crawl or afterwards."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.runs.inbox import PageAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import TracebackType
    from typing import Self

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.model import Url
    from honeyguide.runs.inbox import Answerer, Reply

    Find = Callable[[Collection[Url]], PageQuestion | None]
    Give = Callable[[PageAnswer], None]

log = logging.getLogger(__name__)

LOOK_S: Final = 0.5
"""While no question would help, so long passes before the next look."""


@dataclass(frozen=True, slots=True)
class Respondent:
    """Somebody who answers, and how."""

    by: Answerer
    name: str
    reply: Callable[[PageQuestion], Reply | None]  # None: asks for no more questions


class Asking:
    """Asks a respondent up to so many questions, and hands on the answers. A skip counts as a question."""

    def __init__(self, find: Find, respondent: Respondent, give: Give, limit: int) -> None:
        """`find` gives the most useful question besides those about some pages, if there is one."""
        self.given: list[PageAnswer] = []
        self.is_over = False
        self._find = find
        self._respondent = respondent
        self._give = give
        self._limit = limit
        self._questions: list[PageQuestion] = []  # those that `given` answers
        self._again: PageQuestion | None = None  # whose answer was taken back

    def ask(self) -> bool:
        """Ask the next question; False where there is none now. After the last, `is_over` is true."""
        question = self._again or self._find([each.url for each in self._questions])
        if question is None:
            return False
        self._again = None
        reply = self._respondent.reply(question)
        if reply is None:
            self.is_over = True
        elif reply == "undo":
            self._take_back(question)
        else:
            answer = self._answer(question, reply)
            self._give(answer)
            self.given.append(answer)
            self._questions.append(question)
            self.is_over = len(self.given) >= self._limit
        return True

    def _take_back(self, question: PageQuestion) -> None:
        """Undo the last answer and ask its question again; before the first, the same question."""
        self._again = question
        if self.given:
            self.given.pop()
            self._again = self._questions.pop()
            self._give(self._answer(self._again, "undo"))

    def _answer(self, question: PageQuestion, reply: Reply) -> PageAnswer:
        return PageAnswer(question.url, reply, self._respondent.by, self._respondent.name)


class AskingBeside:
    """Asks in a thread of its own while a crawl goes on: the crawl never waits for an answer.

    A context manager. At its end no more questions are asked; an answer under way is waited for.
    """

    def __init__(self, begin: Callable[[], Asking | None], is_over: threading.Event | None = None) -> None:
        """`begin` is called in the thread, again and again until there is something to ask about.

        `is_over` is set at the end, for a respondent who waits.
        """
        self._begin = begin
        self._is_over = is_over or threading.Event()
        self._thread = threading.Thread(target=self._run, name="honeyguide-ask", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            asking = None
            while asking is None:
                asking = self._begin()
                if asking is None and self._is_over.wait(LOOK_S):
                    return
            while not asking.is_over and not self._is_over.is_set():
                if not asking.ask():
                    self._is_over.wait(LOOK_S)
        except Exception:
            log.exception("no more questions are asked; the crawl goes on")
