"""What GraphML and GEXF have in common: pages as nodes with their columns, links as edges, texts as XML.

The link graph of the pages as GraphML (http://graphml.graphdrawing.org), for Gephi, yEd, igraph, networkx.

The link graph of the pages as GEXF 1.2 (https://gexf.net), the format of Gephi.

Nodes are coloured: relevant pages amber, the stronger the more relevant, others grey.

The link graph of a run as a list of edges, the file that WikiCrawler writes.

    100
    /wiki/Tennis /wiki/Racket
    /wiki/Tennis /wiki/Wimbledon

The first line is the number of vertices, each further line an edge: source, a space, target. No edge stands twice, none
leads back to where it begins. Vertices without edges are only counted. A vertex is written as its URL, and of a wiki
crawled under the wikipedia profile as the path alone, `/wiki/Title`, as in the document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from honeyguide.runs import iso, numbered_records_of
from honeyguide.runs.exports.choice import FACTS, EdgesWritten, chosen_pages, heading_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from honeyguide.model import Url
    from honeyguide.runs import DiscoveredGraph, KeptPages, PageRecord, Run
    from honeyguide.runs.exports.choice import Choice, Progress

# What XML 1.0 has no way to write, not even as a reference: control characters, halves of surrogate pairs, two others.
_UNSAYABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Column:
    """An attribute of nodes."""

    name: str
    kind: str = "string"  # or double, int, boolean, which both formats call by these names

    def value(self, record: PageRecord) -> str | None:
        """As it stands in the file; None where the page has none."""
        match getattr(record, self.name):
            case None:
                return None
            case datetime() as moment:
                return iso(moment)
            case bool(value):
                return "true" if value else "false"
            case value:
                return str(value)


_KINDS: Final = {
    "step": "int",
    "status": "int",
    "body_bytes": "int",
    "words": "int",
    "score": "double",
    "relevance": "double",
    "is_relevant": "boolean",
    "reward": "double",
    "depth": "int",
    "parent_count": "int",
}
COLUMNS: Final = tuple(Column(name, _KINDS.get(name, "string")) for name in FACTS)


def nodes_of(run: Run, pages: KeptPages, progress: Progress | None) -> Iterator[tuple[int, PageRecord]]:
    """The pages with their numbers, with `progress` told of each."""
    total = len(pages)
    for done, node in enumerate(numbered_records_of(run, pages, with_text=False), 1):
        yield node
        if progress is not None:
            progress(done, total)


def xml_text(text: str) -> str:
    """Text for the inside of an element; what XML cannot say becomes U+FFFD."""
    return escape(_UNSAYABLE.sub("\ufffd", text))


def xml_attribute(text: str) -> str:
    """Text with the quotes around it; line breaks and tabs survive as references."""
    return quoteattr(_UNSAYABLE.sub("\ufffd", text))


def write_graphml(run: Run, out: TextIO, choice: Choice, progress: Progress | None = None) -> EdgesWritten:
    """Write the pages as nodes and the links between them as edges, none twice, none from a page to itself."""
    nodes = edges = 0
    with chosen_pages(run, choice) as pages:
        out.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"'
            ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="'
            'http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
            '  <key id="label" for="node" attr.name="label" attr.type="string"/>\n'
        )
        for column in COLUMNS:
            name = column.name
            out.write(f'  <key id="{name}" for="node" attr.name="{name}" attr.type="{column.kind}"/>\n')
        out.write('  <graph edgedefault="directed">\n')
        for number, page in nodes_of(run, pages, progress):
            out.write(f'    <node id="n{number}">\n      <data key="label">{xml_text(heading_of(page))}</data>\n')
            for column in COLUMNS:
                value = column.value(page)
                if value is not None:
                    out.write(f'      <data key="{column.name}">{xml_text(value)}</data>\n')
            out.write("    </node>\n")
            nodes += 1
        for source, target in pages.links():
            out.write(f"    <edge source={xml_attribute(f'n{source}')} target={xml_attribute(f'n{target}')}/>\n")
            edges += 1
        out.write("  </graph>\n</graphml>\n")
    return EdgesWritten(nodes, edges)


_GEXF_KINDS = {"int": "integer"}


def write_gexf(run: Run, out: TextIO, choice: Choice, progress: Progress | None = None) -> EdgesWritten:
    """Write the pages as nodes and the links between them as edges, none twice, none from a page to itself."""
    nodes = edges = 0
    with chosen_pages(run, choice) as pages:
        about = f"{run.settings.topic.name or 'pages'}, crawled with {run.settings.crawl.strategy}"
        out.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz"'
            ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="'
            'http://www.gexf.net/1.2draft http://www.gexf.net/1.2draft/gexf.xsd" version="1.2">\n'
            f"  <meta><creator>Honeyguide</creator><description>{xml_text(about)}</description></meta>\n"
            '  <graph mode="static" defaultedgetype="directed">\n    <attributes class="node" mode="static">\n'
        )
        for number, column in enumerate(COLUMNS):
            kind = _GEXF_KINDS.get(column.kind, column.kind)
            out.write(f'      <attribute id="{number}" title="{column.name}" type="{kind}"/>\n')
        out.write("    </attributes>\n    <nodes>\n")
        for node, page in nodes_of(run, pages, progress):
            out.write(f'      <node id="{node}" label={xml_attribute(heading_of(page))}>\n        <attvalues>\n')
            for number, column in enumerate(COLUMNS):
                value = column.value(page)
                if value is not None:
                    out.write(f'          <attvalue for="{number}" value={xml_attribute(value)}/>\n')
            out.write(f"        </attvalues>\n        {_colour(page)}\n      </node>\n")
            nodes += 1
        out.write("    </nodes>\n    <edges>\n")
        for source, target in pages.links():
            out.write(f'      <edge id="{edges}" source="{source}" target="{target}"/>\n')
            edges += 1
        out.write("    </edges>\n  </graph>\n</gexf>\n")
    return EdgesWritten(nodes, edges)


def _colour(page: PageRecord) -> str:
    strength = 0.4 + 0.6 * min(1.0, max(0.0, page.relevance))
    red, green, blue = (217, 119, 6) if page.is_relevant else (148, 148, 148)
    return f'<viz:color r="{red}" g="{green}" b="{blue}" a="{strength if page.is_relevant else 1.0:.2f}"/>'


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
