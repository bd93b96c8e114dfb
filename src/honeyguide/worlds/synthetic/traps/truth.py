"""What a page of the synthetic web really is, and when fetching it was for nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Truth:
    """For grading a crawl, and nowhere on the page."""

    trap: str  # the scenario whose page this is, its honest pages included; "" on the honest web
    page: str  # the address of the page that is shown here; several addresses may show one page
    is_worthless: bool = False  # nobody would want this page, whenever it is fetched
    nearly: str = ""  # the address of an honest page whose text this one repeats but for a few words


class Waste:
    """Tells, page by page as a crawl took them in, which fetches were for nothing.

    Wasted is a worthless page, and one that has come in before under another address: the first copy of a page is worth
    as much as the page.
    """

    def __init__(self) -> None:
        self._met: set[str] = set()

    def is_wasted(self, truth: Truth) -> bool:
        """Whether this fetch, the next one of the crawl, was wasted."""
        if truth.is_worthless:
            return True
        if truth.page in self._met:
            return True
        self._met.add(truth.page)
        return False

    @property
    def worthwhile(self) -> int:
        """How many pages have come in that were worth it."""
        return len(self._met)
