"""One of something is told in the singular, wherever a person reads it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.cli.main import main
from honeyguide.errors import GraphError
from honeyguide.model.counts import count_of
from honeyguide.runs import LinkGraph
from search.small_runs import html, run_of

if TYPE_CHECKING:
    from pathlib import Path

# A number of exactly one before a plural; `1 to 1 of 1` and `1.0 pages/s` are none.
WRONG = re.compile(
    r"(?<![\d.,/])1 (?:new |relevant |other )?"
    r"(?:pages|fetches|links|hosts|domains|edges|vertices|times|examples|iterations|hits|components|articles)\b(?!/)"
)


@pytest.mark.parametrize(
    ("count", "told"), [(0, "0 fetches"), (1, "1 fetch"), (2, "2 fetches"), (1_000, "1,000 fetches")]
)
def test_counts_are_told_as_a_person_says_them(count: int, told: str) -> None:
    assert count_of(count, "fetch", "fetches") == told


def test_an_s_makes_a_plural_where_nothing_else_is_given() -> None:
    assert (count_of(1, "page"), count_of(3, "page")) == ("1 page", "3 pages")


def run_of_one_page(path: Path) -> Path:
    """One page with one link, and nothing left to fetch but that."""
    return run_of(path, {"http://a.test/": html("Rock", "rock rock rock", "/2")}, budget__fetches=1)


@pytest.mark.parametrize("verb", ["results", "stats", "search", "rank", "traps", "diff", "report", "export"])
def test_a_run_of_one_page_is_told_in_the_singular(
    tmp_path: Path, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of_one_page(tmp_path / "run")
    further = {
        "search": ["rock"],
        "diff": [str(run_of_one_page(tmp_path / "other"))],
        "report": ["-o", str(tmp_path / "report.html")],
        "export": ["--format", "graphml", str(tmp_path / "out.graphml")],
    }
    assert main([verb, str(run), *further.get(verb, [])]) == 0
    said = "".join(capsys.readouterr())
    if verb == "report":
        said += (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not WRONG.findall(said)


def test_a_crawl_of_one_page_is_told_in_the_singular(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--world", "synthetic:pages=2000", "--topic", "geology", "--keyword", "rock", "--budget", "1", "-vv"]
    assert main(["crawl", str(tmp_path / "run"), *flags]) == 0
    said = "".join(capsys.readouterr())
    assert "1 fetch: 1 page" in said
    assert not WRONG.findall(said)
    assert main(["resume", str(tmp_path / "run"), "--budget", "+1", "-v"]) == 0
    assert not WRONG.findall("".join(capsys.readouterr()))


def test_a_graph_of_one_vertex_is_told_in_the_singular() -> None:
    with pytest.raises(GraphError, match="of 1 vertex, "):
        LinkGraph.of(np.array([0]), np.array([1]), 1, ())
