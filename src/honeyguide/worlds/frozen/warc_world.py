"""WARC files as a world: what a crawler once got from any number of hosts, answered again."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from honeyguide.domain import Answer, Failed, FailureReason
from honeyguide.errors import WorldError
from honeyguide.worlds.frozen.latency import simulated_latency_s
from honeyguide.worlds.frozen.warc_index import WarcIndex
from honeyguide.worlds.frozen.warc_record import read_outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from honeyguide.domain import Url

MISSING: Final = Failed(FailureReason.HTTP_STATUS, "404 Not Found: not in these WARC files", 404)


class WarcWorld:
    """A `World` of what some WARC files hold; a URL that they do not is a 404.

    Opening it reads each file from end to end, unless an index lies beside it; a fetch reads one record.
    """

    is_offline = True

    def __init__(self, files: Sequence[Path], *, max_body_bytes: int = 5_000_000) -> None:
        self._max_body_bytes = max_body_bytes
        self._index = WarcIndex(files)
        self._entry_urls = tuple(islice(self._index.pages(), 1))
        if not self._entry_urls:
            self._index.close()
            named = ", ".join(map(str, files))
            raise WorldError(f"{named} holds no HTML page; give WARC files with responses in them")

    async def fetch(self, url: Url) -> Answer:
        place = self._index.find(url)
        outcome = MISSING if place is None else read_outcome(*place, url, self._max_body_bytes)
        return Answer(outcome, simulated_latency_s(url))

    def entry_urls(self) -> Sequence[Url]:
        """The first HTML page of the first file."""
        return self._entry_urls

    def urls(self) -> Iterator[Url]:
        """For grading: every URL that answers with an HTML page."""
        return self._index.pages()

    async def close(self) -> None:
        self._index.close()
