"""The web over HTTP: how its fetchers are put together, for the live world and for a web that is served here."""

from __future__ import annotations

from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.clock import RealClock
from honeyguide.engine.scope import Scope
from honeyguide.engine.web_memory import WebMemory
from honeyguide.errors import SettingsError
from honeyguide.parse import media_type_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from aiohttp.abc import AbstractResolver

    from honeyguide.clock import Clock
    from honeyguide.domain import KnownPage
    from honeyguide.fetch import Fetcher
    from honeyguide.settings import Settings
    from honeyguide.worlds import World


@asynccontextmanager
async def open_live(settings: Settings, memory: WebMemory, known: Sequence[KnownPage] = ()) -> AsyncIterator[World]:
    """The real web, as robots.txt allows. SettingsError if the proxy's login cannot be read or no browser starts."""
    from honeyguide.worlds import HttpWorld  # noqa: PLC0415 - aiohttp is heavy

    clock = RealClock()
    fetcher = polite_fetcher(settings, clock, memory=memory, known=known)
    world: World = HttpWorld(fetcher)
    try:
        if settings.render.enabled:
            world = await _rendered(world, fetcher, settings, clock)
        yield world
    finally:
        await world.close()


async def _rendered(world: World, fetcher: Fetcher, settings: Settings, clock: Clock) -> World:
    from honeyguide.engine.rendered_world import RenderedWorld  # noqa: PLC0415 - only where it is asked for
    from honeyguide.fetch.chromium import ChromiumRenderer  # noqa: PLC0415

    renderer = ChromiumRenderer(
        fetcher,
        settings.render,
        settings.fetch.identity,
        settings.fetch.max_body_bytes,
        is_denied=Scope(settings.scope).denies,
    )
    await renderer.open()
    return RenderedWorld(world, renderer, clock)


def polite_fetcher(
    settings: Settings,
    clock: Clock,
    resolver: AbstractResolver | None = None,
    memory: WebMemory | None = None,
    known: Sequence[KnownPage] = (),
) -> Fetcher:
    """What every request over HTTP goes through, from the outside in: robots.txt, the gate, the network.

    Of `known` pages only changes are wanted.

    With a resolver of one's own, as behind a proxy, hosts have turns and addresses have none.
    """
    from aiohttp import DefaultResolver  # noqa: PLC0415 - aiohttp is heavy

    from honeyguide.fetch import GatedFetcher, HttpFetcher, KnownAddresses, RobotsFetcher, Turns  # noqa: PLC0415

    politeness = settings.politeness
    counts_addresses = politeness.per_address and resolver is None and not settings.fetch.proxy
    addresses = KnownAddresses(DefaultResolver(), clock) if counts_addresses else None
    sender = HttpFetcher(
        settings.fetch,
        clock,
        addresses or resolver,
        media_type_of=media_type_of,
        proxy_login=_login(settings.fetch.proxy_login),
        known={page.url: page for page in known},
    )
    memory = memory or WebMemory()
    # One for every door to the same web.
    turns = memory.turns = memory.turns or Turns(clock, politeness, settings.fetch)
    gate = GatedFetcher(sender, turns, addresses)
    return RobotsFetcher(gate, politeness, settings.fetch.identity, clock, turns=turns, memory=memory)


def _login(file: str) -> str:
    """The user and password in a file, by which a proxy knows us; they are neither logged nor kept anywhere else."""
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
