"""A synthetic web: hosts, topics and pages computed from a seed, to crawl without a network.

A `SyntheticSpec` says how large the web is and how much trouble it has. From it `layout` places clusters of
pages on hosts and gives them topics; `traits` tells what is true of a page given its number; `linking`, `prose`
and `pages` write it, in words that `lexicon` draws from `topic_words` and `common_words`; `addressing` goes
between places and URLs. `SyntheticWorld` answers URLs in process, and `SyntheticServer` serves the same bytes
over HTTP on loopback.
"""

from honeyguide.worlds.synthetic.server import Pace, RequestRecord, SyntheticServer
from honeyguide.worlds.synthetic.spec import SyntheticSpec
from honeyguide.worlds.synthetic.world import SyntheticWorld

__all__ = ["Pace", "RequestRecord", "SyntheticServer", "SyntheticSpec", "SyntheticWorld"]
