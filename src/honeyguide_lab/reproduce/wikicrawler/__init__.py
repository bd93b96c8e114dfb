"""The WikiCrawler document, reproduced: graphs about three topics, the vertices with the most links, and their ranks.

`published` has its topics and lists, `starts` finds where to begin in a world, `graphs` crawls and lists vertices by
their links, and `ranks` has what depends on PageRank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from honeyguide_lab.reproduce.study import Paper, Report, Reproduction, Section
from honeyguide_lab.reproduce.wikicrawler.graphs import large_graph, overview, topic_graph, world_section
from honeyguide_lab.reproduce.wikicrawler.published import SOURCE, TITLE
from honeyguide_lab.reproduce.wikicrawler.ranks import iteration_table, overlap_table
from honeyguide_lab.reproduce.wikicrawler.starts import starts_in

if TYPE_CHECKING:
    from honeyguide_lab.reproduce.study import Study
    from honeyguide_lab.reproduce.wikicrawler.graphs import TopicGraph

__all__ = ["WIKICRAWLER"]

_EXPLAINED: Final = (
    "The first pages that weighted breadth-first meets, and all links between them. The files that the document's "
    "program writes are in `graphs/`."
)
_NO_WIKI: Final = (
    "No wiki is among the worlds, so nothing can be set beside the published lists. Name one with `--world wiki:PATH` "
    "(see `honeyguide wiki build`)."
)


def _begin(study: Study) -> Reproduction:
    graphs: list[TopicGraph] = []
    large: list[TopicGraph] = []  # of the first topic of each world
    left_out: list[str] = []
    for world in study.worlds:
        starts = starts_in(world)
        left_out += starts.left_out
        graphs += [topic_graph(study, world, start) for start in starts.found]
        large += [large_graph(study, world, start) for start in starts.found[:1]]
    left_out += [] if study.has_wiki else [_NO_WIKI]

    def report() -> Report:
        ranked, ranked_large = ([graph.ranked() for graph in each] for each in (graphs, large))
        tables = overview(ranked), iteration_table(ranked), overlap_table(ranked_large)
        sections = [Section("Graphs of three topics", (_EXPLAINED,), tables)]
        for world in study.worlds:
            here = [graph for graph in ranked if graph.topic.world == world]
            if here:
                sections.append(world_section(world, here))
        files = {f"graphs/{graph.slug}.txt": graph.edges_file() for graph in graphs}
        return Report(TITLE, SOURCE, tuple(sections), tuple(left_out), texts=files)

    return Reproduction(tuple(graph.task for graph in (*graphs, *large)), report)


WIKICRAWLER: Final = Paper(
    name="wikicrawler",
    title=TITLE,
    own_world="synthetic:seed=1",
    quick_world="synthetic:seed=1,pages=2000,hosts=40",
    begin=_begin,
)
