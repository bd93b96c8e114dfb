"""An earlier run as a world: other strategies can be tried on what it saw, without its hosts.

Only what the run fetched is known. A URL that it met and never fetched, or never met, answers `Unknown`: such a fetch
costs nothing, and teaches nothing. How many there were tells how far a comparison on this world can be trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from honeyguide.errors import WorldError
from honeyguide.model import Answer, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from honeyguide.model import Url


class Recording(Protocol):
    """The answers of an earlier run."""

    def __len__(self) -> int:
        """Return how many there are."""
        ...

    def answer(self, url: Url) -> Answer | None:
        """Return the answer to `url`; None when it is not known."""
        ...

    def seed_urls(self) -> Sequence[Url]:
        """Return where the run had started."""
        ...

    def page_urls(self) -> Iterator[Url]:
        """Yield URLs that brought an HTML page."""
        ...


class ReplayWorld:
    """A `World` of what a run was answered, each answer in the time it had taken. The recording stays its owner's."""

    is_offline = True
    writes_pages = False

    def __init__(self, recording: Recording, name: str) -> None:
        if not len(recording):
            raise WorldError(
                f"replay:{name}: this run has fetched nothing; go on with it first: honeyguide resume {name}"
            )
        self._recording = recording
        self._unknown = Answer(Unknown(f"not fetched in {name}"), elapsed_s=0.0)

    async def fetch(self, url: Url) -> Answer:
        return self._recording.answer(url) or self._unknown

    def entry_urls(self) -> Sequence[Url]:
        """Return the seeds of the run."""
        return self._recording.seed_urls()

    def urls(self) -> Iterator[Url]:
        """For grading: every URL that answers with an HTML page."""
        return self._recording.page_urls()

    async def close(self) -> None:
        """Nothing is held here."""
