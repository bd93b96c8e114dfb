"""Attends to whoever watches a crawl, between two steps: takes messages, asks about pages, and tells how it stands."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final

from honeyguide.runs import BudgetExtension, PageAnswer, StopRequest
from honeyguide.runs.inbox import take

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from honeyguide.crawler.answers import AnswerIntake
    from honeyguide.crawler.core import CrawlCore
    from honeyguide.crawler.events import Step
    from honeyguide.crawler.questions import Questions
    from honeyguide.crawler.status import StatusFile
    from honeyguide.runs import Letter, StepRecord

LOOK_EVERY_S: Final = 0.25
"""Seconds of real time between two looks into the inbox."""


class BetweenSteps:
    """Attends to one crawl. A look that is not due costs a microsecond."""

    def __init__(
        self,
        run: Path,
        core: CrawlCore,
        answers: AnswerIntake,
        given: Sequence[PageAnswer] = (),
        questions: Questions | None = None,
        on_budget: Callable[[int], None] = lambda _: None,
        status: StatusFile | None = None,
    ) -> None:
        """`given` are answers to begin with; `on_budget` is told of a new budget of fetches."""
        self._run = run
        self._core = core
        self._answers = answers
        self._given: tuple[Letter | PageAnswer, ...] = tuple(given)
        self._questions = questions
        self._on_budget = on_budget
        self._status = status
        self._next_look = 0.0

    def give(self, answers: Sequence[Letter | PageAnswer], background: Sequence[bytes]) -> None:
        """Take in answers at the next look, as those to begin with; `AnswerIntake.background` says what else."""
        self._given = (*self._given, *answers)
        self._answers.background = background

    def note(self, record: StepRecord) -> None:
        """A step was stored."""
        self._answers.note(record)

    def attend(self, now: float, finish: Callable[[Step], None], *, at_once: bool = False) -> StopRequest | None:
        """Take in what has come since the last look, where it is time for one; a request to stop is given back."""
        if self._answers.has_due or self._given or (at_once and self._answers.has_labels):
            given, self._given = self._given, ()
            self._answers.take(given, now, finish, is_last=at_once)
        if self._questions is not None and self._questions.is_due:
            self._questions.ask(now, finish)
        if not at_once and monotonic() < self._next_look:
            return None
        self._next_look = monotonic() + LOOK_EVERY_S
        if self._status is not None:
            self._status.write_if_due(now)
        with take(self._run) as letters:
            return self._obey(letters, now, finish)

    def end(self, now: float) -> None:
        """The crawl has stopped."""
        if self._status is not None:
            self._status.write(now)

    def _obey(self, letters: Sequence[Letter], now: float, finish: Callable[[Step], None]) -> StopRequest | None:
        stop = None
        self._answers.take([each for each in letters if isinstance(each.message, PageAnswer)], now, finish)
        for each in letters:
            match each.message:
                case BudgetExtension() as extension if extension.extended(self._core.budget) > self._core.budget:
                    self._core.extend_budget(extension.extended(self._core.budget))
                    self._on_budget(self._core.budget)
                case StopRequest():
                    stop = each.message
        return stop
