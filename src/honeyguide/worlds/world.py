"""The seam between the crawler and whatever it crawls, and the one world that is reached over real HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.fetch import Fetcher
    from honeyguide.model import Answer, Url


class World(Protocol):
    """Something that answers URLs.

    Fetching has no memory of the crawl. An offline world gives the same answer to the same URL every time, simulated
    latency included, and never suspends. Every ordinary trouble is an outcome; only misuse raises.
    """

    is_offline: bool  # True: time is simulated by the answers, so a crawl repeats URL for URL
    writes_pages: bool  # True: their markup is Honeyguide's own, so none can keep its reader busy

    async def fetch(self, url: Url) -> Answer:
        """Answer one URL. Redirects are not followed: each hop is an outcome of its own."""
        ...

    def entry_urls(self) -> Sequence[Url]:
        """Return where a crawl of this world starts when the user names no seed; may be empty."""
        ...

    async def close(self) -> None:
        """Release what the world holds; may be called twice."""
        ...


class HttpWorld:
    """Answers come from a fetcher, in real time."""

    is_offline = False
    writes_pages = False

    def __init__(self, fetcher: Fetcher, entry_urls: Sequence[Url] = ()) -> None:
        self._fetcher = fetcher
        self._entry_urls = tuple(entry_urls)

    async def fetch(self, url: Url) -> Answer:
        return await self._fetcher.fetch(url)

    def entry_urls(self) -> Sequence[Url]:
        return self._entry_urls

    async def close(self) -> None:
        await self._fetcher.close()
