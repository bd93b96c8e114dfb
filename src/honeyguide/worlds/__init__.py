"""What a crawl can be let loose on. Each world answers a URL with an `Answer` and remembers nothing of the crawl.

`World` is the seam. An offline world answers from what it holds, with simulated time, so that a crawl of it
repeats URL for URL. `SyntheticWorld` is a web computed from a `SyntheticSpec`, and `SyntheticServer` serves
that web over real HTTP. `HttpWorld` is whatever answers over HTTP, in real time.
"""

from honeyguide.worlds.http_world import HttpWorld
from honeyguide.worlds.synthetic import Pace, RequestRecord, SyntheticServer, SyntheticSpec, SyntheticWorld
from honeyguide.worlds.world import World

__all__ = ["HttpWorld", "Pace", "RequestRecord", "SyntheticServer", "SyntheticSpec", "SyntheticWorld", "World"]
