"""Read what a person names: pages and examples by file or URL, sitemaps and feeds with seeds, presets.

Pages are read the way a crawl reads those it finds. A run keeps the texts of its examples and the URLs of its lists, so
that it never depends on them again. `crawl.sitemaps` and `crawl.feeds` name lists of seeds; with
`crawl.sitemaps_from_robots` those count as well that the robots.txt of each seed's host names.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, assert_never

from honeyguide.crawler.build import open_world
from honeyguide.crawler.scope import Scope, staying_with
from honeyguide.errors import InvalidUrl, PageError, SettingsError, WorldError
from honeyguide.fetch.schedule import HostSchedule
from honeyguide.model import Failed, FailureReason, Fetched, Redirected, Refused, Unchanged, Unknown, Url
from honeyguide.model.clock import RealClock
from honeyguide.parse import parse, read_listing, sitemaps_in_robots
from honeyguide.settings import shown, with_overrides
from honeyguide.topic.examples import FILE_SIGN, is_reference, is_url, page_example, text_example

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from honeyguide.crawler.hosts import HostMemory
    from honeyguide.model import Outcome, Page
    from honeyguide.settings import Settings
    from honeyguide.topic import Preset
    from honeyguide.worlds import World

log = logging.getLogger(__name__)

STANDARD_INPUT: Final = "-"
MOST_FILES: Final = 1000  # sitemaps and feeds
LISTED_TYPES: Final = ("application/*xml", "application/*gzip", "application/octet-stream")
DEEPEST_INDEX: Final = 3  # the protocol knows one level; some sites have more
_HTML_ENDINGS: Final = frozenset({".html", ".htm", ".xhtml"})


class NamedPages:
    """Reads pages one at a time, politely.

    Files need no world. For URLs the world given is asked, and left open; without one, that of the settings is opened,
    with `memory` for its hosts. Standard input is read once; `input_is_read` says that somebody else does.
    """

    def __init__(
        self,
        settings: Settings,
        world: World | None = None,
        *,
        input_is_read: bool = False,
        memory: HostMemory | None = None,
    ) -> None:
        self._settings = settings
        self._world = world
        self._clock = RealClock()
        self._schedule = HostSchedule(settings.politeness, settings.fetch)
        self._opened = AsyncExitStack()
        self._input_is_read = input_is_read
        self._memory = memory

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.aclose()

    async def read(self, name: str) -> Page:
        """Return the page in a file, on standard input (`-`) or at a URL, redirects followed.

        PageError if there is no such page, or if there is not a word of HTML or text in it.
        """
        found = await self.fetched(_parse_url(name)) if is_url(name) else self._read_page_file(name)
        page = parse(*found, limits=self._settings.parse)
        if not page.words:
            what = f"is {page.media_type}, not HTML or text" if not page.charset else "has no words in it"
            raise PageError(f"{name} {what}; give another page")
        return page

    def _read_page_file(self, name: str) -> tuple[Url, Fetched]:
        if name == STANDARD_INPUT:
            if self._input_is_read:
                raise PageError(
                    "standard input can be read only once, and is named twice; put one of the two in a file"
                )
            self._input_is_read = True
        limit = self._settings.fetch.max_body_bytes
        body = _read_file(name, limit + 1)
        if not body:
            raise PageError(f"{name} is empty; give another page")
        if len(body) > limit:
            raise PageError(f"{name} is over {limit:,} bytes; cut it, or raise fetch.max_body_bytes")
        declared = "text/html" if Path(name).suffix.lower() in _HTML_ENDINGS else ""
        # Not through the door of web addresses: nothing is ever fetched from here.
        address = Url("file:///dev/stdin") if name == STANDARD_INPUT else Url(Path(name).absolute().as_uri())
        return address, Fetched(200, declared, body)

    async def fetched(self, url: Url) -> tuple[Url, Fetched]:
        """Fetch a URL, redirects followed; return the last URL and its body. PageError if there is none."""
        if self._world is None:
            self._world = await self._opened.enter_async_context(open_world(self._settings, self._memory))
        target = url
        for _ in range(self._settings.fetch.max_redirects + 1):
            match await self._ask(self._world, target):
                case Fetched() as fetched:
                    return target, fetched
                case Redirected() as redirected:
                    target = redirected.target
                case Unchanged():
                    raise PageError(f"{url} gave no page: its host says it is unchanged; give another one")
                case Failed(reason=FailureReason.TOO_LARGE, detail=detail):
                    raise PageError(f"{url} gave no page: {detail}; raise fetch.max_body_bytes, or give another one")
                case Failed() | Refused() | Unknown() as trouble:
                    raise PageError(f"{url} gave no page: {trouble.detail}; give another one")
                case unexpected:
                    assert_never(unexpected)
        raise PageError(f"{url} gave no page: over {self._settings.fetch.max_redirects} redirects; give another one")

    async def _ask(self, world: World, url: Url) -> Outcome:
        """Return one answer; a live host is left alone for as long as a crawl would, gate or no gate."""
        if not world.is_offline:
            await asyncio.sleep(max(0.0, self._schedule.host_ready_at(url.host) - self._clock.now()))
        answer = await world.fetch(url)
        self._schedule.note_answer(url.host, (), answer, self._clock.now())
        return answer.outcome


def _parse_url(name: str) -> Url:
    try:
        return Url.parse(name)
    except InvalidUrl as error:
        raise PageError(str(error)) from None


def _read_file(name: str, most_bytes: int) -> bytes:
    try:
        if name == STANDARD_INPUT:
            return sys.stdin.buffer.read(most_bytes)
        with open(name, "rb") as file:  # noqa: PTH123 - a name with a null byte in it is an OSError nowhere else
            return file.read(most_bytes)
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise PageError(f"cannot read {name}: {reason}; check the path") from None


def reads_standard_input(settings: Settings) -> bool:
    """Return whether an example of the topic is what comes on standard input."""
    return FILE_SIGN + STANDARD_INPUT in (*settings.topic.like, *settings.topic.unlike)


async def with_examples_read(settings: Settings, world: World | None = None) -> Settings:
    """Return the settings with the text of every example in its place; SettingsError with all that cannot be read.

    URLs are asked of `world`, or of the one that the settings name. Doing it twice changes nothing.
    """
    if not (settings.topic.like or settings.topic.unlike):
        return settings
    examples = {"topic.like": settings.topic.like, "topic.unlike": settings.topic.unlike}
    async with NamedPages(settings, world) as pages:
        texts, _ = await read_examples(examples, pages)
    return with_overrides(settings, texts)


async def read_examples(
    examples: Mapping[str, Sequence[str]], pages: NamedPages
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Read examples by key; return texts and titles by key.

    SettingsError with all that cannot be read, or that stand under two keys: what is wanted is not unwanted.
    """
    texts: dict[str, list[str]] = {key: [] for key in examples}
    titles: dict[str, list[str]] = {key: [] for key in examples}
    mistakes: list[str] = []
    for key, example in [(key, example) for key, named in examples.items() for example in named]:
        try:
            page = await pages.read(example.removeprefix(FILE_SIGN)) if is_reference(example) else None
            text = text_example(example) if page is None else page_example(page)
            others = [other for other in texts if other != key and text in texts[other]]
            mistakes += [f"{key}: {shown(example)} is given as {other}, too; leave one out" for other in others]
            texts[key].append(text)
            titles[key].append("" if page is None else page.title)
        except PageError as error:
            mistakes.append(f"{key}: {error}")
    if mistakes:
        raise SettingsError(mistakes)
    return texts, titles


async def with_listed_seeds(settings: Settings, world: World, memory: HostMemory | None = None) -> Settings:
    """Return the settings with the listed URLs that are in scope after the seeds already there.

    `memory` is that of a live world: its hosts take turns with those that the lists are on.

    SettingsError with every file named that cannot be read, or where nothing they list is in scope.
    """
    crawl = settings.crawl
    if settings.refresh.run or not (crawl.sitemaps or crawl.feeds or crawl.sitemaps_from_robots):
        return settings
    named = [Url.parse(text) for text in (*crawl.sitemaps, *crawl.feeds)]
    seeds = [Url.parse(text) for text in crawl.seed_urls]
    if crawl.sitemaps_from_robots and not seeds and not named:
        seeds = list(world.entry_urls())
    settings = staying_with(settings, [*seeds, *named])
    async with _open_pages(settings, world, memory) as pages:
        reading = _ListReader(pages, Scope(settings.scope), crawl.listed_urls)
        await reading.read(named)
        if reading.mistakes:
            raise SettingsError(reading.mistakes)
        if crawl.sitemaps_from_robots:
            await reading.read_those_in_robots(dict.fromkeys(url.origin for url in (*seeds, *named)))
    if named and not reading.urls and not seeds:
        raise SettingsError([_explain_no_seeds(named, reading)])
    log.info("%s URLs taken from %s sitemaps and feeds", len(reading.urls), len(reading.asked))
    if reading.left_out:
        log.warning("%s listed URLs were left out; raise crawl.listed_urls to take them", f"{reading.left_out:,}")
    texts = dict.fromkeys(url.text for url in (*seeds, *reading.urls))
    return with_overrides(settings, {"crawl.seed_urls": list(texts)})


async def listed_again(
    settings: Settings, world: World, memory: HostMemory | None, origins: Iterable[str]
) -> dict[Url, float | None]:
    """Return the URLs that the sitemaps and feeds of a run list by now, each with when it was changed last, if told.

    `origins` are those whose robots.txt may name sitemaps. A file that cannot be read is left out.
    """
    crawl = settings.crawl
    if not (crawl.sitemaps or crawl.feeds or crawl.sitemaps_from_robots):
        return {}
    async with _open_pages(settings, world, memory) as pages:
        reading = _ListReader(pages, Scope(settings.scope), crawl.listed_urls)
        await reading.read([Url.parse(text) for text in (*crawl.sitemaps, *crawl.feeds)])
        if crawl.sitemaps_from_robots:
            await reading.read_those_in_robots(origins)
    for mistake in reading.mistakes:
        log.warning("left out %s", mistake)
    return {url: reading.modified.get(url) for url in reading.urls}


def _open_pages(settings: Settings, world: World, memory: HostMemory | None) -> NamedPages:
    """Return where the files are read. The live web is asked through a door of its own, which lets their types in."""
    if settings.crawl.world != "live" or world.is_offline:
        return NamedPages(settings, world)
    types = [*settings.fetch.content_types, *LISTED_TYPES]
    own = with_overrides(settings, {"fetch.content_types": types, "render.enabled": False})
    return NamedPages(own, memory=memory)


class _ListReader:
    """Reads sitemaps and feeds, and collects the URLs they list."""

    def __init__(self, pages: NamedPages, scope: Scope, most_urls: int) -> None:
        self._pages = pages
        self._scope = scope
        self._most_urls = most_urls
        self.asked: set[Url] = set()
        self.urls: dict[Url, None] = {}
        self.modified: dict[Url, float] = {}  # when some of them were changed last
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
        """Read files that other files name: one that cannot be read is left out."""
        for url in sitemaps:
            try:
                await self._read_one(url, depth)
            except PageError as error:
                log.warning("left out a sitemap: %s", error)

    async def _read_one(self, url: Url, depth: int) -> None:
        if url in self.asked:
            return
        if len(self.asked) >= MOST_FILES:
            raise PageError(f"{url}: {MOST_FILES:,} have been read, and no more are")
        if depth > DEEPEST_INDEX:
            raise PageError(f"{url}: it is in an index inside {DEEPEST_INDEX} others")
        self.asked.add(url)
        listing = read_listing(*await self._pages.fetched(url))
        self._add(listing.pages)
        self.modified |= {page: moment for page, moment in listing.modified.items() if page in self.urls}
        await self._read_found(listing.sitemaps, depth + 1)

    def _add(self, urls: Iterable[Url]) -> None:
        for url in urls:
            if self._scope.objection(url, depth=0) is not None:
                self.out_of_scope += 1
            elif url not in self.urls and len(self.urls) >= self._most_urls:
                self.left_out += 1
            else:
                self.urls[url] = None


def _explain_no_seeds(named: Sequence[Url], reading: _ListReader) -> str:
    if reading.out_of_scope:
        return f"none of the {reading.out_of_scope:,} URLs that {named[0]} lists is in scope; change the scope"
    return f"{named[0]} lists no URL; give --seed-url, or another sitemap or feed"


def preset_seed_urls(preset: Preset, world: str) -> tuple[str, ...]:
    """Return the seeds of a preset: its page in a wiki world, its URL on the live web, elsewhere none.

    WorldError if the wiki has no such page, because a crawl from anywhere else would be another experiment.
    """
    kind, _, path = world.partition(":")
    if kind == "live":
        return preset.seed_urls
    if kind != "wiki":
        return ()
    from honeyguide.worlds.wiki import WikiWorld  # noqa: PLC0415 - SQLite and zstandard, for this world alone

    with WikiWorld(path) as wiki:
        for title in preset.seed_titles:
            number = wiki.number_titled(title)
            if number is not None:
                return (wiki.url_of(number).text,)
    titles = " or ".join(preset.seed_titles)
    raise WorldError(f"{world} has no article {titles} for the preset {preset.key}; give --seed-url")
