"""Asks a program about pages while the crawl goes on: one page now and then, the one whose answer helps most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from honeyguide.model import LinkId
from honeyguide.runs import PageAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from honeyguide.crawler.answers import AnswerIntake
    from honeyguide.crawler.core import CrawlCore
    from honeyguide.crawler.events import Step
    from honeyguide.crawler.parts import Parts
    from honeyguide.model import Url
    from honeyguide.runs import PageColumns, SqliteStore
    from honeyguide.runs.inbox import Reply

FIRST_QUESTION: Final = 20  # pages before it
PAGES_A_QUESTION: Final = 10  # from one to the next
USUAL_QUESTIONS: Final = 10


@dataclass(frozen=True, slots=True)
class AskedPage:
    """A page about which somebody is asked: does it belong to the topic?"""

    url: Url
    title: str
    relevance: float  # by the newest judgement
    step: int  # that brought it


OnQuestion: TypeAlias = "Callable[[AskedPage], Reply | PageAnswer | None]"
"""Answers a question, itself or with who has answered it; None for no answer. The crawl waits for it."""


class Questions:
    """Asks the questions of one crawl, at the same steps whenever it is repeated or resumed."""

    def __init__(
        self,
        core: CrawlCore,
        parts: Parts,
        store: SqliteStore,
        answers: AnswerIntake,
        on_question: OnQuestion,
        limit: int,
    ) -> None:
        """`limit` is how many are asked at most; 0 for the usual number."""
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
        """Ask one question, and take in the answer if there is one."""
        asked = self._best()
        self._core.note_question()
        reply = None if asked is None else self._on_question(asked)
        if asked is not None and reply is not None:
            answer = reply if isinstance(reply, PageAnswer) else PageAnswer(asked.url, reply)
            self._answers.take([answer], now, finish)

    def _best(self) -> AskedPage | None:
        """Return the page to ask about; None where there is none left."""
        judge = self._parts.judge.learner
        assert judge is not None
        pages = self._store.page_columns(judge.description_width)
        answered = {each.link for each in self._answers.answers}
        places = [place for place in pages.described.tolist() if pages.links[place] not in answered]
        if not places:
            return None
        return self._asked(pages, places[_most_uncertain(pages.relevance[places], self._parts.judge.threshold)])

    def _asked(self, pages: PageColumns, place: int) -> AskedPage:
        link = LinkId(int(pages.links[place]))
        title, step = self._store.title_and_step(link)
        return AskedPage(self._parts.links.url(link), title, float(pages.relevance[place]), step)


def _most_uncertain(relevance: NDArray[np.float64], threshold: float) -> int:
    return int(np.argmin(np.abs(relevance - threshold)))
