"""Politeness put in front of whatever sends requests: the gate, and in front of it robots.txt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from honeyguide.clock import Clock
    from honeyguide.engine.web_memory import WebMemory
    from honeyguide.fetch import Fetcher, KnownAddresses
    from honeyguide.settings import Settings


def polite(
    sender: Fetcher,
    settings: Settings,
    clock: Clock,
    memory: WebMemory,
    addresses: KnownAddresses | None = None,
) -> Fetcher:
    """What every request of a live crawl goes through, robots.txt first; without `addresses` only hosts have turns."""
    from honeyguide.fetch import GatedFetcher, RobotsFetcher, Turns  # noqa: PLC0415 - aiohttp is heavy

    turns = memory.turns = Turns(clock, settings.politeness)
    gate = GatedFetcher(sender, turns, addresses)
    return RobotsFetcher(gate, settings.politeness, settings.fetch.identity, clock, turns=turns, memory=memory)
