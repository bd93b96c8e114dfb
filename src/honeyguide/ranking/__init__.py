"""The pages of a run, a file of edges or a world, ranked by the links between them.

`sources` opens any of the three as a graph, `rank` ranks it. The arithmetic is in `graph`; here it meets runs and
worlds, and the names that a person types.
"""

from honeyguide.ranking.rank import MEASURES, PageStanding, Ranking, rank
from honeyguide.ranking.sources import GraphSource, link_graph, open_source

__all__ = ["MEASURES", "GraphSource", "PageStanding", "Ranking", "link_graph", "open_source", "rank"]
