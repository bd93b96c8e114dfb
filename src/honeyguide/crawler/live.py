"""The web over HTTP: how its fetchers are put together, for the live world and for a web that is served here."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.crawler.hosts import HostMemory
from honeyguide.crawler.preparing import Preparation, Unreadable
from honeyguide.crawler.scope import Scope
from honeyguide.errors import SettingsError
from honeyguide.model import Fetched
from honeyguide.model.clock import RealClock
from honeyguide.parse import media_type_of, parse
from honeyguide.settings import DOCUMENT_TYPES, with_overrides

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping, Sequence

    from aiohttp.abc import AbstractResolver

    from honeyguide.fetch import Fetcher, Logins, Renderer
    from honeyguide.model import Answer, KnownPage, Url
    from honeyguide.model.clock import Clock
    from honeyguide.settings import FetchSettings, Settings
    from honeyguide.worlds import World

log = logging.getLogger(__name__)


class RenderedWorld:
    """Answers of another world; those of which a script makes all the text come back as the script leaves them."""

    is_offline = False
    writes_pages = False

    def __init__(self, world: World, renderer: Renderer, clock: Clock) -> None:
        self._world = world
        self._renderer = renderer
        self._clock = clock

    async def fetch(self, url: Url) -> Answer:
        answer = await self._world.fetch(url)
        if not isinstance(answer.outcome, Fetched) or not needs_a_browser(url, answer.outcome):
            return answer
        started = self._clock.now()
        rendered = await self._renderer.render(url, answer.outcome)
        if rendered is None:
            return answer
        log.debug("%s was rendered", url)
        return replace(answer, outcome=rendered, elapsed_s=answer.elapsed_s + self._clock.now() - started)

    def entry_urls(self) -> Sequence[Url]:
        return self._world.entry_urls()

    async def close(self) -> None:
        await self._renderer.close()
        await self._world.close()


def needs_a_browser(url: Url, fetched: Fetched) -> bool:
    """Whether a page has scripts and, without them, not a word and not a link."""
    if b"<script" not in fetched.body.lower():
        return False
    read = Preparation(parse).prepare(url, fetched)
    if isinstance(read, Unreadable):
        return False
    page = read.page
    return page.charset != "" and not page.words and not page.links


@asynccontextmanager
async def open_live(settings: Settings, memory: HostMemory, known: Sequence[KnownPage] = ()) -> AsyncIterator[World]:
    """Open the real web. SettingsError if a file of secrets cannot be read or no browser starts."""
    from honeyguide.fetch import Logins  # noqa: PLC0415 - aiohttp is heavy
    from honeyguide.worlds import HttpWorld  # noqa: PLC0415

    clock, logins = RealClock(), Logins.read(settings.fetch)
    fetcher = polite_fetcher(settings, clock, memory=memory, known=known, logins=logins)
    world: World = HttpWorld(fetcher)
    try:
        if settings.render.enabled:
            world = await _rendered(world, fetcher, settings, clock, logins)
        yield world
    finally:
        await world.close()


@asynccontextmanager
async def serve_synthetic(spec: str, settings: Settings, memory: HostMemory) -> AsyncIterator[World]:
    """Serve a synthetic web over HTTP on this machine, to be asked as the live web is."""
    with synthetic_served(spec) as (addresses, entry_urls):
        async with ask_synthetic(addresses, settings, memory, entry_urls) as world:
            yield world


@contextmanager
def synthetic_served(spec: str) -> Iterator[tuple[Mapping[str, tuple[str, int]], Sequence[Url]]]:
    """Serve a synthetic web over HTTP; gives address and port by host name, and its entry pages."""
    from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld  # noqa: PLC0415 - heavy
    from honeyguide.worlds.synthetic.server import Pace, SyntheticServer  # noqa: PLC0415

    pages = SyntheticWorld(SyntheticSpec.parse(spec))
    # Slow pages are slow here too, a hundred times faster than they say; one that hangs is dropped after half a second.
    with SyntheticServer.in_thread(pages, Pace(factor=0.01, longest_s=0.5, hang_s=0.5)) as server:
        yield server.addresses, pages.entry_urls()


@asynccontextmanager
async def ask_synthetic(
    addresses: Mapping[str, tuple[str, int]], settings: Settings, memory: HostMemory, entry_urls: Sequence[Url] = ()
) -> AsyncIterator[World]:
    """Ask a synthetic web that is served on this machine, address and port by host name, as the live web is asked."""
    from honeyguide.fetch import PinnedResolver  # noqa: PLC0415 - aiohttp is heavy
    from honeyguide.worlds import HttpWorld  # noqa: PLC0415

    # Its hosts are on this machine, and the resolver knows no others.
    at_home = with_overrides(
        settings,
        {
            "fetch.allow_private": ["127.0.0.0/8"],
            "fetch.proxies": [],
            **dict.fromkeys(("fetch.proxy_login", "fetch.logins", "fetch.cookie_file"), ""),
        },
    )
    # All its hosts are at one address, our own, which needs no sparing.
    fetcher = polite_fetcher(at_home, RealClock(), PinnedResolver(addresses), memory)
    world = HttpWorld(fetcher, entry_urls)
    try:
        yield world
    finally:
        await world.close()


async def _rendered(world: World, fetcher: Fetcher, settings: Settings, clock: Clock, logins: Logins) -> World:
    from honeyguide.fetch.chromium import ChromiumRenderer  # noqa: PLC0415

    renderer = ChromiumRenderer(
        fetcher,
        settings.render,
        settings.fetch.identity,
        settings.fetch.max_body_bytes,
        is_denied=Scope(settings.scope).denies,
        has_secret=logins.is_known_at,
    )
    await renderer.open()
    return RenderedWorld(world, renderer, clock)


def polite_fetcher(
    settings: Settings,
    clock: Clock,
    resolver: AbstractResolver | None = None,
    memory: HostMemory | None = None,
    known: Sequence[KnownPage] = (),
    logins: Logins | None = None,
) -> Fetcher:
    """Build what every request over HTTP goes through, from the outside in: robots.txt, the gate, the network.

    Of `known` pages only changes are wanted. With a resolver of one's own, as behind a proxy, only hosts have turns.
    """
    from aiohttp import DefaultResolver  # noqa: PLC0415 - aiohttp is heavy

    from honeyguide.fetch import Gate, GatedFetcher, HttpFetcher, KnownAddresses, RobotsFetcher  # noqa: PLC0415

    politeness = settings.politeness
    counts_addresses = politeness.per_address and resolver is None and not settings.fetch.proxies
    addresses = KnownAddresses(DefaultResolver(), clock) if counts_addresses else None
    sender = HttpFetcher(
        _wanted(settings),
        clock,
        addresses or resolver,
        media_type_of=media_type_of,
        proxy_login=_login(settings.fetch.proxy_login),
        known={page.url: page for page in known},
        logins=logins,
    )
    memory = memory or HostMemory(settings)
    gate = memory.gate = memory.gate or Gate(memory.schedule, clock)  # one for every door to the same web
    gated = GatedFetcher(sender, gate, addresses)
    return RobotsFetcher(
        gated,
        politeness,
        settings.fetch.identity,
        clock,
        schedule=gate.schedule,
        memory=memory,
        directives=settings.directives,
    )


def _wanted(settings: Settings) -> FetchSettings:
    """Return how bodies are fetched: those of documents too, where these are read."""
    if not settings.parse.documents:
        return settings.fetch
    return replace(settings.fetch, content_types=(*settings.fetch.content_types, *DOCUMENT_TYPES))


def _login(file: str) -> str:
    """Read the user and password by which a proxy knows us; they are neither logged nor kept anywhere else."""
    if not file:
        return ""
    try:
        login = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise SettingsError([f"fetch.proxy_login: cannot read {file}: {reason}"]) from None
    if ":" not in login or not login.isprintable():
        raise SettingsError([f"fetch.proxy_login: {file} does not hold user:password on one line"])
    return login
