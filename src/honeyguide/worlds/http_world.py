"""A web reached over real HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.domain import Answer, Url
    from honeyguide.fetch import Fetcher


class HttpWorld:
    """Answers come from a fetcher, in real time."""

    is_offline = False

    def __init__(self, fetcher: Fetcher, entry_urls: Sequence[Url] = ()) -> None:
        self._fetcher = fetcher
        self._entry_urls = tuple(entry_urls)

    async def fetch(self, url: Url) -> Answer:
        return await self._fetcher.fetch(url)

    def entry_urls(self) -> Sequence[Url]:
        return self._entry_urls

    async def close(self) -> None:
        await self._fetcher.close()
