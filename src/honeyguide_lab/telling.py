"""Tells a crawl of the labels that grade it: by answers to its questions, or by the reward of every page.

With a perfect judge a crawl loses only what the choice of links loses. Figures of crawls that were told are marked
wherever they stand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.judge import StatelessJudge
from honeyguide.model import Evidence
from honeyguide.runs import PageAnswer

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from honeyguide.ask.questions import PageQuestion
    from honeyguide.crawler import CrawlOptions
    from honeyguide.model import Page


class PerfectJudge(StatelessJudge):
    """Gives an on-topic page 1 and any other 0."""

    needs_topic = False
    threshold = 0.5

    def __init__(self, on_topic: AbstractSet[str]) -> None:
        """`on_topic` has the final URLs of all on-topic pages."""
        self._on_topic = on_topic

    def relevance(self, page: Page) -> float:
        return float(page.url.text in self._on_topic)

    def evidence(self, page: Page) -> Evidence:
        return Evidence("labels", self.relevance(page), self.threshold)


def told_options(on_topic: AbstractSet[str], *, has_perfect_judge: bool) -> CrawlOptions:
    """Return the options of a crawl that is told which pages are on topic; `ask.questions` is how often it may ask."""

    def answered(page: PageQuestion) -> PageAnswer:
        return PageAnswer(page.url, "yes" if page.url.text in on_topic else "no", "labels")

    return {"judge": PerfectJudge(on_topic)} if has_perfect_judge else {"on_question": answered}
