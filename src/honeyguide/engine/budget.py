"""What a crawl may spend, and why it stops."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.settings import BudgetSettings
    from honeyguide.store import Progress

MEGABYTE = 1_000_000


class StopReason(StrEnum):
    """Why a crawl stopped. The text is what a person reads."""

    FETCHES = "budget of fetches spent"
    SECONDS = "budget of seconds spent"
    BYTES = "budget of received bytes spent"
    DISK = "budget of disk space spent"
    EXHAUSTED = "nothing left to crawl"
    RESTING = "the hosts that are left are to be left alone for longer"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        """Whether resuming makes no sense without a larger budget."""
        return self not in (StopReason.INTERRUPTED, StopReason.RESTING)


def limit_reached(budget: BudgetSettings, progress: Progress, disk_bytes: int) -> StopReason | None:
    """The first limit that forbids another fetch; a limit of 0 is no limit.

    A fetch in flight counts as spent, until its answer turns out unknown.
    """
    if progress.charged >= budget.fetches:
        return StopReason.FETCHES
    spent = (
        (StopReason.SECONDS, budget.seconds, progress.spent_seconds),
        (StopReason.BYTES, budget.megabytes * MEGABYTE, progress.body_bytes),
        (StopReason.DISK, budget.disk_megabytes * MEGABYTE, disk_bytes),
    )
    return next((reason for reason, limit, used in spent if limit and used >= limit), None)
