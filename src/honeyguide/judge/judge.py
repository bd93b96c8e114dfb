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

    def see(self, page: Page) -> None:
        """Take a page into the statistics of pages seen so far, as `judge` does."""
        ...

    def save(self) -> bytes:
        """The statistics, to be loaded by a judge made with the same settings."""
        ...

    def load(self, state: bytes) -> None:
        """Go back to saved statistics."""
        ...
