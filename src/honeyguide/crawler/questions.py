"""Asks a program about pages while the crawl goes on: one page now and then, the one whose answer helps most."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from honeyguide.ask.asking import FIRST_QUESTION
from honeyguide.ask.questions import KnownPages, question_about
from honeyguide.runs import PageAnswer, open_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.crawler.answers import AnswerIntake
    from honeyguide.crawler.core import CrawlCore
    from honeyguide.crawler.events import Step
    from honeyguide.crawler.parts import Parts
    from honeyguide.runs import SqliteStore
    from honeyguide.runs.inbox import Reply

log = logging.getLogger(__name__)

PAGES_A_QUESTION: Final = 2  # from one to the next: ten questions fit into the smallest budgets
USUAL_QUESTIONS: Final = 10


OnQuestion: TypeAlias = "Callable[[PageQuestion], Reply | PageAnswer | None]"
"""Answers a question: yes, no or skip in any case of letters, or a `PageAnswer` that says who has answered.

None is a skip, and so is anything else, or an exception, which is logged. The crawl waits for it.
"""


class Questions:
    """Asks the questions of one crawl, at the same steps whenever it is repeated or resumed."""

    def __init__(
        self,
        run: Path,
        core: CrawlCore,
        parts: Parts,
        store: SqliteStore,
        answers: AnswerIntake,
        on_question: OnQuestion,
        limit: int,
    ) -> None:
        """`limit` is how many are asked at most; 0 for the usual number."""
        self._run = run
        self._core = core
        self._parts = parts
        self._store = store
        self._answers = answers
        self._on_question = on_question
        self._limit = limit or USUAL_QUESTIONS

    @property
    def is_due(self) -> bool:
        progress = self._core.progress
        asked = progress.questions
        return (
            asked < self._limit
            and progress.pages >= FIRST_QUESTION + PAGES_A_QUESTION * asked
            and self._parts.judge.learner is not None
        )

    def ask(self, now: float, finish: Callable[[Step], None]) -> None:
        """Ask one question and take in the answer; nobody is asked about a page twice."""
        asked = self._best()
        self._answers.take([] if asked is None else [self._answer(asked)], now, finish, questions=1)

    def _answer(self, asked: PageQuestion) -> PageAnswer:
        try:
            reply = self._on_question(asked)
        except Exception:
            log.exception("on_question broke on %s, which counts as a skip; the crawl goes on", asked.url)
            reply = None
        if isinstance(reply, PageAnswer):
            return reply
        said = reply.strip().lower() if isinstance(reply, str) else "skip"
        if said not in ("yes", "no", "skip") or not isinstance(reply, str | None):
            log.warning(
                "on_question answered %.80r of %s, which counts as a skip; return yes, no or skip", reply, asked.url
            )
            said = "skip"
        return PageAnswer(asked.url, cast("Reply", said))

    def _best(self) -> PageQuestion | None:
        """Return the page to ask about; None where there is none left, or answers change nothing more."""
        judge = self._parts.judge.learner
        assert judge is not None
        pages = self._store.page_columns(judge.description_width, to_ask=True)
        for link in KnownPages.of(pages, self._answers.answers).links_to_ask_about(judge):
            with open_run(self._run) as run:
                return question_about(run, link)
        return None
