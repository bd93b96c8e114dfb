"""Runs, files of edges and worlds, opened as graphs and ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import honeyguide
from crawler.driving import HandWired, script_settings
from honeyguide.crawler import open_source
from honeyguide.crawler.world_graph import WorldGraph, explore
from honeyguide.errors import GraphError, RunDamaged, WorldError
from honeyguide.model import Url
from honeyguide.runs.ranking import MEASURES
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from scripted_world import ScriptedWorld, page_with, redirect_to
from worlds.wiki.dumps import HOME, Written, world_of

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.runs import LinkGraph
    from scripted_world import Script

SMALL = "synthetic:seed=3,pages=250,hosts=6"
EDGES = "5\n/a /b\n/a /c\n/b /c\n/c /a\n/d /c\n/d /d\n/d /c\n"


@pytest.fixture
def edge_file(tmp_path: Path) -> Path:
    file = tmp_path / "graph.txt"
    file.write_text(EDGES, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    settings = honeyguide.settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "crawl": {"world": "synthetic:seed=5,pages=1000,hosts=12"},
            "budget": {"fetches": 80},
        }
    )
    path = tmp_path_factory.mktemp("ranking") / "run"
    honeyguide.crawl(path, settings).close()
    return path


def pairs_of(graph: LinkGraph) -> set[tuple[str, str]]:
    sources, targets = graph.edge_arrays()
    return {(graph.names[source], graph.names[target]) for source, target in zip(sources, targets, strict=True)}


class TestSources:
    def test_a_run_and_the_file_that_it_exports_are_one_graph(self, run: Path, tmp_path: Path) -> None:
        honeyguide.export(run, tmp_path / "graph.txt", "edges")
        from_run, from_file = honeyguide.link_graph(run), honeyguide.link_graph(tmp_path / "graph.txt")
        assert from_run.vertices == from_file.vertices > 400
        assert pairs_of(from_run) == pairs_of(from_file)
        one, other = honeyguide.rank(from_run, epsilon=1e-12), honeyguide.rank(from_file, epsilon=1e-12)
        for page in one.top(20):
            assert other.page(page.url).value == pytest.approx(page.value, abs=1e-9)

    def test_an_open_run_has_its_graph(self, run: Path) -> None:
        with honeyguide.open_run(run) as opened:
            graph = opened.graph()
            assert graph.names == tuple(url.text for url in opened.discovered_graph().vertices())
            assert pairs_of(graph) == {
                (source.text, target.text)
                for source, targets in opened.discovered_graph().edges()
                for target in targets
            }
            assert honeyguide.link_graph(opened).edges == graph.edges

    def test_redirects_of_a_run_are_resolved(self, tmp_path: Path) -> None:
        script: Script = {
            "http://s.test/": page_with("/alias", "/page", "/round", "/lost"),
            "http://s.test/alias": redirect_to("http://s.test/page"),
            "http://s.test/page": page_with("/", "/alias"),
            "http://s.test/round": redirect_to("http://s.test/about"),
            "http://s.test/about": redirect_to("http://s.test/round"),
        }
        settings = script_settings("breadth-first", politeness__delay_s=0.0)
        HandWired(tmp_path / "run", ScriptedWorld(script), settings).run()
        graph = honeyguide.link_graph(tmp_path / "run")
        assert [Url(name).path for name in graph.names] == ["/", "/page", "/round", "/lost"]
        assert {(Url(one).path, Url(other).path) for one, other in pairs_of(graph)} == {
            ("/", "/page"), ("/", "/round"), ("/", "/lost"), ("/page", "/"),
        }  # fmt: skip

    def test_a_run_that_has_fetched_nothing_is_a_graph_of_its_seeds(self, tmp_path: Path) -> None:
        HandWired(tmp_path / "run", ScriptedWorld({"http://s.test/": "hello"}), script_settings()).close()
        graph = honeyguide.link_graph(tmp_path / "run")
        assert (graph.vertices, graph.edges) == (1, 0)
        assert honeyguide.rank(graph).top(5) == [(graph.names[0], 1.0)]

    def test_a_wiki_is_known_without_reading_its_pages(self, tmp_path: Path) -> None:
        pages = [
            Written("Rock", "See [[mineral]] and [[stone]]."),
            Written("Stone", "#REDIRECT [[Rock]]", redirect="Rock"),
            Written("Mineral", "Of [[stone]], and [[mineral]]."),
        ]
        world_of(tmp_path, pages).shut()
        for named in (f"wiki:{tmp_path / 'world'}", tmp_path / "world"):
            graph = honeyguide.link_graph(named)
            rock, mineral = f"{HOME}Rock", f"{HOME}Mineral"
            assert pairs_of(graph) == {(rock, mineral), (mineral, rock)}
            assert graph.vertices == 2

    def test_another_world_is_walked_through(self) -> None:
        web = SyntheticWorld(SyntheticSpec.parse(SMALL.partition(":")[2]))
        walked = explore(web, web.entry_urls())
        told: list[tuple[int, int]] = []
        graph = honeyguide.link_graph(SMALL, lambda asked, known: told.append((asked, known)))
        assert graph.vertices == walked.pages > 50
        assert told
        assert set(graph.names) == {
            url for url, is_page in zip(walked.urls, walked.is_page.tolist(), strict=True) if is_page
        }

    def test_redirects_of_a_world_lead_to_their_ends(self) -> None:
        # 0 → 1, 4, 6; 1 → 2 → 3 are redirects to page 3; 4 ↔ 5 go round; 6 leads nowhere; 3 → 1 comes back to itself.
        leads = [[1, 4, 6], [2], [3], [1, 0], [5], [4], []]
        world = WorldGraph(
            urls=tuple(f"http://s.test/{number}" for number in range(7)),
            is_page=np.array([True, False, False, True, False, False, False]),
            starts=np.cumsum([0, *map(len, leads)]),
            targets=np.array([target for some in leads for target in some], dtype=np.int32),
        )
        graph = world.without_redirects()
        assert graph.names == ("http://s.test/0", "http://s.test/3")
        assert pairs_of(graph) == {("http://s.test/0", "http://s.test/3"), ("http://s.test/3", "http://s.test/0")}
        assert graph.self_loops == 1

    def test_what_is_none_of_them_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(GraphError, match="nowhere is no run folder, no file of edges and no world"):
            honeyguide.link_graph(tmp_path / "nowhere")
        with pytest.raises(RunDamaged, match="not a run folder"):
            honeyguide.link_graph(tmp_path)
        with pytest.raises(WorldError, match="not offline"):
            honeyguide.link_graph("live")


class TestRanks:
    def test_counts_by_hand(self, edge_file: Path) -> None:
        assert honeyguide.rank(edge_file, "in").top(2) == [("/c", 3), ("/a", 1)]
        assert honeyguide.rank(edge_file, "out").top(2) == [("/a", 2), ("/b", 1)]

    def test_every_measure_ranks_every_page(self, edge_file: Path) -> None:
        for measure in MEASURES:
            assert len(honeyguide.rank(edge_file, measure).top(10)) == 4  # the fifth has no name

    def test_hits_are_authorities(self, edge_file: Path) -> None:
        by_hits, authorities = honeyguide.rank(edge_file, "hits"), honeyguide.rank(edge_file, "authorities")
        assert by_hits.by == authorities.by == "authorities"
        assert by_hits.top(4) == authorities.top(4)
        assert by_hits.top(1)[0].url == "/c"
        assert honeyguide.rank(edge_file, "hubs").top(1)[0].url == "/a"

    def test_a_smaller_epsilon_takes_more_iterations(self, edge_file: Path) -> None:
        loose, tight = honeyguide.rank(edge_file, epsilon=0.01), honeyguide.rank(edge_file, epsilon=0.005)
        assert 1 < loose.iterations < tight.iterations

    def test_one_page_has_its_place_and_its_links(self, edge_file: Path) -> None:
        ranking = honeyguide.rank(edge_file)
        standing = ranking.page("/c")
        assert standing == ("/c", ranking.top(1)[0].value, 1, 3, 1)
        with pytest.raises(GraphError, match="no page /x"):
            ranking.page("/x")

    def test_a_page_is_found_by_any_spelling_of_its_url(self, run: Path, edge_file: Path) -> None:
        ranking = honeyguide.rank(run)
        url = ranking.top(1)[0].url
        assert ranking.page(url.replace("http://", "HTTP://") + "#part").url == url
        assert honeyguide.rank(edge_file).page("http://w.test/c").url == "/c"

    def test_overlaps_of_three_lists_by_hand(self, edge_file: Path) -> None:
        # The first two by links in are c and a, by links out a and b, by rank c and a.
        assert honeyguide.rank(edge_file).overlaps(2) == (
            ("in", "out", 1 / 3),
            ("in", "pagerank", 1.0),
            ("out", "pagerank", 1 / 3),
        )
        assert honeyguide.rank(edge_file, "in").overlaps(2) == (("in", "out", 1 / 3),)


class TestPersonal:
    def test_walks_restart_at_the_pages_named(self, edge_file: Path) -> None:
        ranking = honeyguide.rank(edge_file, personal=["/b"], epsilon=1e-12)
        assert ranking.page("/d").value == 0.0  # nothing leads there
        assert ranking.page("/b").value > honeyguide.rank(edge_file).page("/b").value
        assert honeyguide.rank(edge_file, personal="/b", epsilon=1e-12).top(4) == ranking.top(4)

    def test_relevant_pages_of_a_run_rise(self, run: Path) -> None:
        plain, personal = honeyguide.rank(run), honeyguide.rank(run, personal="relevant")
        relevant = open_source(run).relevant
        assert relevant
        assert sum(personal.page(url).value for url in relevant) > 2 * sum(plain.page(url).value for url in relevant)
        assert personal.values.sum() == pytest.approx(1.0)

    @pytest.mark.parametrize("count", [0, -1, "x", 1.5])
    def test_a_number_of_pages_that_cannot_be_is_told(self, edge_file: Path, count: Any) -> None:
        ranking = honeyguide.rank(edge_file)
        for ask in (ranking.top, ranking.overlaps):
            with pytest.raises(GraphError, match=f"the number of pages is {count!r}: give a whole number from 1 on"):
                ask(count)

    def test_relevant_needs_pages_that_were_judged_so(self, edge_file: Path, tmp_path: Path) -> None:
        with pytest.raises(GraphError, match="needs a run"):
            honeyguide.rank(edge_file, personal="relevant")
        HandWired(tmp_path / "run", ScriptedWorld({}), script_settings()).close()
        with pytest.raises(GraphError, match="personal is relevant, and no page of this run is"):
            honeyguide.rank(tmp_path / "run", personal=["relevant"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"by": "fame"}, "by is 'fame': choose one of pagerank, in, out"),
        ({"dangling": "drop"}, "dangling is 'drop': choose one of restart, stay, lost"),
        ({"by": "in", "personal": "/a"}, "personal goes with pagerank"),
        ({"personal": "/x"}, "no page /x"),
        ({"epsilon": 0.0}, "epsilon is 0.0"),
        ({"damping": 2.0}, "damping is 2.0"),
    ],
)
def test_what_means_nothing_is_refused(options: dict[str, object], words: str, edge_file: Path) -> None:
    with pytest.raises(GraphError, match=words):
        honeyguide.rank(edge_file, **options)  # type: ignore[arg-type]
