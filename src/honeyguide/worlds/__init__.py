"""Webs to crawl. Each world answers a URL with an `Answer` and remembers nothing of the crawl.

`World` is the seam. An offline world answers from what it holds, with simulated time, so that a crawl of it
repeats URL for URL. `SyntheticWorld` is a web computed from a `SyntheticSpec`, and `SyntheticServer` serves
that web over real HTTP. `HttpWorld` is whatever answers over HTTP, in real time.
"""

from typing import TYPE_CHECKING, Any

from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.world import HttpWorld, World

if TYPE_CHECKING:
    from honeyguide.worlds.synthetic import Pace, RequestRecord, SyntheticServer

__all__ = ["HttpWorld", "Pace", "RequestRecord", "SyntheticServer", "SyntheticSpec", "SyntheticWorld", "World"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as the language defines it
    """Load the server when it is first used: aiohttp is heavy, and most crawls do not serve what they crawl."""
    if name not in ("Pace", "RequestRecord", "SyntheticServer"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from honeyguide.worlds.synthetic import server  # noqa: PLC0415

    return getattr(server, name)
