"""The graph over the pages a run discovered: redirects resolved, nothing twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.driving import HandWired, script_settings
from honeyguide.model import Failed, FailureReason, RefusalReason, Refused
from honeyguide.runs import open_run
from honeyguide.runs.discovered_graph import ends_of
from scripted_world import ScriptedWorld, page_with, redirect_to

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

SEED = "http://s.test/"


def graph_of(path: Path, script: Script, **overrides: object) -> tuple[int, list[str], list[tuple[str, list[str]]]]:
    """Crawl a script to its end; how many vertices there are, which, and their successors, by path."""
    HandWired(path, ScriptedWorld(script), script_settings("breadth-first", politeness__delay_s=0.0, **overrides)).run()
    with open_run(path) as run:
        graph = run.discovered_graph()
        edges = [(source.path, [target.path for target in targets]) for source, targets in graph.edges()]
        return graph.vertex_count, [url.path for url in graph.vertices()], edges


def at(path: str) -> str:
    return f"http://s.test{path}"


def test_links_among_pages_in_order_of_discovery_pages_without_any_left_out(tmp_path: Path) -> None:
    script: Script = {SEED: page_with("/b", "/a"), at("/a"): page_with("/b", "/", "/c", "/b"), at("/b"): "no links"}
    assert graph_of(tmp_path / "run", script) == (
        4,
        ["/", "/b", "/a", "/c"],
        [("/", ["/b", "/a"]), ("/a", ["/", "/b", "/c"])],
    )


def test_a_page_alone_is_a_vertex_and_no_edges(tmp_path: Path) -> None:
    assert graph_of(tmp_path / "run", {SEED: page_with("/")}) == (1, ["/"], [])


def test_failed_pages_and_pages_never_fetched_are_vertices(tmp_path: Path) -> None:
    broken = Failed(FailureReason.TIMEOUT, "slow")
    script: Script = {SEED: page_with("/broken", "/waits"), at("/broken"): broken}
    count, _, edges = graph_of(tmp_path / "run", script, budget__fetches=2)
    assert (count, edges) == (3, [("/", ["/broken", "/waits"])])


def test_a_redirect_is_no_page_and_its_end_stands_for_it(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with("/alias", "/page", "/chain"),
        at("/alias"): redirect_to(at("/page")),
        at("/chain"): redirect_to(at("/alias")),
        at("/page"): page_with("/chain", "/", "/last"),
        at("/last"): redirect_to(at("/new")),
        at("/new"): page_with("/alias"),
    }
    count, vertices, edges = graph_of(tmp_path / "run", script)
    # Three links of the seed are one edge, and the link of the page to its own alias is none.
    assert (count, sorted(vertices)) == (3, ["/", "/new", "/page"])
    assert sorted(edges) == [("/", ["/page"]), ("/new", ["/page"]), ("/page", ["/", "/new"])]


def test_redirects_in_a_circle_are_one_vertex(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with("/one", "/two", "/self"),
        at("/one"): redirect_to(at("/two")),
        at("/two"): redirect_to(at("/one")),
        at("/self"): redirect_to(at("/self")),
    }
    assert graph_of(tmp_path / "run", script) == (3, ["/", "/one", "/self"], [("/", ["/one", "/self"])])


def test_a_redirect_that_is_not_followed_to_its_end_is_a_vertex_where_it_stops(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with("/one"),
        at("/one"): redirect_to(at("/two")),
        at("/two"): redirect_to(at("/three")),
    }
    count, vertices, edges = graph_of(tmp_path / "run", script, fetch__max_redirects=1)
    assert (count, vertices, edges) == (2, ["/", "/two"], [("/", ["/two"])])


def test_what_robots_txt_forbids_is_no_vertex_and_other_refusals_are(tmp_path: Path) -> None:
    script: Script = {
        SEED: page_with("/forbidden", "/alias", "/private"),
        at("/forbidden"): Refused(RefusalReason.ROBOTS, "Disallow: /forbidden"),
        at("/alias"): redirect_to(at("/forbidden")),
        at("/private"): Refused(RefusalReason.ADDRESS, "10.0.0.1"),
    }
    assert graph_of(tmp_path / "run", script) == (2, ["/", "/private"], [("/", ["/private"])])


@given(st.dictionaries(st.integers(0, 12), st.integers(0, 12)))
def test_following_hops_one_by_one_comes_to_the_same_end(hops: dict[int, int]) -> None:
    ends = ends_of(hops)
    assert ends.keys() == hops.keys()
    for start, end in ends.items():
        way = [start]
        while way[-1] in hops and way.count(way[-1]) < 2:
            way.append(hops[way[-1]])
        circle = way[way.index(way[-1]) : -1]
        assert end == (min(circle) if circle else way[-1])


def test_what_is_read_at_one_moment_does_not_see_what_a_crawl_writes_meanwhile(tmp_path: Path) -> None:
    script: Script = {SEED: page_with("/a"), at("/a"): page_with("/b"), at("/b"): "end"}
    crawling = HandWired(tmp_path / "run", ScriptedWorld(script), script_settings())
    crawling.follow(SEED)
    with open_run(tmp_path / "run") as run:
        with run.at_one_moment():
            before = run.discovered_graph().vertex_count
            crawling.follow(at("/a"), now=10.0)
            assert [len(targets) for _, targets in run.discovered_graph().edges()] == [1]
            assert run.discovered_graph().vertex_count == before == 2
        assert run.discovered_graph().vertex_count == 3
        with pytest.raises(RuntimeError, match="mine"), run.at_one_moment():
            raise RuntimeError("mine")
        with run.at_one_moment():
            assert run.progress.steps == 2
    crawling.close()
