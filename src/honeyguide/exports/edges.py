"""The link graph of a run as a list of edges, the file that WikiCrawler writes.

    100
    /wiki/Tennis /wiki/Racket
    /wiki/Tennis /wiki/Wimbledon

The first line is the number of vertices, each further line an edge: source, a space, target. No edge stands twice, none
leads back to where it begins. Vertices without edges are only counted. A vertex is written as its URL, and of a wiki
crawled under the wikipedia profile as the path alone, `/wiki/Title`, as in the document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.exports.written import EdgesWritten

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.domain import Url
    from honeyguide.exports.written import Progress
    from honeyguide.store import DiscoveredGraph, Run


def write_edges(run: Run, out: TextIO, progress: Progress | None = None) -> EdgesWritten:
    """Write the graph over all pages that `run` has discovered; `progress` is told pages done, and pages in all."""
    edges = 0
    with run.at_one_moment():
        pages, graph = run.progress.pages, run.discovered_graph()
        name = _path if _are_articles_of_one_wiki(run, graph) else str
        out.write(f"{graph.vertex_count}\n")
        for done, (source, successors) in enumerate(graph.edges(), 1):
            out.writelines(f"{name(source)} {name(target)}\n" for target in successors)
            edges += len(successors)
            if progress is not None:
                progress(done, pages)
    return EdgesWritten(graph.vertex_count, edges)


def _path(url: Url) -> str:
    return url.path_and_query


def _are_articles_of_one_wiki(run: Run, graph: DiscoveredGraph) -> bool:
    if run.settings.crawl.profile != "wikipedia":
        return False
    origin = ""
    for vertex in graph.vertices():
        origin = origin or vertex.origin
        if not vertex.text.startswith(f"{origin}/"):
            return False
    return True
