"""The link graph of the pages as GraphML (http://graphml.graphdrawing.org) and as GEXF 1.2 (https://gexf.net).

Pages are nodes with their columns, links between them edges. In GEXF, the format of Gephi, relevant pages are amber,
the stronger the more relevant, and others grey.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from honeyguide.runs.exports.rows import (
    SHORT_COLUMNS,
    EdgesWritten,
    ExportFormat,
    chosen_pages,
    field_columns,
    iso_time,
    pages_with_records,
)
from honeyguide.runs.fields import text_of_field

if TYPE_CHECKING:
    from typing import TextIO

    from honeyguide.runs.exports.rows import ExportOptions, OnProgress, PageRecord
    from honeyguide.runs.run import Run

# XML 1.0 has no way to write these, not even as references: control characters, halves of surrogate pairs, two others.
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class NodeColumn:
    """An attribute of nodes."""

    name: str
    kind: str  # string, double, int or boolean
    field: str = ""  # of which it is the column, if of one

    def value(self, record: PageRecord) -> str | None:
        """Return the text for the file; None where the page has no value."""
        match record.fields.get(self.field) if self.field else getattr(record, self.name):
            case None:
                return None
            case tuple() as values:
                return text_of_field(values)
            case datetime() as moment:
                return iso_time(moment)
            case bool(value):
                return "true" if value else "false"
            case value:
                return str(value)


_KINDS: Final = {
    **dict.fromkeys(("step", "status", "body_bytes", "words", "depth", "parent_count"), "int"),
    **dict.fromkeys(("score", "relevance", "crawl_relevance", "reward"), "double"),
    **dict.fromkeys(("is_relevant", "was_relevant"), "boolean"),
}
NODE_COLUMNS: Final = tuple(NodeColumn(name, _KINDS.get(name, "string")) for name in SHORT_COLUMNS)


def _node_columns(run: Run) -> list[NodeColumn]:
    """Return the columns that every page has, then those of the run's fields."""
    kinds = {"number": "double"}
    own = (NodeColumn(each.name, kinds.get(each.kind, "string"), each.field) for each in field_columns(run))
    return [*NODE_COLUMNS, *own]


def xml_text(text: str) -> str:
    """Return text for the inside of an element; what XML cannot write becomes U+FFFD."""
    return escape(_NOT_IN_XML.sub("\ufffd", text))


def xml_attribute(text: str) -> str:
    """Return text with the quotes around it; line breaks and tabs survive as references."""
    return quoteattr(_NOT_IN_XML.sub("\ufffd", text))


def write_graphml(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> EdgesWritten:
    """Write the pages as nodes and the links between them as edges, none twice, none from a page to itself."""
    nodes = edges = 0
    columns = _node_columns(run)
    with chosen_pages(run, options) as pages:
        out.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"'
            ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="'
            'http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
            '  <key id="label" for="node" attr.name="label" attr.type="string"/>\n'
        )
        for column in columns:
            name = column.name
            out.write(f'  <key id="{name}" for="node" attr.name="{name}" attr.type="{column.kind}"/>\n')
        out.write('  <graph edgedefault="directed">\n')
        for crawled, page in pages_with_records(run, pages, on_progress, with_text=False):
            out.write(f'    <node id="n{crawled.link}">\n      <data key="label">{xml_text(page.heading)}</data>\n')
            for column in columns:
                value = column.value(page)
                if value is not None:
                    out.write(f'      <data key="{column.name}">{xml_text(value)}</data>\n')
            out.write("    </node>\n")
            nodes += 1
        for source, target in pages.links():
            out.write(f'    <edge source="n{source}" target="n{target}"/>\n')
            edges += 1
        out.write("  </graph>\n</graphml>\n")
    return EdgesWritten(nodes, edges)


def write_gexf(run: Run, out: TextIO, options: ExportOptions, on_progress: OnProgress) -> EdgesWritten:
    """Write the pages as nodes and the links between them as edges, none twice, none from a page to itself."""
    nodes = edges = 0
    columns = _node_columns(run)
    with chosen_pages(run, options) as pages:
        about = f"{run.settings.topic.name or 'pages'}, crawled with {run.settings.crawl.strategy}"
        out.write(
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz"'
            ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="'
            'http://www.gexf.net/1.2draft http://www.gexf.net/1.2draft/gexf.xsd" version="1.2">\n'
            f"  <meta><creator>Honeyguide</creator><description>{xml_text(about)}</description></meta>\n"
            '  <graph mode="static" defaultedgetype="directed">\n    <attributes class="node" mode="static">\n'
        )
        for number, column in enumerate(columns):
            kind = "integer" if column.kind == "int" else column.kind
            out.write(f'      <attribute id="{number}" title="{column.name}" type="{kind}"/>\n')
        out.write("    </attributes>\n    <nodes>\n")
        for crawled, page in pages_with_records(run, pages, on_progress, with_text=False):
            out.write(f'      <node id="{crawled.link}" label={xml_attribute(page.heading)}>\n        <attvalues>\n')
            for number, column in enumerate(columns):
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


GRAPHML: Final = ExportFormat("graphml", write_graphml)
GEXF: Final = ExportFormat("gexf", write_gexf)
