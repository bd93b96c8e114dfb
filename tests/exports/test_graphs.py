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
from exports.scripted_runs import crawled, html, odd_run
from honeyguide.exports.graph_pages import xml_attribute, xml_text
from honeyguide.store import open_run
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

    def test_columns_have_types_and_labels_are_titles(self, run: Path, tmp_path: Path, file_format: str) -> None:
        honeyguide.export(run, tmp_path / "graph", file_format)
        nodes = {data["url"]: data for _, data in read(tmp_path / "graph", file_format).nodes(data=True)}
        with open_run(run) as opened:
            pages = {page.url.text: page for page in opened.pages()}
        assert nodes.keys() == pages.keys()
        for url, page in pages.items():
            assert nodes[url]["relevance"] == page.relevance
            assert nodes[url]["is_relevant"] is page.is_relevant
            assert (nodes[url]["depth"], nodes[url]["step"], nodes[url]["words"]) == (page.depth, page.step, page.words)
            assert nodes[url]["label"] == (page.title or url).replace("\x01", "\ufffd")

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

    def test_it_is_the_graph_of_the_edges_format_where_all_was_fetched(self, tmp_path: Path, file_format: str) -> None:
        script = {
            "http://s.test/": html("a", "/1", "/2", "/2"),
            "http://s.test/1": html("b", "/2", "/1"),
            "http://s.test/2": html("c", "/"),
        }
        run = crawled(tmp_path / "run", script)
        honeyguide.export(run, tmp_path / "edges.txt", "edges")
        honeyguide.export(run, tmp_path / "graph", file_format)
        graph = read(tmp_path / "graph", file_format)
        url = {node: data["url"] for node, data in graph.nodes(data=True)}
        _, *lines = (tmp_path / "edges.txt").read_text(encoding="utf-8").splitlines()
        assert sorted(f"{url[source]} {url[target]}" for source, target in graph.edges()) == sorted(lines)


def test_gexf_says_its_version_and_colours_pages(run: Path, tmp_path: Path) -> None:
    honeyguide.export(run, tmp_path / "graph.gexf", "gexf")
    root = ET.parse(tmp_path / "graph.gexf").getroot()
    assert root.attrib["version"] == "1.2"
    assert len(root.findall(".//{http://www.gexf.net/1.2draft/viz}color")) == 3


@given(st.text())
def test_any_text_makes_well_formed_xml_that_says_it(text: str) -> None:
    # A parser reads \r as \n inside an element, as the standard has it; in an attribute a reference keeps it.
    said = re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text)
    element = ET.fromstring(f"<a b={xml_attribute(text)}>{xml_text(text)}</a>")
    assert (element.text or "") == said.replace("\r\n", "\n").replace("\r", "\n")
    assert element.attrib["b"] == said
