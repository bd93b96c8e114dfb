"""Lim 2016, reproduced on a small web and a small wiki."""

from __future__ import annotations

import csv
import json
import re
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.judge import RakeJudge
from honeyguide.learn.parse_or_skip_model import STATES
from honeyguide.model import Topic
from honeyguide.runs import open_run
from honeyguide.settings import Settings
from honeyguide_lab.crawl_task import shared_vectors
from honeyguide_lab.reproduce import lim2016, reproduce
from honeyguide_lab.reproduce.lim2016.exploration import Explored
from honeyguide_lab.reproduce.lim2016.published import (
    BETWEEN,
    EXPLORATION,
    SEARCH_WORDS,
    SIMILAR_FROM,
    SIMILARITIES,
)
from honeyguide_lab.reproduce.lim2016.similarity import similarity_document, tuples_table
from honeyguide_lab.reproduce.study import StudiedWorld
from lab.reproduce.small_wiki import build_small_wiki
from pages import page_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from honeyguide_lab.reproduce import Reproduced

WEB = "synthetic:seed=3,pages=400,hosts=12"
FEW_HOSTS = "synthetic:seed=3,pages=200,hosts=4"


@pytest.fixture(scope="module")
def reproduced(shared_folder: Callable[[str], AbstractContextManager[Path]]) -> Reproduced:
    with shared_folder("lim2016") as folder, pytest.MonkeyPatch.context() as patch:
        worlds = (WEB, f"wiki:{build_small_wiki(folder)}")
        patch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
        done = reproduce("lim2016", folder / "out", worlds=worlds, is_quick=True, jobs=1)
    assert done is not None
    return done


def rows_of(reproduced: Reproduced, table: str) -> list[dict[str, str]]:
    with (reproduced.folder / "tables" / f"{table}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


class TestPublishedFigures:
    """As printed in 7.3.1 to 7.3.3."""

    def test_queue_and_stack(self) -> None:
        printed = """
            5    1205 5   65.640972     923 5   47.394564
            50   9522 50  535.173888   6096 50  411.113517
            500 68615 500 4459.348122 26864 500 1881.018762
        """
        for line in printed.strip().splitlines():
            iterations, size, visited, seconds, *stack = line.split()
            queue_row = EXPLORATION["breadth-first"][int(iterations)]
            stack_row = EXPLORATION["modified-depth-first"][int(iterations)]
            assert (queue_row.size, queue_row.visited, queue_row.seconds) == (int(size), int(visited), float(seconds))
            assert (stack_row.size, stack_row.visited, stack_row.seconds) == (
                int(stack[0]),
                int(stack[1]),
                float(stack[2]),
            )

    def test_the_sample_of_similarities_is_above_his_threshold(self) -> None:
        assert {(keyword, search): score for keyword, search, score in SIMILARITIES} == {
            ("free travel guide", "travel"): 0.701035129669,
            ("free textbooks", "used textbooks"): 0.777232581809,
            ("free silver", "free"): 0.674772488876,
            ("car crash", "car"): 0.75632134745,
            ("classical music", "music"): 0.866416812575,
        }
        assert all(score >= SIMILAR_FROM for _, _, score in SIMILARITIES)
        assert BETWEEN == (0.6, 0.8)

    def test_search_words_differ_and_include_those_of_his_sample(self) -> None:
        assert len(set(SEARCH_WORDS)) == len(SEARCH_WORDS) >= 40
        assert {search for _, search, _ in SIMILARITIES} <= set(SEARCH_WORDS)


@pytest.mark.thorough
class TestExploration:
    def test_every_strategy_has_a_row_at_each_number_of_iterations(self, reproduced: Reproduced) -> None:
        rows = rows_of(reproduced, "exploration-1-synthetic")
        strategies = ["breadth-first", "modified-depth-first", "depth-first", "iterative-deepening", "beam"]
        assert [(row["iterations"], row["strategy"]) for row in rows] == list(product(("5", "50"), strategies))

    def test_published_figures_stand_beside_ours_and_nowhere_else(self, reproduced: Reproduced) -> None:
        rows = {(row["iterations"], row["strategy"]): row for row in rows_of(reproduced, "exploration-1-synthetic")}
        assert rows["50", "breadth-first"]["published size"] == "9522"
        assert rows["50", "breadth-first"]["published s"] == "535.173888"
        assert rows["5", "modified-depth-first"]["published size"] == "923"
        assert rows["5", "modified-depth-first"]["published visited"] == "5"
        assert rows["50", "depth-first"]["published size"] == ""

    def test_sizes_are_those_of_the_runs(self, reproduced: Reproduced) -> None:
        for row in rows_of(reproduced, "exploration-1-synthetic")[-5:]:
            with open_run(reproduced.folder / "runs" / "1-synthetic" / row["strategy"] / "run") as run:
                progress, steps = run.progress, list(run.steps())
            assert int(row["size"]) == progress.waiting
            assert int(row["largest size"]) == progress.largest_waiting
            assert int(row["fetches"]) == len(steps) == 50
            assert int(row["pages"]) == progress.pages
            assert int(row["hosts"]) == len({step.url.host for step in steps})
            assert float(row["simulated s"]) == pytest.approx(progress.now, abs=1e-4)
            assert float(row["real s"]) > 0
        assert "one measurement" in reproduced.text

    def test_with_repeats_a_queue_has_every_link_as_often_as_it_was_shown(self, reproduced: Reproduced) -> None:
        row = next(row for row in rows_of(reproduced, "exploration-1-synthetic") if row["iterations"] == "5")
        with open_run(reproduced.folder / "runs" / "1-synthetic" / "breadth-first" / "run") as run:
            first = {page.url for page in run.pages(limit=5)}
            assert {page.step for page in run.pages(limit=5)} == {1, 2, 3, 4, 5}
            shown = sum(source in first for source, _ in run.edges())
            assert int(row["with repeats"]) == run.progress.seeds + shown - 5
        assert int(row["with repeats"]) >= int(row["size"])

    def test_iterative_deepening_fetches_in_the_order_of_breadth_first(self, reproduced: Reproduced) -> None:
        rows = rows_of(reproduced, "exploration-1-synthetic")
        by_strategy = {row["strategy"]: row for row in rows if row["iterations"] == "50"}
        assert by_strategy["breadth-first"]["size"] == by_strategy["iterative-deepening"]["size"]

    def test_nothing_but_the_strategy_differs_between_the_crawls_of_a_world(self, reproduced: Reproduced) -> None:
        for world in reproduced.document["worlds"]:
            settings = [dict(crawl["settings"]) for crawl in world["crawls"]]
            assert len({each.pop("crawl.strategy", Settings().crawl.strategy) for each in settings}) == 5
            assert all(each == settings[0] for each in settings)
            assert settings[0]["judge.kind"] == "rake"
            assert (settings[0]["crawl.concurrency"], settings[0]["politeness.delay_s"]) == (1, 0.0)

    def test_modified_depth_first_runs_out_of_links_on_one_host_and_the_report_says_so(
        self, reproduced: Reproduced
    ) -> None:
        rows = rows_of(reproduced, "exploration-2-wiki-wiki")
        row = next(row for row in rows if (row["iterations"], row["strategy"]) == ("50", "modified-depth-first"))
        assert row["size"] == "0"
        fetches = int(row["fetches"])
        assert fetches < 50
        assert f"modified-depth-first **runs out of links**: after {fetches} fetches" in reproduced.text
        assert "a single host" in reproduced.text

    def test_on_several_hosts_too_it_runs_out_by_its_own_rule(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
        done = reproduce("lim2016", tmp_path / "out", worlds=(FEW_HOSTS,), is_quick=True, jobs=1)
        assert done is not None
        rows = {row["strategy"]: row for row in rows_of(done, "exploration-1-synthetic") if row["iterations"] == "50"}
        stack = rows["modified-depth-first"]
        assert int(stack["hosts"]) > 1
        assert int(stack["fetches"]) < int(rows["breadth-first"]["fetches"])
        (remark,) = re.findall("modified-depth-first \\*\\*runs out.*", done.text)
        with open_run(done.folder / "runs" / "1-synthetic" / "modified-depth-first" / "run") as run:
            assert (
                f"links of {run.progress.pages_not_followed} of {run.progress.pages} pages were not followed" in remark
            )
        assert "all that can be reached" not in remark

    def test_a_search_that_took_every_link_is_exhausted_and_does_not_run_out(self, reproduced: Reproduced) -> None:
        with open_run(reproduced.folder / "runs" / "2-wiki-wiki" / "breadth-first" / "run") as run:
            assert (run.progress.waiting, run.progress.pages_not_followed) == (0, 0)
            fetches = run.progress.fetches
        assert f"breadth-first is **exhausted**: after {fetches} fetches" in reproduced.text
        assert "breadth-first **runs out of links**" not in reproduced.text

    def test_ratios_compare_the_stack_with_the_queue(self, reproduced: Reproduced) -> None:
        rows = {(row["iterations"], row["world"]): row for row in rows_of(reproduced, "exploration-ratios")}
        assert list(rows["500", "published"])[2:] == ["modified, size", "depth-first, size", "modified, time"]
        assert float(rows["500", "published"]["modified, size"]) == pytest.approx(26864 / 68615)
        assert float(rows["500", "published"]["modified, time"]) == pytest.approx(1881.018762 / 4459.348122)
        sizes = {
            row["strategy"]: int(row["size"])
            for row in rows_of(reproduced, "exploration-1-synthetic")
            if row["iterations"] == "50"
        }
        ours = rows["50", WEB]
        assert float(ours["modified, size"]) == pytest.approx(sizes["modified-depth-first"] / sizes["breadth-first"])
        assert float(ours["depth-first, size"]) == pytest.approx(sizes["depth-first"] / sizes["breadth-first"])
        (wiki,) = (row for key, row in rows.items() if key[0] == "50" and key[1].startswith("wiki:"))
        assert wiki["modified, size"] == wiki["modified, time"] == "", "a crawl that ran out has not done the same work"

    def test_plots_have_a_line_for_each_strategy(self, reproduced: Reproduced) -> None:
        figures = [name for section in reproduced.document["sections"] for name in section["figures"]]
        assert figures == ["frontier-1-synthetic", "frontier-2-wiki-wiki"]


class TestPolicy:
    def test_all_sixteen_states_are_there_under_all_three_settings(self, reproduced: Reproduced) -> None:
        rows = rows_of(reproduced, "policy")
        assert len(rows) == 16
        assert {tuple(row.values())[:4] for row in rows} == set(product(("False", "True"), repeat=4))
        for row in rows:
            assert list(row.values())[4:8] == ["skip"] * 4
            assert float(row["skipping worth more by"]) > 0

    def test_the_policies_are_also_in_the_shape_that_lim_prints(self, reproduced: Reproduced) -> None:
        policies = json.loads((reproduced.folder / "policy.json").read_text())
        assert list(policies) == ["published", "larger penalty for skipping", "discount 1"]
        for each in policies.values():
            assert len(each) == 16
            assert each["(False, True, True, False)"] is False

    def test_a_model_that_parses_would_show(self, monkeypatch: pytest.MonkeyPatch) -> None:
        always = {"published": dict.fromkeys(STATES, True)}
        monkeypatch.setattr(lim2016, "published_policies", lambda seed: always)
        section, documents = lim2016.policy_section(0)
        assert section.tables[0].rows[0][5] == "parse"
        assert "published: 16 of 16" in section.text[1]
        assert all(documents["policy"]["published"].values())


class TestSimilarity:
    def test_the_file_lists_keywords_near_search_words_by_page(self, reproduced: Reproduced) -> None:
        document: list[Any] = json.loads((reproduced.folder / "similarity-2-wiki-wiki.json").read_text())
        with open_run(reproduced.folder / "runs" / "2-wiki-wiki" / "breadth-first" / "run") as run:
            assert [url for url, _ in document] == [page.url.text for page in run.pages(limit=5)]
        scores = [score for _, keywords in document for near in keywords.values() for score in near.values()]
        assert scores
        assert all(SIMILAR_FROM <= score <= 1 for score in scores)
        searches = {search for _, keywords in document for near in keywords.values() for search in near}
        assert searches <= set(SEARCH_WORDS)

    def test_a_page_by_hand(self) -> None:
        page = page_of("Music! The car. Of zymurgy; and classical music.")
        vectors = shared_vectors(Settings().vectors)
        ((url, near_by_keyword),) = similarity_document([page], vectors)
        assert url == page.url.text
        assert near_by_keyword["music"]["music"] == 1.0
        assert near_by_keyword["car"] == {"car": 1.0}
        assert "zymurgy" not in near_by_keyword
        judge = RakeJudge(Topic("", ("music",)), vectors)
        expected = {match.keyword: match.score for match in judge.matches(page)}
        assert near_by_keyword["classical music"]["music"] == pytest.approx(expected["classical music"], abs=1e-6)

    def test_a_page_without_words_has_no_keywords(self) -> None:
        assert similarity_document([page_of("")], shared_vectors(Settings().vectors))[0][1] == {}

    def test_tuples_lie_strictly_between_the_bounds(self, reproduced: Reproduced) -> None:
        rows = rows_of(reproduced, "tuples-2-wiki-wiki")
        assert rows
        assert list(rows[0]) == ["score", "search word", "keyword", "URL"]
        assert all(0.6 < float(row["score"]) < 0.8 for row in rows)
        with open_run(reproduced.folder / "runs" / "2-wiki-wiki" / "modified-depth-first" / "run") as run:
            assert {row["URL"] for row in rows} <= {page.url.text for page in run.pages(limit=5)}

    def test_a_list_without_rows_says_why(self, reproduced: Reproduced) -> None:
        web = Explored(StudiedWorld(1, WEB), {})
        empty = tuples_table(web, [page_of("Of zymurgy.")], shared_vectors(Settings().vectors))
        assert empty.rows == ()
        assert "There is none: every keyword" in empty.note
        assert "A synthetic web is written in the words of its own topics" in empty.note
        assert "There is none" not in reproduced.text

    def test_the_pairs_of_the_sample_are_measured_by_our_vectors(self, reproduced: Reproduced) -> None:
        rows = rows_of(reproduced, "similarities")
        assert [float(row["published"]) for row in rows] == [score for _, _, score in SIMILARITIES]
        assert all(0 < float(row["ours"]) < 1 for row in rows)


def test_without_a_wiki_the_report_says_what_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
    done = reproduce("lim2016", tmp_path / "out", worlds=(WEB,), is_quick=True, jobs=1)
    assert done is not None
    assert re.search(r"\*\*Left out here\*\*\n\n- No wiki is among the worlds", done.text)
    assert len(done.document["left_out"]) == 1


def test_with_a_wiki_nothing_is_left_out(reproduced: Reproduced) -> None:
    assert reproduced.document["left_out"] == []
