"""The pages that a refresh looks at again, in the order of what that is worth: by age, observed change and relevance.

Changes of a page are taken to come at random at a rate λ of its own. A page that was watched for T days and found
changed n times has λ = (n + 1) / (T + `refresh.change_days`), so that a page of which nothing is known changes once in
`change_days`. Looked at again after t days it has changed with probability 1 - exp(-λt), and finding that out is worth

    (1 - exp(-λt)) · (1 - w + w · relevance)          w = `refresh.relevance_weight`

The worth of a page grows with its age and with its relevance, and pages that change often come round more often.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from honeyguide.clock import RealClock
from honeyguide.store import open_run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from honeyguide.domain import KnownPage
    from honeyguide.settings import RefreshSettings, Settings

DAY_S: Final = 86_400.0


def worth(page: KnownPage, now: float, settings: RefreshSettings) -> float:
    """What another look at a page is worth, from 0 to 1."""
    watched_days = max(0.0, page.checked_at - page.first_seen_at) / DAY_S
    age_days = max(0.0, now - page.checked_at) / DAY_S
    rate = (page.changes + 1) / (watched_days + settings.change_days)
    weight = settings.relevance_weight
    return -math.expm1(-rate * age_days) * (1 - weight + weight * page.relevance)


def by_worth(pages: Iterable[KnownPage], now: float, settings: RefreshSettings) -> list[KnownPage]:
    """The pages, most worth a look first; of equals, the more relevant, then the one known for longer."""
    return sorted(pages, key=lambda page: (-worth(page, now, settings), -page.relevance))


def pages_to_refresh(settings: Settings) -> list[KnownPage]:
    """The pages of the run that is to be looked at again, in the order in which they are; none for other crawls."""
    if not settings.refresh.run:
        return []
    with open_run(settings.refresh.run) as run:
        # Ages are told on the clock of the old run, which was a simulated one in an offline world.
        ended_at = run.progress.now
        is_live = settings.crawl.world == "live"
        now = max(ended_at, RealClock().now()) if is_live else ended_at
        return by_worth(run.revisits().known_pages(), now, settings.refresh)
