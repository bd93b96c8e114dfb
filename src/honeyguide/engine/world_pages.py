"""Every page that an offline world holds, whether a crawl would find it or not: what vectors may be trained on."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from honeyguide.domain import Fetched, Redirected
from honeyguide.engine.build import open_world
from honeyguide.errors import WorldError
from honeyguide.parse import parse
from honeyguide.worlds import World

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from honeyguide.domain import Answer, Page, Url
    from honeyguide.settings import Settings

MOST_URLS: Final = 2_000_000


def all_pages(settings: Settings) -> Generator[Page, None, None]:
    """The pages of the world that the settings name: all that it lists, else all that its entry pages lead to.

    The order is the same every time. WorldError where the world is not offline, or has no end in sight.
    """
    with asyncio.Runner() as loop:
        opened = AsyncExitStack()
        try:
            world = loop.run(opened.enter_async_context(open_world(settings)))
            if not world.is_offline:
                raise WorldError(f"{settings.crawl.world} is not offline, so its pages are not at hand; crawl it first")
            yield from _listed(world, loop) if isinstance(world, _Listing) else _reached(world, loop)
        finally:
            loop.run(opened.aclose())


@runtime_checkable
class _Listing(World, Protocol):
    """A world that can say which URLs it has."""

    def urls(self) -> Iterator[Url]: ...


def _listed(world: _Listing, loop: asyncio.Runner) -> Iterator[Page]:
    for url in world.urls():
        outcome = loop.run(_answer(world, url)).outcome
        if isinstance(outcome, Fetched):
            yield parse(url, outcome)


def _reached(world: World, loop: asyncio.Runner) -> Iterator[Page]:
    """Breadth first, each URL once."""
    waiting = deque(dict.fromkeys(world.entry_urls()))
    met = {url.text for url in waiting}
    while waiting:
        url = waiting.popleft()
        outcome = loop.run(_answer(world, url)).outcome
        leads_to: list[Url] = []
        if isinstance(outcome, Fetched):
            page = parse(url, outcome)
            leads_to = [link.target for link in page.links]
            yield page
        elif isinstance(outcome, Redirected):
            leads_to = [outcome.target]
        new = [target for target in dict.fromkeys(leads_to) if target.text not in met]
        met.update(target.text for target in new)
        waiting += new
        if len(met) > MOST_URLS:
            raise WorldError(f"more than {MOST_URLS:,} URLs can be reached; take a smaller world")


async def _answer(world: World, url: Url) -> Answer:
    return await world.fetch(url)
