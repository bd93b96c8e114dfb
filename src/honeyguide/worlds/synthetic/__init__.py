"""A synthetic web: hosts, topics and pages computed from a seed, to crawl without a network.

A `SyntheticSpec` says how large the web is and how much trouble it has. From it `layout` places clusters of pages on
hosts and gives them topics; `places` knows the traits of a page given its number, and goes between places and URLs;
`prose` and `pages` write it, in the words of `words`. `SyntheticWorld` answers URLs in process, and
`SyntheticServer` serves the same bytes over HTTP on loopback.
"""

from typing import TYPE_CHECKING, Any

from honeyguide.worlds.synthetic.spec import SyntheticSpec
from honeyguide.worlds.synthetic.world import SyntheticWorld

if TYPE_CHECKING:
    from honeyguide.worlds.synthetic.server import Pace, RequestRecord, SyntheticServer

__all__ = ["Pace", "RequestRecord", "SyntheticServer", "SyntheticSpec", "SyntheticWorld"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - as the language defines it
    """Load the server when it is first used: aiohttp is heavy, and most crawls do not serve what they crawl."""
    if name not in ("Pace", "RequestRecord", "SyntheticServer"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from honeyguide.worlds.synthetic import server  # noqa: PLC0415

    return getattr(server, name)
