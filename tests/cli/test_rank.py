"""`honeyguide rank` as a person types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import honeyguide
from honeyguide.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Refusal

EDGES = "5\n/a /b\n/a /c\n/b /c\n/c /a\n/d /c\n/d /d\n/d /c\n"


@pytest.fixture
def edge_file(tmp_path: Path) -> Path:
    file = tmp_path / "graph.txt"
    file.write_text(EDGES, encoding="utf-8")
    return file


def test_a_list_through_a_pipe(edge_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", str(edge_file), "--by", "in", "--top", "2", "--page", "/b", "--overlap"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "# 5 vertices, 5 edges; 2 components, the largest of 4; strong 3, the largest of 3; 1 without links out",
        "# left out: 1 duplicate, 1 self-loop",
        "# /b: 1, place 3; 1 link in, 1 out",
        "# overlap of in and out: 0.333",
        "# rank\tin\turl",
        "1\t3\t/c",
        "2\t1\t/a",
    ]


def test_a_table_on_a_terminal(
    edge_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["rank", str(edge_file), "--epsilon", "0.01"]) == 0
    shown = capsys.readouterr().out
    assert "pagerank after" in shown
    assert shown.index("/c") < shown.index("/d")


def test_json_has_iterations_and_pages_and_nothing_else_is_printed(
    finished_run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rank", str(finished_run), "--top", "3", "--epsilon", "0.001", "--json"]) == 0
    shown = capsys.readouterr()
    document = json.loads(shown.out)
    twin = honeyguide.rank(finished_run, epsilon=0.001)
    assert shown.err == ""
    assert list(document)[:2] == ["iterations", "pages"]
    assert document["iterations"] == twin.iterations > 1
    assert document["pages"] == [{"url": page.url, "value": page.value} for page in twin.top(3)]
    assert (document["by"], document["has_converged"]) == ("pagerank", True)
    assert document["graph"]["vertices"] == twin.graph.vertices
    assert document["graph"]["edges"] == twin.graph.edges
    assert "page" not in document


def test_json_of_one_page_and_of_overlaps(edge_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", str(edge_file), "--by", "out", "--top", "2", "--page", "/a", "--overlap", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["iterations"] == 0
    assert document["page"] == {"url": "/a", "value": 2, "place": 1, "links_in": 1, "links_out": 2}
    assert document["overlaps"] == [{"one": "in", "other": "out", "jaccard": pytest.approx(1 / 3)}]


def test_personal_ranks_of_a_run(finished_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", str(finished_run), "--personal", "relevant", "--top", "1", "--json"]) == 0
    relevant = json.loads(capsys.readouterr().out)["pages"]
    assert main(["rank", str(finished_run), "--top", "1", "--json"]) == 0
    assert relevant != json.loads(capsys.readouterr().out)["pages"]


def test_ranks_that_do_not_settle_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "round.txt"
    file.write_text("3\na b\nb a\nc a\n", encoding="utf-8")
    assert main(["rank", str(file), "--damping", "1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["has_converged"] is False
    assert main(["rank", str(file), "--damping", "1"]) == 0
    assert "1,000 iterations, not yet at --epsilon" in capsys.readouterr().out


def test_a_graph_without_pages_is_no_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "none.txt").write_text("0\n", encoding="utf-8")
    assert main(["rank", str(tmp_path / "none.txt"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["pages"] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2\na b\nb c\n", "line 3 names 'c', vertex 3, and line 1 says that there are 2"),
        ("x\n", "line 1 is 'x', not the number of vertices"),
        ("3\na b\nc\n", "line 3 is 'c', not an edge"),
        ("3\na b\x1b[2J\n", "line 2 names 'b\\x1b[2J', which has control characters"),
    ],
)
def test_a_bad_file_of_edges_is_refused_with_its_line(text: str, words: str, tmp_path: Path, refusal: Refusal) -> None:
    (tmp_path / "graph.txt").write_text(text, encoding="utf-8")
    assert f"graph.txt: {words}" in refusal("rank", "graph.txt")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere",), "nowhere is no run folder, no file of edges and no world"),
        (("finished", "--by", "fame"), "by is 'fame': choose one of pagerank, in, out, hits"),
        (("finished", "--page", "http://x.test/"), "no page http://x.test/ among the"),
        (("finished", "--personal", "http://x.test/"), "no page http://x.test/ among the"),
        (("finished", "--epsilon", "0"), "epsilon is 0.0; give a number above 0"),
        (("finished", "--damping", "1.5"), "damping is 1.5; give a number from 0 to 1"),
        (("finished", "--dangling", "x"), "dangling is 'x': choose one of restart, stay, lost"),
        (("finished", "--top", "0"), "--top"),
        (("live",), "not offline"),
        (("wiki:nowhere",), "nowhere"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    arguments: tuple[str, ...], words: str, finished_run: Path, refusal: Refusal
) -> None:
    assert words in refusal("rank", *arguments)


def test_there_is_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "honeyguide rank my-run --by pagerank" in shown
    assert "--json" in shown
