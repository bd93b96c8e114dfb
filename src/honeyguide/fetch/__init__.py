"""What the live web is asked with: fetchers, each wrapped round the next.

`HttpFetcher` sends one request and turns whatever comes back, or does not, into an outcome. `RobotsFetcher`
stands in front of it and lets through only what the host's robots.txt allows. A URL goes in at the outermost
fetcher and an `Answer` comes out; redirects come out too, for the crawl to decide on. Nothing here waits between
two requests to a host: when to ask is the frontier's affair.
"""

from honeyguide.fetch.fetcher import Fetcher
from honeyguide.fetch.http import HttpFetcher
from honeyguide.fetch.renderer import Renderer
from honeyguide.fetch.resolver import PinnedResolver
from honeyguide.fetch.robots import RobotsFetcher, product_of

__all__ = ["Fetcher", "HttpFetcher", "PinnedResolver", "Renderer", "RobotsFetcher", "product_of"]
