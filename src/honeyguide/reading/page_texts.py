"""The text of stored pages. Runs keep bodies, not text: it is made again as the crawl had made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.domain import Fetched
from honeyguide.parse import parse, rules_of
from honeyguide.text import main_text

if TYPE_CHECKING:
    from honeyguide.store import KeptPage, KeptPages, Run


class PageTexts:
    """Makes texts of the pages of a run that is open."""

    def __init__(self, run: Run, pages: KeptPages) -> None:
        settings = run.settings
        self._pages = pages
        self._rules = rules_of(settings.crawl.profile)
        self._agent = settings.fetch.product

    def main_text(self, page: KeptPage) -> str | None:
        """The text outside navigation, header and footer, white space folded; None where the body was not kept."""
        body = self._pages.body(page)
        if body is None:
            return None
        fetched = Fetched(page.status, page.content_type, body, robots_tag=page.robots_tag)
        return main_text(parse(page.url, fetched, rules=self._rules, agent=self._agent)).strip()
