"""What judges have in common whose opinion does not depend on the pages seen so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.errors import JudgeError

if TYPE_CHECKING:
    from honeyguide.domain import Page


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
