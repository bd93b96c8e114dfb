"""Files of edges: read, written, and refused with the number of the line."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from honeyguide.errors import GraphError
from honeyguide.runs import LinkGraph
from honeyguide.runs.exports import read_edge_file, write_edge_file
from honeyguide.runs.exports.edges import BLOCK_BYTES
from runs.random_graphs import Edges, edges


def read(path: Path, text: bytes | str) -> LinkGraph:
    path = path / "graph.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_edge_file(path)


def pairs_of(graph: LinkGraph) -> set[tuple[str, str]]:
    sources, targets = graph.edge_arrays()
    return {(graph.names[source], graph.names[target]) for source, target in zip(sources, targets, strict=True)}


class TestReading:
    def test_the_file_of_the_document(self, tmp_path: Path) -> None:
        graph = read(tmp_path, "4\n/wiki/Tennis /wiki/Racket\n/wiki/Tennis /wiki/Ball\n/wiki/Ball /wiki/Tennis\n")
        assert (graph.vertices, graph.edges) == (4, 3)
        assert graph.names == ("/wiki/Tennis", "/wiki/Racket", "/wiki/Ball")  # the fourth is only counted
        assert graph.in_degrees.tolist() == [1, 1, 1, 0]
        assert graph.out_degrees.tolist() == [2, 0, 1, 0]

    @pytest.mark.parametrize("text", ["0\n", "0", "3\n", "3\n\n\n"])
    def test_a_file_without_edges(self, text: str, tmp_path: Path) -> None:
        graph = read(tmp_path, text)
        assert (graph.vertices, graph.edges, graph.names) == (int(text), 0, ())

    @pytest.mark.parametrize(
        "text",
        [
            "3\na b\nb c",
            "3\r\na b\r\nb c\r\n",
            "\ufeff3\na b\nb c\n",
            "3\n\na\tb\n\n  b   c  \n",
            " 3 \na b\nb c\n",
        ],
    )
    def test_blanks_and_line_ends_do_no_harm(self, text: str, tmp_path: Path) -> None:
        assert pairs_of(read(tmp_path, text)) == {("a", "b"), ("b", "c")}

    def test_duplicates_count_once_and_loops_not_at_all(self, tmp_path: Path) -> None:
        graph = read(tmp_path, "3\na b\na b\nb b\nc c\na b\n")
        assert (graph.edges, graph.duplicates, graph.self_loops) == (1, 2, 2)
        assert graph.vertices == 3

    def test_names_may_have_letters_of_any_script(self, tmp_path: Path) -> None:
        assert pairs_of(read(tmp_path, "2\n/wiki/Café /wiki/テニス\n")) == {("/wiki/Café", "/wiki/テニス")}

    def test_a_file_of_many_blocks_is_read_as_one(self, tmp_path: Path) -> None:
        count = 40_000
        lines = [f"/page/{number} /page/{number * 7 % count}\n" for number in range(count)]
        assert sum(map(len, lines)) > 3 * BLOCK_BYTES
        graph = read(tmp_path, f"{count}\n{''.join(lines)}")
        assert pairs_of(graph) == {tuple(line.split()) for line in lines if len(set(line.split())) == 2}

    def test_the_end_of_a_line_may_be_the_end_of_a_block(self, tmp_path: Path) -> None:
        line = f"{'a' * 31} {'b' * 31}\n"  # 64 bytes
        graph = read(tmp_path, "2\n" + line * (2 * BLOCK_BYTES // 64))
        assert (graph.edges, graph.duplicates) == (1, 2 * BLOCK_BYTES // 64 - 1)


class TestRefusing:
    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (b"", "line 1 is '', not the number of vertices"),
            (b"a b\n", "line 1 is 'a b', not the number"),
            (b"-3\na b\n", "line 1 is '-3', not the number"),
            (b"2.5\na b\n", "line 1 is '2.5', not"),
            (b"\xc2\xb2\na b\n", "line 1 is '²', not"),
            (b"1000000000000\na b\n", "line 1 has 1,000,000,000,000 vertices, and at most"),
            (b"9" * 5000, "line 1 is '999"),
            (b"2\na b\nb c\n", "line 3 names 'c', vertex 3, and line 1 says that there are 2"),
            (b"0\na b\n", "line 2 names 'a', vertex 1, and line 1 says that there are 0"),
            (b"3\na b\nc\n", "line 3 is 'c', not an edge"),
            (b"3\na b c\n", "line 2 is 'a b c', not an edge"),
            (b"4\na b c\nd\n", "line 2 is 'a b c', not an edge"),
            (b"4\na\nb c d\n", "line 2 is 'a', not an edge"),
            (b"3\na b\n\nb c d\n", "line 4 is 'b c d', not an edge"),
            (b"3\na b\nb \xff\xfe\n", r"line 3 names '\\\\xff\\\\xfe', which is not UTF-8"),
            (b"3\na b\nb c\x00\n", r"line 3 names 'c\\x00', which has control characters"),
            (b"3\na b\nb c\xc2\x85d\n", "line 3 names .*, which has control characters"),
            (b"3\na b\n" + b"x" * 2**20, "line 3 has more than 65,536 bytes"),
        ],
        ids=lambda value: str(value)[:30],
    )
    def test_what_is_no_edge_is_reported_with_its_line(self, text: bytes, words: str, tmp_path: Path) -> None:
        with pytest.raises(GraphError, match=f"graph.txt: {words}"):
            read(tmp_path, text)

    def test_the_line_is_counted_through_all_blocks(self, tmp_path: Path) -> None:
        lines = BLOCK_BYTES // 2
        with pytest.raises(GraphError, match=f"line {lines + 2:,} is 'a', not an edge"):
            read(tmp_path, "2\n" + "a b\n" * lines + "a\n" + "a b\n" * lines)

    def test_odd_bytes_are_reported_without_being_sent_to_the_terminal(self, tmp_path: Path) -> None:
        with pytest.raises(GraphError) as refused:
            read(tmp_path, b"2\na \x1b[31mred" + b"!" * 5000 + b"\n")
        assert "\x1b" not in str(refused.value)
        assert len(str(refused.value)) < 300


class TestWriting:
    def test_edges_are_written_by_source_and_then_by_target(self) -> None:
        out = io.StringIO()
        write_edge_file(LinkGraph.of(np.array([2, 0, 0]), np.array([0, 2, 1]), 4, ("a", "b", "c")), out)
        assert out.getvalue() == "4\na b\na c\nc a\n"

    @pytest.mark.parametrize("name", ["a b", "a\tb", "", "a\x00", "a\n"])
    def test_a_name_that_the_format_cannot_hold_is_refused(self, name: str) -> None:
        with pytest.raises(GraphError, match="cannot be written"):
            write_edge_file(LinkGraph.of(np.array([0]), np.array([1]), 2, ("x", name)), io.StringIO())

    def test_a_vertex_with_edges_needs_a_name(self) -> None:
        with pytest.raises(GraphError, match="has no name"):
            write_edge_file(LinkGraph.of(np.array([0]), np.array([1]), 2, ("x",)), io.StringIO())

    @settings(deadline=None)  # scipy is loaded when it is first needed
    @example(Edges(np.array([0, 0]), np.array([0, 1]), 3), ["a", "\u2028", "\u00a0"])
    @given(
        edges(),
        st.lists(
            st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters=" "), min_size=1, max_size=5),
            min_size=12,
            max_size=12,
            unique=True,
        ),
    )
    def test_what_is_written_is_read_back(self, given_edges: Edges, names: list[str]) -> None:
        graph = LinkGraph.of(*given_edges, tuple(names[: given_edges.vertices]))
        with TemporaryDirectory() as folder:
            file = Path(folder, "graph.txt")
            with file.open("w", encoding="utf-8", newline="") as out:
                write_edge_file(graph, out)
            back = read_edge_file(file)
        assert (back.vertices, back.edges) == (graph.vertices, graph.edges)
        assert (back.duplicates, back.self_loops) == (0, 0)
        assert pairs_of(back) == pairs_of(graph)
