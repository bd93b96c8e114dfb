"""Pages that a person names, by file or by URL, read the way a crawl reads the pages it finds.

Examples of a topic, read once: what a run keeps is their text, so that it never depends on a file or page again.

An example in `topic.like` or `topic.unlike` is a text, or `@FILE` for a file of HTML or text, or the URL of a page of
the world. Of a page the main text is taken, and of every text the first `LONGEST_EXAMPLE` words.

Seeds from sitemaps and feeds, read once: what a run keeps is their URLs, so that it never depends on them again.

`crawl.sitemaps` and `crawl.feeds` name the files; with `crawl.sitemaps_from_robots` those count as well that the
robots.txt of each seed's host names. They are asked of the world like any page that a person names.

Where a preset topic starts in a world.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final, assert_never

from honeyguide.crawler.build import open_world
from honeyguide.crawler.scope import Scope, staying_with
from honeyguide.errors import InvalidUrl, PageError, SettingsError, WorldError
from honeyguide.frontier import next_request_at
from honeyguide.model import Failed, FailureReason, Fetched, Redirected, Refused, Unchanged, Unknown, Url
from honeyguide.model.clock import RealClock
from honeyguide.parse import parse, read_listing, sitemaps_in_robots
from honeyguide.settings import with_overrides
from honeyguide.text import first_words, main_text, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType
    from typing import Self

    from honeyguide.crawler.hosts import WebMemory
    from honeyguide.model import HostKey, Outcome, Page
    from honeyguide.model.clock import Clock
    from honeyguide.settings import Settings
    from honeyguide.topic import Preset
    from honeyguide.worlds import World

STANDARD_INPUT: Final = "-"
_HTML_ENDINGS: Final = frozenset({".html", ".htm", ".xhtml"})


def is_url(name: str) -> bool:
    """Whether a person means a URL by this, rather than a file."""
    return name.lower().startswith(("http://", "https://"))


class NamedPages:
    """Reads pages one at a time, politely.

    Files need no world. For URLs the world given is asked, and left open; without one, that of the settings is opened,
    with `memory` for its hosts. Standard input is read once; `input_is_read` says that somebody else does.
    """

    def __init__(
        self,
        settings: Settings,
        world: World | None = None,
        clock: Clock | None = None,
        *,
        input_is_read: bool = False,
        memory: WebMemory | None = None,
    ) -> None:
        self._settings = settings
        self._world = world
        self._clock = clock or RealClock()
        self._opened = AsyncExitStack()
        self._ready_at: dict[HostKey, float] = {}
        self._input_is_read = input_is_read
        self._memory = memory

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._opened.aclose()

    async def read(self, name: str) -> Page:
        """The page in a file, on standard input (`-`) or at a URL, redirects followed.

        PageError if there is no such page, or if there is not a word of HTML or text in it.
        """
        page = await self._page_at(_url(name)) if is_url(name) else self._page_in(name)
        if not page.words:
            what = f"is {page.media_type}, not HTML or text" if not page.charset else "has no words in it"
            raise PageError(f"{name} {what}; give another page")
        return page

    def _page_in(self, name: str) -> Page:
        if name == STANDARD_INPUT:
            if self._input_is_read:
                raise PageError(
                    "standard input can be read only once, and is named twice; put one of the two in a file"
                )
            self._input_is_read = True
        limit = self._settings.fetch.max_body_bytes
        body = _content(name, limit + 1)
        if not body:
            raise PageError(f"{name} is empty; give another page")
        if len(body) > limit:
            raise PageError(f"{name} is over {limit:,} bytes; cut it, or raise fetch.max_body_bytes")
        declared = "text/html" if Path(name).suffix.lower() in _HTML_ENDINGS else ""
        # Not through the door of web addresses: nothing is ever fetched from here.
        address = Url("file:///dev/stdin") if name == STANDARD_INPUT else Url(Path(name).absolute().as_uri())
        return parse(address, Fetched(200, declared, body))

    async def _page_at(self, url: Url) -> Page:
        return parse(*await self.fetched(url))

    async def fetched(self, url: Url) -> tuple[Url, Fetched]:
        """What is at a URL, redirects followed, and the URL where it is at last. PageError if there is nothing."""
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
        """One answer; a live host is left alone for as long as a crawl would."""
        if not world.is_offline:
            await asyncio.sleep(max(0.0, self._ready_at.get(url.host, 0.0) - self._clock.now()))
        answer = await world.fetch(url)
        self._ready_at[url.host] = next_request_at(self._clock.now(), answer.host_delay_s, self._settings.politeness)
        return answer.outcome


def _url(name: str) -> Url:
    try:
        return Url.parse(name)
    except InvalidUrl as error:
        raise PageError(str(error)) from None


def _content(name: str, most_bytes: int) -> bytes:
    try:
        if name == STANDARD_INPUT:
            return sys.stdin.buffer.read(most_bytes)
        with open(name, "rb") as file:  # noqa: PTH123 - a name with a null byte in it is an OSError nowhere else
            return file.read(most_bytes)
    except (OSError, ValueError) as error:
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise PageError(f"cannot read {name}: {reason}; check the path") from None


LONGEST_EXAMPLE: Final = 5_000  # words
FILE_SIGN: Final = "@"
_FILE_ENDINGS: Final = frozenset({".html", ".htm", ".xhtml", ".txt", ".text", ".md", ".pdf"})


@dataclass(frozen=True, slots=True)
class Example:
    """An example that has been read."""

    text: str
    title: str = ""  # of the page it is, where it has one


def reads_standard_input(settings: Settings) -> bool:
    """Whether an example of the topic is what comes on standard input."""
    return FILE_SIGN + STANDARD_INPUT in (*settings.topic.like, *settings.topic.unlike)


async def with_examples_read(settings: Settings, world: World | None = None) -> Settings:
    """The settings with the text of every example in its place; SettingsError with all that cannot be read.

    URLs are asked of `world`, or of the one that the settings name. Doing it twice changes nothing.
    """
    if not (settings.topic.like or settings.topic.unlike):
        return settings
    texts: dict[str, list[str]] = {}
    mistakes: list[str] = []
    async with NamedPages(settings, world) as pages:
        for key, examples in (("topic.like", settings.topic.like), ("topic.unlike", settings.topic.unlike)):
            texts[key] = await _texts(key, examples, pages, mistakes)
    if mistakes:
        raise SettingsError(mistakes)
    return with_overrides(settings, texts)


async def _texts(key: str, examples: Sequence[str], pages: NamedPages, mistakes: list[str]) -> list[str]:
    texts = []
    for example in examples:
        try:
            texts.append((await read_example(example, pages)).text)
        except PageError as error:
            mistakes.append(f"{key}: {error}")
    return texts


async def read_example(example: str, pages: NamedPages) -> Example:
    """The text of one example. PageError if there is not a word in it."""
    if is_reference(example):
        page = await pages.read(example.removeprefix(FILE_SIGN))
        return Example(_unmistakable(first_words(main_text(page), LONGEST_EXAMPLE)), page.title)
    return Example(_unmistakable(first_words(_checked(example), LONGEST_EXAMPLE)))


def is_reference(example: str) -> bool:
    """Whether an example names a file or page, rather than being a text itself."""
    return example.startswith(FILE_SIGN) or (is_url(example) and not _has_spaces(example))


def refuse_file_name(text: str) -> None:
    """PageError if a text is nothing but what looks like the name of a file."""
    if not _has_spaces(text) and PurePath(text).suffix.lower() in _FILE_ENDINGS:
        raise PageError(f"{text} looks like the name of a file; write {FILE_SIGN}{text} to have it read")


def _checked(text: str) -> str:
    refuse_file_name(text)
    if not words_of(text):
        raise PageError(f"the example {text!r} has no words in it; give a text, {FILE_SIGN}FILE or a URL")
    return text


def _unmistakable(text: str) -> str:
    """`text` as nobody would take it for a file or URL when it is read again."""
    return " ".join(words_of(text)) if text.startswith(FILE_SIGN) or not _has_spaces(text) else text


def _has_spaces(text: str) -> bool:
    return len(text.split()) > 1


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


def preset_seed_urls(preset: Preset, world: str) -> tuple[str, ...]:
    """The page of the preset's title in a wiki world, its URL on the live web; none in a world with its own entry.

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
