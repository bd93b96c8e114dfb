"""The link graph of the pages as GEXF 1.2 (https://gexf.net), the format of Gephi.

Nodes are coloured: relevant pages amber, the stronger the more relevant, others grey.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from honeyguide.exports.choice import chosen_pages, heading_of
from honeyguide.exports.graph_pages import COLUMNS, nodes_of, xml_attribute, xml_text
from honeyguide.exports.written import EdgesWritten

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.exports.choice import Choice
    from honeyguide.exports.written import Progress
    from honeyguide.reading import PageRecord
    from honeyguide.store import Run

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
