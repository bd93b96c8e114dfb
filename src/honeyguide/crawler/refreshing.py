"""Another look at the pages of an earlier run: which come first, and with which settings.

A refresh is an ordinary crawl that starts at all pages of an earlier run and follows no link. It looks first at the
pages where that is worth most. A page is taken to change at random at a rate λ of its own: watched for T days and found
changed n times, λ = (n + 1) / (T + `refresh.change_days`). Looked at again after t days it has changed with probability
1 - exp(-λt), and finding that out is worth

    (1 - exp(-λt)) · (1 - w + w · relevance)          w = `refresh.relevance_weight`
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import StoreError
from honeyguide.model.clock import RealClock
from honeyguide.runs import RunFolder, open_run, settings_to_build
from honeyguide.settings import with_overrides

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from honeyguide.model import KnownPage
    from honeyguide.settings import RefreshSettings, Settings

DAY_S: Final = 86_400.0


def worth(page: KnownPage, now: float, settings: RefreshSettings) -> float:
    """Return the worth of another look at a page, from 0 to 1."""
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


_FETCHES_A_PAGE: Final = 4  # of the usual budget: redirects and second tries are fetches too


def settings_to_refresh(old: Path | str, overrides: Mapping[str, Any], *, trust: bool = False) -> Settings:
    """The settings of a new pass over a run. StoreError where it has no pages."""
    settings = settings_to_build(RunFolder.open(Path(old)), overrides, trust=trust, goes_on=False)
    with open_run(old) as run:
        pages = sum(1 for _ in run.revisits().known_pages())
        if not pages:
            raise StoreError(f"{old} has no pages to look at again; name a run that has fetched some")
        return with_overrides(
            settings,
            {
                "crawl.strategy": "breadth-first",
                "crawl.learn_from": [],
                "crawl.seed_urls": [],
                "crawl.sitemaps": [],
                "crawl.feeds": [],
                "crawl.sitemaps_from_robots": False,
                "scope.follow_links": False,
                "world.missing": "404",  # a page that was there and is not any more is gone
                "scope.max_pages": 0,
                "budget.fetches": pages * _FETCHES_A_PAGE,
                "budget.relevant": 0,
                "crawl.blind_spots": 0.0,
                "budget.stop_when": "",
                "budget.seconds": 0.0,
                "budget.megabytes": 0.0,
                "budget.disk_megabytes": 0.0,
                **overrides,
                "refresh.run": str(Path(old).absolute()),
            },
        )
