"""A new pass over the pages of an earlier run: an ordinary crawl that starts at all of them and follows no link."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from honeyguide.engine.run import crawl_async, refuse_in_running_loop
from honeyguide.errors import StoreError
from honeyguide.settings import with_overrides
from honeyguide.store import open_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Unpack

    from honeyguide.engine.run import Surroundings
    from honeyguide.settings import Settings
    from honeyguide.store import Run

_FETCHES_A_PAGE: Final = 4  # of the usual budget: redirects and second tries are fetches too


def refresh(
    old: Path | str, new: Path | str, overrides: Mapping[str, Any] | None = None, **around: Unpack[Surroundings]
) -> Run:
    """Look at every page of the run `old` again, into the new run `new`, and open that for reading.

    The new run has the settings of the old one, with `overrides` laid over them; `new.revisits()` says what became of
    each page. `resume` goes on with it as with any other run, also when the old one is no longer there. Raises what
    `crawl` raises. Inside a running event loop, await `refresh_async` instead.
    """
    refuse_in_running_loop("refresh_async")
    return asyncio.run(refresh_async(old, new, overrides, **around))


async def refresh_async(
    old: Path | str, new: Path | str, overrides: Mapping[str, Any] | None = None, **around: Unpack[Surroundings]
) -> Run:
    """As `refresh`, for callers with an event loop of their own."""
    return await crawl_async(new, settings_to_refresh(old, overrides or {}), **around)


def settings_to_refresh(old: Path | str, overrides: Mapping[str, Any]) -> Settings:
    """The settings of a new pass over a run. StoreError where it has no pages."""
    with open_run(old) as run:
        pages = sum(1 for _ in run.revisits().known_pages())
        if not pages:
            raise StoreError(f"{old} has no pages to look at again; name a run that has fetched some")
        return with_overrides(
            run.settings,
            {
                "crawl.strategy": "breadth-first",
                "crawl.seed_urls": [],
                "crawl.sitemaps": [],
                "crawl.feeds": [],
                "crawl.sitemaps_from_robots": False,
                "scope.follow_links": False,
                "scope.max_pages": 0,
                "budget.fetches": pages * _FETCHES_A_PAGE,
                "budget.seconds": 0.0,
                "budget.megabytes": 0.0,
                "budget.disk_megabytes": 0.0,
                **overrides,
                "refresh.run": str(Path(old).absolute()),
            },
        )
