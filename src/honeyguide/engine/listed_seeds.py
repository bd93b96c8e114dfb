"""Seeds from sitemaps and feeds, read once: what a run keeps is their URLs, so that it never depends on them again.

`crawl.sitemaps` and `crawl.feeds` name the files; with `crawl.sitemaps_from_robots` those count as well that the
robots.txt of each seed's host names. They are asked of the world like any page that a person names.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from honeyguide.domain import Url
from honeyguide.engine.named_pages import NamedPages
from honeyguide.engine.scope import Scope, staying_with
from honeyguide.errors import PageError, SettingsError
from honeyguide.parse import read_listing, sitemaps_in_robots
from honeyguide.settings import with_overrides

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from honeyguide.engine.web_memory import WebMemory
    from honeyguide.settings import Settings
    from honeyguide.worlds import World

log = logging.getLogger(__name__)

MOST_FILES: Final = 1000
LISTED_TYPES: Final = ("application/*xml", "application/*gzip", "application/octet-stream")
DEEPEST_INDEX: Final = 3  # the protocol knows one level; some sites have more


async def with_listed_seeds(settings: Settings, world: World, memory: WebMemory | None = None) -> Settings:
    """The settings with the listed URLs that are in scope after the seeds already there.

    `memory` is that of a live world: its hosts take turns with those that the lists are on.

    SettingsError with every file named that cannot be read, or where nothing they list is in scope.
    """
    crawl = settings.crawl
    if not (crawl.sitemaps or crawl.feeds or crawl.sitemaps_from_robots):
        return settings
    named = [Url.parse(text) for text in (*crawl.sitemaps, *crawl.feeds)]
    seeds = [Url.parse(text) for text in crawl.seed_urls]
    if crawl.sitemaps_from_robots and not seeds and not named:
        seeds = list(world.entry_urls())
    settings = staying_with(settings, [*seeds, *named])
    async with _pages(settings, world, memory) as pages:
        reading = _Reading(pages, Scope(settings.scope), crawl.listed_urls)
        await reading.read(named)
        if reading.mistakes:
            raise SettingsError(reading.mistakes)
        if crawl.sitemaps_from_robots:
            await reading.read_those_in_robots(dict.fromkeys(url.origin for url in (*seeds, *named)))
    if named and not reading.urls and not seeds:
        raise SettingsError([_nothing(named, reading)])
    log.info("%s URLs taken from %s sitemaps and feeds", len(reading.urls), len(reading.asked))
    if reading.left_out:
        log.warning("%s listed URLs were left out; raise crawl.listed_urls to take them", f"{reading.left_out:,}")
    texts = dict.fromkeys(url.text for url in (*seeds, *reading.urls))
    return with_overrides(settings, {"crawl.seed_urls": list(texts)})


def _pages(settings: Settings, world: World, memory: WebMemory | None) -> NamedPages:
    """Where the files are read. The live web is asked through a door of its own, which lets their types in."""
    if settings.crawl.world != "live" or world.is_offline:
        return NamedPages(settings, world)
    types = [*settings.fetch.content_types, *LISTED_TYPES]
    own = with_overrides(settings, {"fetch.content_types": types, "render.enabled": False})
    return NamedPages(own, memory=memory)


class _Reading:
    """What was read so far, and what came of it."""

    def __init__(self, pages: NamedPages, scope: Scope, most_urls: int) -> None:
        self._pages = pages
        self._scope = scope
        self._most_urls = most_urls
        self.asked: set[Url] = set()
        self.urls: dict[Url, None] = {}
        self.out_of_scope = 0
        self.left_out = 0
        self.mistakes: list[str] = []

    async def read(self, named: Sequence[Url]) -> None:
        """Read files that a person named: one that cannot be read is a mistake."""
        for url in named:
            try:
                await self._read_one(url, depth=0)
            except PageError as error:
                self.mistakes.append(f"sitemap or feed: {error}")

    async def read_those_in_robots(self, origins: Iterable[str]) -> None:
        """Read what the robots.txt of these origins name; that one is missing is nothing unusual."""
        for origin in origins:
            try:
                robots, fetched = await self._pages.fetched(Url.parse(f"{origin}/robots.txt"))
            except PageError as error:
                log.info("no sitemaps from robots.txt: %s", error)
                continue
            await self._read_found(sitemaps_in_robots(robots, fetched), depth=0)

    async def _read_found(self, sitemaps: Iterable[Url], depth: int) -> None:
        """Read files that other files name: one that cannot be read is passed over."""
        for url in sitemaps:
            try:
                await self._read_one(url, depth)
            except PageError as error:
                log.warning("a sitemap is passed over: %s", error)

    async def _read_one(self, url: Url, depth: int) -> None:
        if url in self.asked:
            return
        if len(self.asked) >= MOST_FILES:
            raise PageError(f"{url}: {MOST_FILES:,} have been read, and no more are")
        if depth > DEEPEST_INDEX:
            raise PageError(f"{url}: it is in an index inside {DEEPEST_INDEX} others")
        self.asked.add(url)
        listing = read_listing(*await self._pages.fetched(url))
        self._take(listing.pages)
        await self._read_found(listing.sitemaps, depth + 1)

    def _take(self, urls: Iterable[Url]) -> None:
        for url in urls:
            if self._scope.objection(url, depth=0) is not None:
                self.out_of_scope += 1
            elif url not in self.urls and len(self.urls) >= self._most_urls:
                self.left_out += 1
            else:
                self.urls[url] = None


def _nothing(named: Sequence[Url], reading: _Reading) -> str:
    if reading.out_of_scope:
        return f"none of the {reading.out_of_scope:,} URLs that {named[0]} lists is in scope; change the scope"
    return f"{named[0]} lists no URL; give --seed-url, or another sitemap or feed"
