"""The seam: how relevant is this page to the topic?

What judges have in common whose opinion does not depend on the pages seen so far.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from honeyguide.errors import JudgeError

if TYPE_CHECKING:
    from honeyguide.model import Evidence, Page


class Judge(Protocol):
    """Pure in the page, its topic and the pages seen so far; it never sees the labels that grade a crawl.

    A judge reads the main words of a page and nothing else of it. One that is saved, loaded and shown the later pages
    again is in the same state to the last bit.
    """

    threshold: float  # relevance that makes a page relevant, unless the settings say otherwise

    def relevance(self, page: Page) -> float:
        """How relevant the page is, from 0 to 1; 0 for a page without words. Changes nothing."""
        ...

    def see(self, page: Page) -> None:
        """Take the page into the statistics of pages seen so far, where the judge keeps any."""
        ...

    def evidence(self, page: Page) -> Evidence:
        """What made the relevance, for a person and as data. Changes nothing; may take much longer than judging."""
        ...

    def save(self) -> bytes:
        """The statistics alone, to be loaded by a judge made with the same settings; b"" where there are none."""
        ...

    def load(self, state: bytes) -> None:
        """Go back to saved statistics; JudgeError if they are none."""
        ...


class Unchanging:
    """A judge's memory when it keeps none."""

    def see(self, page: Page) -> None:
        """There is nothing to remember."""

    def save(self) -> bytes:
        return b""

    def load(self, state: bytes) -> None:
        if state:
            raise JudgeError(
                f"{len(state):,} bytes of statistics were saved, and this judge keeps none: use the run's own settings"
            )
