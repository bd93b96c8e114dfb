"""The link graph of the pages as GraphML (http://graphml.graphdrawing.org), for Gephi, yEd, igraph, networkx."""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.exports.choice import chosen_pages, heading_of
from honeyguide.exports.graph_pages import COLUMNS, nodes_of, xml_attribute, xml_text
from honeyguide.exports.written import EdgesWritten

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.exports.choice import Choice
    from honeyguide.exports.written import Progress
    from honeyguide.store import Run


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
