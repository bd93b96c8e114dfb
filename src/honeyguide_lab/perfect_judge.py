"""A judge that knows the labels: with it, a crawl loses only what the choice of links loses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.judge import StatelessJudge
from honeyguide.model import Evidence

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from honeyguide.model import Page


class PerfectJudge(StatelessJudge):
    """Gives an on-topic page 1 and any other 0. Figures of a crawl that it rewards are marked wherever they stand."""

    needs_topic = False
    threshold = 0.5

    def __init__(self, on_topic: AbstractSet[str]) -> None:
        """`on_topic` has the final URLs of all on-topic pages."""
        self._on_topic = on_topic

    def relevance(self, page: Page) -> float:
        return float(page.url.text in self._on_topic)

    def evidence(self, page: Page) -> Evidence:
        return Evidence("labels", self.relevance(page), self.threshold)
