"""Webs to crawl. Each world answers a URL with an `Answer` and remembers nothing of the crawl.

`World` is the seam. An offline world answers from what it holds, with simulated time, so that a crawl of it
repeats URL for URL. `SyntheticWorld` is a web computed from a `SyntheticSpec`, and `server.SyntheticServer` serves
that web over real HTTP. `HttpWorld` is whatever answers over HTTP, in real time.
"""

from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.world import HttpWorld, World

__all__ = ["HttpWorld", "SyntheticSpec", "SyntheticWorld", "World"]
