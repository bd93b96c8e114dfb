"""Finds the pages of a run about which an answer helps most, and shows them as questions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from honeyguide.judge.questions import next_questions
from honeyguide.runs import PageSnippets, PageTexts, open_run

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.judge import LearningJudge
    from honeyguide.model import EvidenceRow, Url
    from honeyguide.runs import AnswerRecord, PageColumns, Run, Snippet


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """Does this page belong to the topic?"""

    url: Url
    title: str
    snippet: Snippet | None  # the part with most words of the topic; None where no body is stored
    text: str  # the main text; empty where no body is stored
    relevance: float  # by the newest judgement
    step: int  # that brought the page


def question_about(run: Run, link: int) -> PageQuestion:
    """Return the question about a page of an open run, by its number."""
    pages = run.crawled_pages()
    page = pages.numbered(link)
    text = PageTexts(run, pages).main_text(page) or ""
    return PageQuestion(page.url, page.title, PageSnippets(run, pages).of(page), text, page.relevance, page.step)


class RunQuestions:
    """The questions about one run, as it is when they are asked for: a crawl may be writing to it."""

    def __init__(self, run: Path, make_judge: Callable[[], LearningJudge]) -> None:
        """`make_judge` makes the judge of the run, when it is first needed."""
        self._run = run
        self._make_judge = make_judge

    @cached_property
    def _judge(self) -> LearningJudge:
        return self._make_judge()

    def best(self, count: int = 1, besides: Collection[Url] = ()) -> list[PageQuestion]:
        """Return the most useful questions, about pages that have no answer; none where answers change nothing more.

        `besides` are pages whose answers the run may not have taken in yet.
        """
        with open_run(self._run) as run, run.at_one_moment():
            return [question_about(run, link) for link in self._links(run, count, besides)]

    def about(self, url: Url) -> PageQuestion | None:
        """Return the question about one page, whether it has an answer or not; None where it cannot be judged again."""
        with open_run(self._run) as run, run.at_one_moment():
            page = run.page_at(url)
            judged = run.page_descriptions(run.link_numbers([page] if page else []))
            return next((question_about(run, link) for link in judged), None)

    def telling_words(self, url: Url) -> tuple[EvidenceRow, ...]:
        """Return the words that had most say in the relevance of a page, by the judge as it was taught last."""
        with open_run(self._run) as run:
            pages = run.crawled_pages()
            (link,) = run.link_numbers([url])
            page = PageTexts(run, pages).page(pages.numbered(link))
        return () if page is None else self._judge.evidence(page).rows

    def _links(self, run: Run, count: int, besides: Collection[Url]) -> list[int]:
        known = KnownPages.of(run.page_columns(to_ask=True), run.answers(), run.link_numbers(besides))
        self._judge.teach(known.descriptions, known.answers)
        return known.links_to_ask_about(self._judge, count)


@dataclass(frozen=True, slots=True, eq=False)
class KnownPages:
    """The pages of a run that a judge can judge, and what was answered about them."""

    links: list[int]  # numbers in the run
    descriptions: NDArray[np.float16]  # of these, and then of pages of other runs whose answers were taken over
    answers: list[tuple[int, bool]]  # place among the descriptions, and whether it was yes
    skipped: set[int]  # places that are not to be asked about again
    records: list[AnswerRecord]  # what `answers` are made of, in their order

    @classmethod
    def of(cls, columns: PageColumns, answers: Iterable[AnswerRecord], besides: Collection[int] = ()) -> KnownPages:
        """Gather them. Pages in `besides`, by number, count as skipped."""
        links, descriptions = columns.links[columns.described].tolist(), columns.descriptions
        place_by_link = {link: place for place, link in enumerate(links)}
        elsewhere: dict[int, NDArray[np.float16]] = {}  # by place
        place_by_url: dict[Url, int] = {}  # of these
        asked = {place_by_link[link] for link in besides if link in place_by_link}
        taught: dict[int, AnswerRecord] = {}
        for each in answers:
            if each.undone_at is not None:
                continue
            place = None if each.link is None else place_by_link.get(each.link)
            if each.link is None and len(each.description) == 2 * descriptions.shape[1]:
                place = place_by_url.setdefault(each.url, len(links) + len(place_by_url))
                elsewhere[place] = np.frombuffer(each.description, dtype=np.float16)
            if place is not None:
                asked.add(place)
                if each.answer != "skip":
                    taught[place] = each
        known = np.concatenate([descriptions, list(elsewhere.values())]) if elsewhere else descriptions
        said = [(place, taught[place].answer == "yes") for place in sorted(taught)]
        return cls(links, known, said, asked - taught.keys(), [taught[place] for place, _ in said])

    def links_to_ask_about(self, judge: LearningJudge, count: int = 1) -> list[int]:
        """Return the numbers of the pages whose answer helps most, by a judge that was taught these answers."""
        if not self.links:
            return []
        places = next_questions(judge, self.descriptions, self.answers, self.skipped, count)
        return [self.links[place] for place in places]
