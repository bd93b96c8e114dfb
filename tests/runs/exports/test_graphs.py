"""The pages of a run as a graph that other programs open."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import honeyguide
from honeyguide.runs.exports.graph_xml import xml_attribute, xml_text
from runs.exports.scripted_runs import crawled, html, odd_run
from scripted_world import redirect_to

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

needs_networkx = pytest.mark.skipif(find_spec("networkx") is None, reason="networkx is not installed")
FORMATS = ("graphml", "gexf")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return odd_run(tmp_path_factory.mktemp("odd") / "run")


def read(file: Path, file_format: str) -> Any:
    import networkx as nx  # noqa: PLC0415 - only some tests need it

    return nx.read_graphml(file) if file_format == "graphml" else nx.read_gexf(file)


@needs_networkx
@pytest.mark.parametrize("file_format", FORMATS)
class TestReadBack:
    def test_nodes_are_pages_and_edges_the_links_between_them(
        self, run: Path, tmp_path: Path, file_format: str
    ) -> None:
        written = honeyguide.export(run, tmp_path / "graph", file_format)
        graph = read(tmp_path / "graph", file_format)
        url = {node: data["url"] for node, data in graph.nodes(data=True)}
        assert graph.is_directed()
        assert sorted((url[source], url[target]) for source, target in graph.edges()) == [
            ("http://s.test/", "http://s.test/odd"),
            ("http://s.test/", "http://t.test/new"),  # through a redirect
            ("http://s.test/odd", "http://s.test/"),  # and none to itself
            ("http://t.test/new", "http://s.test/"),
            ("http://t.test/new", "http://s.test/odd"),
        ]
        assert str(written) == "3 vertices, 5 edges"

    def test_nodes_say_what_json_lines_say(self, run: Path, tmp_path: Path, file_format: str) -> None:
        honeyguide.export(run, tmp_path / "graph", file_format)
        honeyguide.export(run, tmp_path / "pages.jsonl", "jsonl")
        nodes = {data["url"]: data for _, data in read(tmp_path / "graph", file_format).nodes(data=True)}
        lines = (tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines()
        for page in map(json.loads, lines):
            node = nodes[page["url"]]
            for name, value in page.items():
                if name in ("text", "parents") or value is None:
                    assert name not in node
                else:
                    assert node[name] == (value.replace("\x01", "\ufffd") if isinstance(value, str) else value)
            assert node["label"] == (page["title"] or page["url"]).replace("\x01", "\ufffd")
            assert node["parent_count"] == len(page["parents"])
            assert len(node["simhash"]) == 16

    def test_only_relevant_pages_and_the_links_between_them(self, run: Path, tmp_path: Path, file_format: str) -> None:
        honeyguide.export(run, tmp_path / "graph", file_format, relevant=True)
        graph = read(tmp_path / "graph", file_format)
        assert {data["url"] for _, data in graph.nodes(data=True)} == {"http://s.test/", "http://t.test/new"}
        assert graph.number_of_edges() == 2

    def test_a_link_that_leads_back_through_a_redirect_is_none(self, tmp_path: Path, file_format: str) -> None:
        script: Script = {
            "http://s.test/": html("a", "/back", "/1"),
            "http://s.test/back": redirect_to("http://s.test/"),
            "http://s.test/1": html("b", "/back", "/"),
        }
        written = honeyguide.export(crawled(tmp_path / "run", script), tmp_path / "graph", file_format)
        assert str(written) == "2 vertices, 2 edges"


def test_gexf_says_its_version_and_colours_pages(run: Path, tmp_path: Path) -> None:
    honeyguide.export(run, tmp_path / "graph.gexf", "gexf")
    root = ET.parse(tmp_path / "graph.gexf").getroot()
    assert root.attrib["version"] == "1.2"
    assert len(root.findall(".//{http://www.gexf.net/1.2draft/viz}color")) == 3


AWKWARD: Script = {
    "http://s.test/": html("Start", "/a?x=1&amp;y=%273%27", "/blank"),
    "http://s.test/a?x=1&y=%273%27": html('One & <two> "three" ]]> \x0b four', "/"),
    "http://s.test/blank": html(" \n\t ", "/"),
}
# What Java reads as a value of each type, and with it Gephi.
JAVA = {
    "string": re.compile(".*", re.DOTALL),
    "int": re.compile("-?[0-9]{1,9}"),
    "double": re.compile(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?"),
    "boolean": re.compile("true|false"),
}


class TestAsGephiReadsThem:
    """By the rules of its importers: labels, types, direction and weights where it looks for them."""

    def graphml(self, run: Path, tmp_path: Path) -> tuple[ET.Element, dict[str, str]]:
        honeyguide.export(run, tmp_path / "graph.graphml", "graphml")
        namespace = {"g": "http://graphml.graphdrawing.org/xmlns"}
        root = ET.parse(tmp_path / "graph.graphml").getroot()
        assert root.tag == "{http://graphml.graphdrawing.org/xmlns}graphml"
        return root, namespace

    def gexf(self, run: Path, tmp_path: Path) -> tuple[ET.Element, dict[str, str]]:
        honeyguide.export(run, tmp_path / "graph.gexf", "gexf")
        root = ET.parse(tmp_path / "graph.gexf").getroot()
        assert root.tag == "{http://www.gexf.net/1.2draft}gexf"
        return root, {"g": "http://www.gexf.net/1.2draft"}

    @pytest.fixture(params=["odd", "awkward"])
    def written(self, request: pytest.FixtureRequest, tmp_path: Path) -> Path:
        return odd_run(tmp_path / "run") if request.param == "odd" else crawled(tmp_path / "run", AWKWARD)

    def test_values_of_graphml_are_of_the_types_it_declares(self, written: Path, tmp_path: Path) -> None:
        root, names = self.graphml(written, tmp_path)
        keys = {key.attrib["id"]: key.attrib for key in root.findall("g:key", names)}
        assert {key["for"] for key in keys.values()} == {"node"}
        assert len({key["attr.name"] for key in keys.values()}) == len(keys)
        values = root.findall("g:graph/g:node/g:data", names)
        assert values
        for value in values:
            assert JAVA[keys[value.attrib["key"]]["attr.type"]].fullmatch(value.text or "")

    def test_values_of_gexf_are_of_the_types_it_declares(self, written: Path, tmp_path: Path) -> None:
        root, names = self.gexf(written, tmp_path)
        (declared,) = root.findall("g:graph/g:attributes", names)
        assert declared.attrib["class"] == "node"
        kinds = {each.attrib["id"]: each.attrib["type"] for each in declared}
        values = root.findall("g:graph/g:nodes/g:node/g:attvalues/g:attvalue", names)
        assert values
        for value in values:
            kind = kinds[value.attrib["for"]].replace("integer", "int")
            assert JAVA[kind].fullmatch(value.attrib["value"])

    def test_edges_are_directed_join_nodes_and_weigh_the_same(self, written: Path, tmp_path: Path) -> None:
        """A weight that is not written is 1 to Gephi, and no link counts for more than another."""
        for (root, names), graph, nodes, edges, direction in (
            (self.graphml(written, tmp_path), "g:graph", "g:node", "g:edge", "edgedefault"),
            (self.gexf(written, tmp_path), "g:graph", "g:nodes/g:node", "g:edges/g:edge", "defaultedgetype"),
        ):
            (drawn,) = root.findall(graph, names)
            assert drawn.attrib[direction] == "directed"
            known = [node.attrib["id"] for node in drawn.findall(nodes, names)]
            assert len(set(known)) == len(known)
            found = drawn.findall(edges, names)
            assert found
            for edge in found:
                assert {edge.attrib["source"], edge.attrib["target"]} <= set(known)
                assert not edge.attrib.keys() & {"weight", "type"}
                assert not list(edge)

    def test_labels_stand_where_gephi_looks_and_addresses_survive(self, tmp_path: Path) -> None:
        run = crawled(tmp_path / "run", AWKWARD)
        root, names = self.graphml(run, tmp_path)
        label = next(key for key in root.findall("g:key", names) if key.attrib["attr.name"] == "label")
        labels = f"g:data[@key='{label.attrib['id']}']"
        said = {
            node.findtext("g:data[@key='url']", "", names): node.findtext(labels, "", names)
            for node in root.findall("g:graph/g:node", names)
        }
        expected = {
            "http://s.test/": "Start",
            "http://s.test/a?x=1&y=%273%27": 'One & <two> "three" ]]> four',
            "http://s.test/blank": "http://s.test/blank",
        }
        assert said == expected
        root, names = self.gexf(run, tmp_path)
        (url,) = root.findall("g:graph/g:attributes/g:attribute[@title='url']", names)
        nodes = root.findall("g:graph/g:nodes/g:node", names)
        values = f"g:attvalues/g:attvalue[@for='{url.attrib['id']}']"
        assert {node.findall(values, names)[0].attrib["value"]: node.attrib["label"] for node in nodes} == expected


@given(st.text())
def test_any_text_makes_well_formed_xml_that_says_it(text: str) -> None:
    # A parser reads \r as \n inside an element, as the standard has it; in an attribute a reference keeps it.
    said = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)
    element = ET.fromstring(f"<a b={xml_attribute(text)}>{xml_text(text)}</a>")
    assert (element.text or "") == said.replace("\r\n", "\n").replace("\r", "\n")
    assert element.attrib["b"] == said
