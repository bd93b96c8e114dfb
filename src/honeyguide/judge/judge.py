"""The seam: how relevant is this page to the topic?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from honeyguide.domain import Page, Verdict


class Judge(Protocol):
    """Pure in the page, its topic and the pages seen so far; it never sees the labels that grade a crawl."""

    def judge(self, page: Page) -> Verdict:
        """How relevant the page is, and the reward that earns."""
        ...
