"""What the live web is asked with: fetchers, each wrapped round the next.

`HttpFetcher` sends one request and turns whatever comes back, or does not, into an outcome: a `Call` keeps its time,
`Connections` look at every address before they call it, and `Reading` decides how much of the body is wanted.
`GatedFetcher` stands in front of it and lets no request through before the turn of its host and of its address has
come (`Turns`). `RobotsFetcher` stands in front of both and lets through only what the host's robots.txt allows, asking
for that file through the same gate. A URL goes in at the outermost fetcher and an `Answer` comes out; redirects come
out too, for the crawl to decide on. Which link is asked for next is the frontier's affair: its clocks know what the
gate does, so that a fetch that would only wait here is not begun.
"""

from honeyguide.fetch.addresses import KnownAddresses, PinnedResolver, canonical_address
from honeyguide.fetch.chromium import Renderer
from honeyguide.fetch.http import Fetcher, HttpFetcher
from honeyguide.fetch.robots import RobotsFetcher, RobotsMemory, product_of
from honeyguide.fetch.turns import GatedFetcher, Turns

__all__ = [
    "Fetcher",
    "GatedFetcher",
    "HttpFetcher",
    "KnownAddresses",
    "PinnedResolver",
    "Renderer",
    "RobotsFetcher",
    "RobotsMemory",
    "Turns",
    "canonical_address",
    "product_of",
]
