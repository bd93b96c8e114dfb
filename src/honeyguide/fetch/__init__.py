"""Asking the live web politely: fetchers, each wrapped round the next, and the schedule of hosts.

`HostSchedule` knows when each host and address may be asked, live and offline. `HttpFetcher` sends one request and
turns whatever comes back, or does not, into an outcome: a `Call` keeps its time, `Connections` look at every address
before they call it, and `BodyReader` decides how much of the body is wanted. `GatedFetcher` stands in front of it and
lets no request through before the schedule says so. `RobotsFetcher` stands in front of both and lets through only what
the host's robots.txt allows, asking for that file through the same gate. A redirect is an outcome: the crawl decides.
"""

from typing import TYPE_CHECKING, Any

from honeyguide.fetch.schedule import HostSchedule

if TYPE_CHECKING:
    from honeyguide.fetch.addresses import KnownAddresses, PinnedResolver, canonical_address
    from honeyguide.fetch.chromium import Renderer
    from honeyguide.fetch.gate import Gate, GatedFetcher
    from honeyguide.fetch.http import Fetcher, HttpFetcher
    from honeyguide.fetch.logins import Logins
    from honeyguide.fetch.robots import RobotsFetcher, SiteFileMemory
    from honeyguide.fetch.site_rules import product_of

_HOMES = {
    "addresses": ("KnownAddresses", "PinnedResolver", "canonical_address"),
    "chromium": ("Renderer",),
    "gate": ("Gate", "GatedFetcher"),
    "http": ("Fetcher", "HttpFetcher"),
    "logins": ("Logins",),
    "robots": ("RobotsFetcher", "SiteFileMemory"),
    "site_rules": ("product_of",),
}

__all__ = [
    "Fetcher",
    "Gate",
    "GatedFetcher",
    "HostSchedule",
    "HttpFetcher",
    "KnownAddresses",
    "Logins",
    "PinnedResolver",
    "Renderer",
    "RobotsFetcher",
    "SiteFileMemory",
    "canonical_address",
    "product_of",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as the language defines it
    """Load the rest when it is first used: aiohttp is heavy, and offline crawls do not need it."""
    from importlib import import_module  # noqa: PLC0415

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
