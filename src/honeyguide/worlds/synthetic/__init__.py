"""A synthetic web: hosts, topics and pages computed from a seed, to crawl without a network.

A `SyntheticSpec` says how large the web is and how much trouble it has. From it `layout` places clusters of pages on
hosts and gives them topics; `places` knows the traits of a page given its number, and goes between places and URLs;
`prose` and `pages` write it, in the words of `words`. `SyntheticWorld` answers URLs in process, and
`server.SyntheticServer` serves the same bytes over HTTP on loopback.
"""

from honeyguide.worlds.synthetic.spec import SyntheticSpec
from honeyguide.worlds.synthetic.world import SyntheticWorld

__all__ = ["SyntheticSpec", "SyntheticWorld"]
