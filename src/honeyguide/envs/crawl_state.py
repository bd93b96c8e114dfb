"""What an agent knows of the crawl besides the links: where it stands, and what the last fetch brought."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.settings import BudgetSettings
    from honeyguide.store import StepRecord

RECENT: Final = 0.1  # weight of the last fetch in `recent_harvest`: a memory of about ten fetches
MANY_LINKS: Final = 20  # new links on a page that count as half of all there could be
MANY_WAITING: Final = 1000  # waiting links that count as half


@dataclass(frozen=True, slots=True)
class CrawlState:
    """The state features, all from 0 to 1. After a fetch without a page those of the last page are 0."""

    share_spent: float = 0.0  # of the budget of fetches
    waiting: float = 0.0  # w / (w + 1000), w links waiting
    harvest_rate: float = 0.0  # relevant pages per fetch so far
    recent_harvest: float = 0.0  # the same as a fading mean over about ten fetches
    has_page: float = 0.0  # 1 if the last fetch brought a page
    is_relevant: float = 0.0  # 1 if that page was relevant
    relevance: float = 0.0  # of that page
    relevant_nearness: float = 0.0  # 1 / (1 + its clicks from the last relevant page on the way)
    seed_nearness: float = 0.0  # 1 / (1 + its clicks from a seed)
    new_links: float = 0.0  # n / (n + 20), n links met on it for the first time

    def as_row(self) -> NDArray[np.float32]:
        return np.array(astuple(self), dtype=np.float32)


STATE_COLUMNS: Final = tuple(field.name for field in fields(CrawlState))


def state_after(before: CrawlState, record: StepRecord, budget: BudgetSettings) -> CrawlState:
    """The state once a step has been taken in; the first record of a crawl has no fetch to tell of."""
    progress, visit = record.progress, record.completion.visit if record.completion is not None else None
    is_relevant = float(visit is not None and visit.verdict.is_relevant)
    return CrawlState(
        share_spent=min(1.0, progress.charged / budget.fetches),
        waiting=progress.waiting / (progress.waiting + MANY_WAITING),
        harvest_rate=progress.relevant / max(progress.charged, 1),
        recent_harvest=before.recent_harvest + RECENT * (is_relevant - before.recent_harvest),
        has_page=float(visit is not None),
        is_relevant=is_relevant,
        relevance=0.0 if visit is None else visit.verdict.relevance,
        relevant_nearness=0.0 if visit is None else 1 / (1 + visit.distance),
        seed_nearness=0.0 if visit is None else 1 / (1 + visit.depth),
        new_links=0.0 if visit is None else len(record.new_links) / (len(record.new_links) + MANY_LINKS),
    )
