"""Warnings in the log of seeds that brought no page: the first thing that a person who starts a crawl can mend."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from honeyguide.engine.events import FetchFailed, LinkRefused

if TYPE_CHECKING:
    from honeyguide.engine.events import Event
    from honeyguide.engine.link_table import LinkTable

log = logging.getLogger(__name__)

MOST_TOLD: Final = 20  # a sitemap may have thousands


class SeedWarnings:
    """Listens to a crawl, and warns of each seed that is refused or fails for good.

    Where a seed was redirected, it is the URL to which it led that is told of.
    """

    def __init__(self, links: LinkTable) -> None:
        self._links = links
        self._told = 0

    def __call__(self, event: Event) -> None:
        if not isinstance(event, FetchFailed | LinkRefused) or self._told > MOST_TOLD:
            return
        link = self._links.find(event.url)
        if link is None or self._links.depth(link) > 0:
            return
        self._told += 1
        if self._told > MOST_TOLD:
            log.warning("more seeds brought no page; the summary counts why")
        else:
            log.warning("seed %s brought no page: %s (%s)", event.url, event.outcome.detail, event.outcome.reason)
