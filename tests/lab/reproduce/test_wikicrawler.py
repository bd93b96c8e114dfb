"""WikiCrawler, reproduced on a small web and a small wiki."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import honeyguide
from honeyguide.errors import WorldError
from honeyguide.runs import Dangling, open_run
from honeyguide.worlds.synthetic import SyntheticSpec, SyntheticWorld
from honeyguide.worlds.wiki import WikiWorld
from honeyguide_lab.reproduce import reproduce
from honeyguide_lab.reproduce.study import StudiedWorld
from honeyguide_lab.reproduce.wikicrawler.graphs import at_least
from honeyguide_lab.reproduce.wikicrawler.published import OVERLAPS, TENNIS, TOPICS
from honeyguide_lab.reproduce.wikicrawler.starts import starts_in
from lab.reproduce.small_wiki import build_small_wiki
from worlds.wiki.dumps import HOME, Written, world_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from honeyguide_lab.reproduce import Reproduced

SPEC = "seed=3,pages=400,hosts=12"


@pytest.fixture(scope="module")
def wiki(shared_folder: Callable[[str], AbstractContextManager[Path]]) -> Path:
    with shared_folder("wiki") as folder:
        return build_small_wiki(folder)


@pytest.fixture(scope="module")
def reproduced(shared_folder: Callable[[str], AbstractContextManager[Path]], wiki: Path) -> Reproduced:
    worlds = (f"synthetic:{SPEC}", f"wiki:{wiki}")
    with shared_folder("wikicrawler") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
        done = reproduce("wikicrawler", folder / "out", worlds=worlds, is_quick=True, jobs=1)
    assert done is not None
    return done


def rows_of(reproduced: Reproduced, table: str) -> list[list[str]]:
    with (reproduced.folder / "tables" / f"{table}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


class TestPublishedLists:
    def test_tennis_has_its_words_and_both_lists_of_ten(self) -> None:
        assert ", ".join(TENNIS.keywords) == (
            "tennis, grand slam, french open, australian open, wimbledon, US open, masters"
        )
        assert len(TENNIS.most_linked_to) == len(TENNIS.most_links) == 10
        assert TENNIS.most_linked_to[0] == "/wiki/Australia"
        assert TENNIS.most_linked_to[9] == "/wiki/Australian_Open"
        assert TENNIS.most_links[4] == "/wiki/List_of_Wimbledon_gentlemen%27s_singles_champions"
        assert TENNIS.most_links[9] == "/wiki/Rafael_Nadal"

    def test_tennis_has_its_lists_by_rank_and_iterations(self) -> None:
        loose, tight = TENNIS.most_ranked[0.01], TENNIS.most_ranked[0.005]
        assert loose[2:4] == ("/wiki/Grand_Slam_(tennis)", "/wiki/Spain") == tight[3:1:-1]  # "are switched"
        assert loose[:2] + loose[4:] == tight[:2] + tight[4:]
        assert len(loose) == 10
        assert TENNIS.iterations == {0.01: 6, 0.005: 8}

    def test_the_other_topics_have_their_words_and_no_list_by_degree(self) -> None:
        _, pop, physics = TOPICS
        assert (pop.seed_title, len(pop.keywords)) == ("Pop music", 10)
        assert (physics.seed_title, len(physics.keywords)) == ("Physics", 8)
        assert not pop.most_linked_to
        assert not physics.most_links
        assert [(each.iterations, len(each.most_ranked[0.01])) for each in (pop, physics)] == [
            ({0.01: 7}, 10),
            ({0.01: 6}, 10),
        ]
        assert list(OVERLAPS.values()) == [0.389, 0.724, 0.307]


class TestStarts:
    def test_a_wiki_begins_at_the_seed_or_the_nearest_article_it_has(self, wiki: Path) -> None:
        starts = starts_in(StudiedWorld(1, f"wiki:{wiki}"))
        assert [(start.topic, start.seed_url.text, start.stands_for) for start in starts.found] == [
            ("tennis", f"{HOME}Andre_Agassi", "Tennis"),
            ("physics", f"{HOME}Physics", ""),
        ]
        assert starts.found[0].keywords == TENNIS.keywords
        assert len(starts.left_out) == 1
        assert starts.left_out[0].startswith("pop music on ")

    def test_a_seed_that_is_a_redirect_is_the_article_it_leads_to(self, tmp_path: Path) -> None:
        pages = [
            Written("Tennis", "#REDIRECT [[Lawn tennis]]", redirect="Lawn tennis"),
            Written("Lawn tennis", "On [[grass]]."),
            Written("Grass", "Green; see [[lawn tennis]]."),
            Written("Andre Agassi", "Likes [[grass]]."),
        ]
        world_of(tmp_path, pages).shut()
        (start,) = starts_in(StudiedWorld(1, f"wiki:{tmp_path / 'world'}")).found
        assert (start.seed_url.text, start.stands_for) == (f"{HOME}Lawn_tennis", "")

    def test_an_article_without_links_is_no_start(self, tmp_path: Path) -> None:
        pages = [Written("Tennis", "No links here."), Written("Andre Agassi", "Plays [[tennis]].")]
        world_of(tmp_path, pages).shut()
        (start,) = starts_in(StudiedWorld(1, f"wiki:{tmp_path / 'world'}")).found
        assert (start.seed_url.text, start.stands_for) == (f"{HOME}Andre_Agassi", "Tennis")

    def test_a_synthetic_web_begins_at_pages_of_its_first_topics(self) -> None:
        web = SyntheticWorld(SyntheticSpec.parse(SPEC))
        starts = starts_in(StudiedWorld(1, f"synthetic:{SPEC}"))
        assert [start.topic for start in starts.found] == list(web.topic_names[:3])
        for start in starts.found:
            assert web.topic_of(start.seed_url) == start.topic
            assert start.keywords == web.keywords_for(start.topic)

    def test_other_worlds_have_none(self, tmp_path: Path) -> None:
        (tmp_path / "index.html").write_text("<p>hello")
        with pytest.raises(WorldError, match="no topics"):
            starts_in(StudiedWorld(1, f"site:{tmp_path}@http://a.test/"))


class TestDegrees:
    def test_so_many_links_or_more_by_hand(self) -> None:
        assert at_least((0, 3, 1, 3)) == ((0, 4), (1, 3), (3, 2))
        assert at_least(()) == ()

    @given(st.lists(st.integers(0, 20)))
    def test_so_many_links_or_more_is_what_counting_gives(self, links: list[int]) -> None:
        points = at_least(links)
        assert [number for number, _ in points] == sorted(set(links))
        for number, vertices in points:
            assert vertices == sum(each >= number for each in links)


@pytest.mark.thorough
class TestReport:
    def test_a_graph_is_made_of_the_links_that_the_wiki_has(self, reproduced: Reproduced, wiki: Path) -> None:
        first, *edges = (reproduced.folder / "graphs" / "2-wiki-wiki-tennis.txt").read_text().splitlines()
        assert first == "30"
        with open_run(reproduced.folder / "runs" / "2-wiki-wiki" / "tennis-30" / "run") as run:
            met = set(run.discovered_graph().vertices())
        assert len(met) == 30
        with WikiWorld(wiki) as world:
            expected = {
                f"{source.path_and_query} {target.path_and_query}"
                for source in met
                for target in world.links_of(source)
                if target in met
            }
        assert len(edges) == len(set(edges))
        assert set(edges) == expected

    def test_lists_count_the_edges_of_the_file(self, reproduced: Reproduced) -> None:
        _, *edges = (reproduced.folder / "graphs" / "2-wiki-wiki-tennis.txt").read_text().splitlines()
        into = Counter(edge.split()[1] for edge in edges)
        out = Counter(edge.split()[0] for edge in edges)
        titles, *rows = rows_of(reproduced, "top-2-wiki-wiki-tennis")
        assert titles == ["rank", "most linked to", "links in", "published", "most links", "links out", "published"]
        assert [row[0] for row in rows] == [str(rank) for rank in range(1, 11)]
        assert rows[0][1:3] == ["/wiki/France", str(max(into.values()))]
        for row in rows:
            assert (int(row[2]), int(row[5])) == (into[row[1]], out[row[4]])
        assert [row[3] for row in rows] == list(TENNIS.most_linked_to)
        assert [row[6] for row in rows] == list(TENNIS.most_links)

    def test_a_topic_without_published_lists_has_ours_alone(self, reproduced: Reproduced) -> None:
        for name in ("top-2-wiki-wiki-physics", "top-1-synthetic-geology"):
            titles = rows_of(reproduced, name)[0]
            assert titles == ["rank", "most linked to", "links in", "most links", "links out"]

    def test_the_overview_has_a_row_for_each_graph(self, reproduced: Reproduced) -> None:
        titles, *rows = rows_of(reproduced, "graphs")
        by_topic = {row[1]: dict(zip(titles, row, strict=True)) for row in rows}
        assert list(by_topic)[3:] == ["tennis", "physics"]
        tennis = by_topic["tennis"]
        assert (tennis["seed"], tennis["vertices"], tennis["published vertices"]) == ("/wiki/Andre_Agassi", "30", "")
        assert by_topic["physics"]["published vertices"] == "100"  # Table 3
        ours = {row[1] for row in rows_of(reproduced, "top-2-wiki-wiki-tennis")[1:]}
        assert int(tennis["in both, in"]) == len(ours & set(TENNIS.most_linked_to)) >= 2  # France and Spain
        assert by_topic["geology"]["published vertices"] == ""

    def test_a_misprint_counts_as_the_vertex_it_stands_for(self, tmp_path: Path) -> None:
        links = "[[Australia]], [[France]] and [[Spain]]"
        pages = [
            Written("Tennis", f"Played in {links}."),
            *(Written(each, f"[[Tennis]] is played in {links}.") for each in ("Australia", "France", "Spain")),
        ]
        world_of(tmp_path, pages).shut()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
            worlds = (f"wiki:{tmp_path / 'world'}",)
            done = reproduce("wikicrawler", tmp_path / "out", worlds=worlds, is_quick=True, jobs=1)
        assert done is not None
        titles, *rows = rows_of(done, "graphs")
        (tennis,) = (row for row in rows if row[1] == "tennis")
        assert dict(zip(titles, tennis, strict=True))["in both, in"] == "4"

    def test_lists_by_rank_are_those_of_the_file_of_edges(self, reproduced: Reproduced) -> None:
        file = reproduced.folder / "graphs" / "2-wiki-wiki-tennis.txt"
        titles, *rows = rows_of(reproduced, "ranks-2-wiki-wiki-tennis")
        assert titles == [
            "rank", "page rank, epsilon 0.01", "value", "published", "page rank, epsilon 0.005", "value", "published",
        ]  # fmt: skip
        for epsilon, at in ((0.01, 1), (0.005, 4)):
            ranking = honeyguide.rank(file, epsilon=epsilon)
            assert [float(row[at + 1]) for row in rows] == pytest.approx(
                [ranking.page(row[at]).value for row in rows], abs=1e-5
            )
            assert [float(row[at + 1]) for row in rows] == pytest.approx(
                [page.value for page in ranking.top(10)], abs=1e-5
            )
            assert [row[at + 2] for row in rows] == list(TENNIS.most_ranked[epsilon])

    def test_a_topic_has_a_published_list_by_rank_for_the_first_epsilon_only(self, reproduced: Reproduced) -> None:
        ranked = [
            "rank", "page rank, epsilon 0.01", "value", "published", "page rank, epsilon 0.005", "value",
        ]  # fmt: skip
        assert rows_of(reproduced, "ranks-2-wiki-wiki-physics")[0] == ranked
        ranked.remove("published")
        assert rows_of(reproduced, "ranks-1-synthetic-geology")[0] == ranked

    def test_iterations_are_told_for_each_epsilon_and_rule(self, reproduced: Reproduced) -> None:
        titles, *rows = rows_of(reproduced, "iterations")
        assert titles[4:] == ["epsilon", "rank restart", "rank stay", "rank lost", "published"]
        file = reproduced.folder / "graphs" / "2-wiki-wiki-tennis.txt"
        loose, tight = (row for row in rows if row[1] == "tennis")
        for row, epsilon in ((loose, 0.01), (tight, 0.005)):
            taken = [honeyguide.rank(file, epsilon=epsilon, dangling=rule).iterations for rule in Dangling]
            assert row[4:8] == [str(epsilon), *map(str, taken)]
        assert (loose[8], tight[8]) == ("6", "8")
        assert [row[8] for row in rows if row[1] == "physics"] == ["6", ""]
        assert {row[8] for row in rows if row[1] == "geology"} == {""}

    def test_the_lists_of_a_hundred_are_compared_on_a_larger_graph(self, reproduced: Reproduced) -> None:
        titles, *rows = rows_of(reproduced, "overlaps")
        assert titles[2:8] == ["vertices", "edges", "epsilon", "A and B", "A and C", "B and C"]
        web, same_web, wiki, _ = rows
        assert (web[4], same_web[4]) == ("0.01", "0.005")
        assert 100 < int(web[2]) <= 150
        assert web[8:] == ["", "", ""]
        assert wiki[8:] == ["0.389", "0.724", "0.307"]
        ranking = honeyguide.rank(reproduced.folder / "runs" / "1-synthetic" / "geology-150" / "run", epsilon=0.01)
        assert [float(cell) for cell in web[5:8]] == [overlap.jaccard for overlap in ranking.overlaps(100)]
        assert 0 < float(web[5]) < float(web[6]) < 1

    def test_crawls_are_those_of_the_document(self, reproduced: Reproduced) -> None:
        web, wiki = reproduced.document["worlds"]
        for crawl in (*web["crawls"], *wiki["crawls"]):
            assert crawl["settings"]["crawl.strategy"] == "weighted-breadth-first"
            assert crawl["settings"]["scope.max_pages"] in (30, 150)
        assert {crawl["settings"]["crawl.profile"] for crawl in wiki["crawls"]} == {"wikipedia"}
        assert not any("crawl.profile" in crawl["settings"] for crawl in web["crawls"])
        assert wiki["crawls"][0]["settings"]["topic.keywords"] == list(TENNIS.keywords)

    def test_what_could_not_be_done_is_said(self, reproduced: Reproduced) -> None:
        (left_out,) = reproduced.document["left_out"]
        assert left_out.startswith("pop music on ")
        assert "/wiki/Andre_Agassi for Tennis" in reproduced.text
        assert "for Physics" not in reproduced.text

    def test_plots_show_how_links_are_spread_in_each_world(self, reproduced: Reproduced) -> None:
        document = json.loads((reproduced.folder / "report.json").read_text())
        figures = [name for section in document["sections"] for name in section["figures"]]
        assert figures == [
            "links-in-1-synthetic",
            "links-out-1-synthetic",
            "links-in-2-wiki-wiki",
            "links-out-2-wiki-wiki",
        ]
