"""Who links to whom, and what that says of a page: degrees, components, PageRank, HITS.

A `LinkGraph` is made from two arrays of numbers, or read from a file of edges (`edge_file`). `pagerank` and `hits` turn
it into one figure a vertex, `top` into a list, and `jaccard` says what two lists have in common. `RefreshedRanks` does
the same for a graph that grows while a crawl goes on. Everything here is a plain function of its arguments: runs and
worlds are opened elsewhere (`ranking`).
"""

from honeyguide.graph.edge_file import read_edge_file, write_edge_file
from honeyguide.graph.hits import Hits, hits
from honeyguide.graph.link_graph import Components, LinkGraph
from honeyguide.graph.overlap import jaccard
from honeyguide.graph.pagerank import Dangling, RankRules, Ranks, pagerank, restart_on
from honeyguide.graph.refreshed_ranks import RefreshedRanks
from honeyguide.graph.top import RankedPage, place_of, top

__all__ = [
    "Components",
    "Dangling",
    "Hits",
    "LinkGraph",
    "RankRules",
    "RankedPage",
    "Ranks",
    "RefreshedRanks",
    "hits",
    "jaccard",
    "pagerank",
    "place_of",
    "read_edge_file",
    "restart_on",
    "top",
    "write_edge_file",
]
