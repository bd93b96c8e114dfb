"""Pertejo (2021) again: his crawlers as settings, the figures by hand, and all of it on a small web."""

from __future__ import annotations

import csv
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from honeyguide.crawler.scope import UrlShare
from honeyguide.crawler.world_graph import WorldGraph
from honeyguide.errors import SettingsError
from honeyguide.learn import BestFirstSettings, LfaSettings
from honeyguide.learn.deep_q import DqnSettings
from honeyguide.model import Topic, Url
from honeyguide.settings import settings_from
from honeyguide.settings.checks import value_mistakes
from honeyguide.worlds.wiki import build_wiki
from honeyguide_lab.reproduce import StudyOptions, reproduce
from honeyguide_lab.reproduce.pertejo2021 import PERTEJO2021
from honeyguide_lab.reproduce.pertejo2021.ablations import BASELINES, CHANGES
from honeyguide_lab.reproduce.pertejo2021.deep import FIXED, HIS_PAIR, OUR_PAIR, warm_up_within
from honeyguide_lab.reproduce.pertejo2021.discount import with_discount
from honeyguide_lab.reproduce.pertejo2021.plan import (
    ASYNCHRONOUS,
    BASIC,
    RELEVANT_BY_DISCOUNT,
    SYNCHRONOUS,
    WHOLE_DUMP,
    PertejoSizes,
)
from honeyguide_lab.reproduce.pertejo2021.sample import share_graph, steps_to_half
from honeyguide_lab.reproduce.pertejo2021.whole_world import describe_gain
from honeyguide_lab.reproduce.study import StudiedWorld, Study
from honeyguide_lab.reproduce.task_sequence import TaskSequence
from honeyguide_lab.reproduce.trials import Method, Planner
from honeyguide_lab.reproduce.world_topics import StudiedTopic, world_topics
from worlds.wiki.dumps import Written, write_dump

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from honeyguide_lab.reproduce import Reproduced

WEB = StudiedWorld(1, "synthetic:seed=1,pages=600,hosts=10,topics=4")
SMALL = StudyOptions(steps=12, trials=2, shares=(0.05, 0.6), ablations=True)
GEOLOGY = StudiedTopic(
    Topic("Geology", categories=("Earth", "Science")), 0.001, Url("http://a.test/"), is_main_page=True, is_papers=True,
    with_word=100, reachable=3200, labels="truth", labelled=0, on_topic=None,
)  # fmt: skip


def study(folder: Path, **options: Any) -> Study:
    return Study(folder, (WEB,), options=StudyOptions(**options))


def as_settings(crawler: Method) -> Any:
    return crawler.settings(WEB, GEOLOGY, "wordllama", steps=9, seed=4)


class TestPublished:
    def test_gains_are_those_that_he_prints(self) -> None:
        printed = {"cameras": 30, "cancer": 20, "fiction": 87, "geology": 38, "poetry": 64}
        assert {name: round(100 * each.gain) for name, each in WHOLE_DUMP.items()} == printed

    def test_the_largest_discount_is_the_worst(self) -> None:
        assert min(RELEVANT_BY_DISCOUNT, key=RELEVANT_BY_DISCOUNT.__getitem__) == max(RELEVANT_BY_DISCOUNT) == 0.9


class TestCrawlers:
    def test_the_basic_one_reads_a_link_as_one_text_where_it_was_first_shown(self) -> None:
        settings = as_settings(BASIC)
        assert (settings.crawl.strategy, settings.of(BestFirstSettings).as_one_text) == ("best-first", True)
        assert settings.frontier.found_again == "first"

    @pytest.mark.parametrize("crawler", [ASYNCHRONOUS, SYNCHRONOUS], ids=lambda each: each.name)
    def test_the_linear_ones_have_the_parameters_of_4_3_and_the_rules_of_his_code(self, crawler: Method) -> None:
        settings = as_settings(crawler)
        lfa = settings.of(LfaSettings)
        assert (lfa.step_size, lfa.discount, lfa.exploration, lfa.exploration_end) == (0.001, 0.3, 0.1, 0.1)
        assert (lfa.starts_at, lfa.features, lfa.draws) == ("uniform", "pertejo", "link")
        assert (lfa.ends_at_relevant, lfa.learns_without_links, lfa.takes_best_next) == (False, False, False)
        assert (settings.judge.kind, settings.judge.relevant_when) == ("embedding-tfidf", "word")
        assert settings.judge.reward == "pertejo-code"
        assert settings.topic.categories == ("Earth", "Science")
        assert (settings.budget.fetches, settings.crawl.seed, settings.crawl.concurrency) == (9, 4, 1)

    @pytest.mark.parametrize(
        ("crawler", "profile"),
        [(ASYNCHRONOUS, "pertejo2021"), (FIXED, "pertejo2021-dqn"), (HIS_PAIR, "pertejo2021-dqn")],
        ids=lambda each: getattr(each, "name", each),
    )
    def test_his_crawlers_are_the_profiles_to_the_last_value(self, crawler: Method, profile: str) -> None:
        settings, by_profile = as_settings(crawler), settings_from({"crawl": {"profile": profile}})
        assert (settings.of(LfaSettings), settings.of(DqnSettings)) == (
            by_profile.of(LfaSettings),
            by_profile.of(DqnSettings),
        )
        assert settings.judge == by_profile.judge

    def test_a_network_of_ours_is_paid_as_the_linear_crawlers_are(self) -> None:
        assert as_settings(OUR_PAIR).judge == as_settings(ASYNCHRONOUS).judge
        assert as_settings(OUR_PAIR).of(DqnSettings) == replace(
            DqnSettings(), discount=0.3, exploration=0.3, exploration_test=0.1, learns_in_test=False
        )

    def test_his_network_is_that_of_his_code(self) -> None:
        dqn = as_settings(FIXED).of(DqnSettings)
        assert (dqn.layers, dqn.dropout, dqn.output_penalty, dqn.loss) == ((128, 256), 0.5, 0.0, "squared")
        assert (dqn.replay, dqn.warm_up, dqn.target_share, dqn.learning_rate) == (50_000, 100, 0.01, 0.001)
        assert (dqn.target, dqn.dueling) == ("double", "mean")
        assert (dqn.exploration, dqn.exploration_test, dqn.learns_in_test) == (0.3, 0.1, False)

    def test_every_one_can_be_crawled(self) -> None:
        crawlers = (*BASELINES, *CHANGES, FIXED, HIS_PAIR, OUR_PAIR)
        assert [mistake for crawler in crawlers for mistake in value_mistakes(as_settings(crawler))] == []

    def test_no_two_ablations_are_the_same(self) -> None:
        assert len({repr(as_settings(each)) for each in (*BASELINES, *CHANGES)}) == len(BASELINES) + len(CHANGES)
        assert with_discount(0.3) is ASYNCHRONOUS


class TestPlan:
    @pytest.mark.parametrize(
        ("reachable", "asked", "steps"),
        [
            (4000, {}, 1000),
            (323_198, {}, 10_000),
            (4000, {"steps": 500}, 500),
            (4000, {"steps": 5000}, 1000),
            (3, {}, 1),
        ],
    )
    def test_a_crawl_of_a_world_stops_at_a_quarter_of_it(
        self, tmp_path: Path, reachable: int, asked: dict[str, int], steps: int
    ) -> None:
        assert PertejoSizes.of(study(tmp_path, **asked)).steps_for(reachable) == steps

    def test_nothing_has_more_trials_than_were_asked_for(self, tmp_path: Path) -> None:
        sizes = PertejoSizes.of(study(tmp_path, trials=1))
        assert (sizes.trials, sizes.fewer_trials, sizes.deep_trials, sizes.ablation_trials) == (1, 1, 1, 1)

    @pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 7.0, float("nan")])
    def test_a_share_that_is_none_is_refused(self, tmp_path: Path, share: float) -> None:
        with pytest.raises(SettingsError, match=r"--share is .*: give a part between 0 and 1"):
            PertejoSizes.of(study(tmp_path, shares=(0.1, share)))

    def test_every_folder_has_one_kind_of_crawl(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("honeyguide_lab.reproduce.pertejo2021.has_pytorch", lambda: True)
        begun = PERTEJO2021.begin(study(tmp_path, vectors="glove.txt", ablations=True, steps=20))
        folders = [task.run for task in begun.tasks]
        assert len(set(folders)) == len(folders)
        kinds = {repr(task.settings) for task in begun.tasks if "timed" not in str(task.run)}
        assert len(kinds) == sum("timed" not in str(each) for each in folders)
        assert {task.settings.vectors.source for task in begun.tasks} == {"glove.txt", "wordllama"}
        assert not list(tmp_path.iterdir()), "beginning writes nothing"
        trained = [task for task in begun.tasks if task.settings.crawl.strategy == "dqn"]
        assert all(isinstance(task, TaskSequence) and task.tasks == 2 for task in trained)
        assert {task.settings.of(DqnSettings).training_steps for task in trained} == {10, 20}
        assert {task.settings.of(DqnSettings).warm_up for task in trained} == {2, 5}, (
            "each learns for most of its training"
        )
        (fixed,) = {
            task.settings.of(DqnSettings).outputs for task in begun.tasks if task.settings.crawl.strategy == "dqn-fixed"
        }
        assert 40 < fixed < 600, "one for every page of the share that can be reached"

    @pytest.mark.parametrize(("steps", "warm_up"), [(5000, 100), (400, 100), (60, 15), (2, 1)])
    def test_a_network_learns_in_three_quarters_of_its_training_at_least(self, steps: int, warm_up: int) -> None:
        assert warm_up_within(steps) == warm_up


class TestFiguresByHand:
    def test_a_gain_is_given_with_its_interval(self) -> None:
        assert describe_gain([[0.1, 0.3]]).startswith("+20.0% (95% interval +10.0% to +30.0%, 1 topic)")
        assert describe_gain([]) == "cannot be told"

    def test_half_is_reached_at_the_step_that_brings_it(self) -> None:
        curves = np.array([[0, 1, 1, 2, 3], [0, 0, 0, 0, 2], [0, 1, 1, 1, 1]])
        assert steps_to_half(curves, 4) == [3.0, 4.0]
        assert steps_to_half(curves, 3) == [3.0, 4.0], "half of three is two"


@pytest.mark.thorough
class TestShares:
    def test_a_share_has_its_own_pages_the_root_and_the_links_between_them(self) -> None:
        urls = tuple(f"http://s.test/{number}" for number in range(40))
        chain = WorldGraph(urls, np.ones(40, bool), np.arange(41), np.roll(np.arange(40), -1).astype(np.int32))
        inside = [UrlShare(0.4, 3).has(url) for url in urls]
        outside = inside.index(False)
        kept = share_graph(chain, 0.4, 3, root=urls[outside])
        expected = np.array(inside)
        expected[outside] = True
        assert kept.is_page.tolist() == expected.tolist()
        assert len(kept.targets) == int((expected & np.roll(expected, -1)).sum())
        assert share_graph(chain, 1.0, 3).targets.tolist() == chain.targets.tolist()

    def test_a_crawl_of_a_share_meets_what_the_graph_says(self, tmp_path: Path) -> None:
        found = world_topics(study(tmp_path), WEB, wanted=1, least=10)
        (topic,) = found.topics
        graph = share_graph(found.graph, 0.6, 0, topic.seed_url.text)
        nodes = graph.reachable(graph.numbers([topic.seed_url]))
        breadth_first = Method("breadth-first", "breadth-first", "pertejo2021", is_chancy=False)
        trials = Planner(study(tmp_path), WEB).trials(
            breadth_first, topic, "wordllama", steps=5000, trials=1, share=0.6
        )
        trials.sequences[0].make(lambda: False, lambda _: None)
        (crawled,) = trials.tasks
        pages = {url for url, is_page in zip(crawled.urls, crawled.is_page, strict=True) if is_page}
        assert pages == {graph.urls[node] for node in np.flatnonzero(nodes & graph.is_page)}
        assert 20 < len(pages) < found.graph.pages


@pytest.fixture(scope="module")
def reproduced(shared_folder: Callable[[str], AbstractContextManager[Path]]) -> Reproduced:
    with shared_folder("pertejo2021") as folder:
        return made(folder / "out")


def made(folder: Path) -> Reproduced:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
        patch.setattr("honeyguide_lab.reproduce.pertejo2021.has_pytorch", lambda: False)
        done = reproduce("pertejo2021", folder, worlds=(WEB.name,), is_quick=True, options=SMALL, jobs=1)
    assert done is not None
    return done


def table(done: Reproduced, name: str) -> list[dict[str, str]]:
    with (done.folder / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.thorough
class TestOnASmallWeb:
    def test_his_table_4_3_stands_beside_ours(self, reproduced: Reproduced) -> None:
        rows = {row["topic"]: row for row in table(reproduced, "table-4-3-1-synthetic-bundled-vectors")}
        geology = rows["Geology"]
        assert (geology["published basic"], geology["published LFA"]) == ("597", "823")
        assert float(geology["published gain"]) == pytest.approx(0.3786, abs=1e-3)
        assert 0 < float(geology["asynchronous"]) <= 12
        assert geology["labelled: basic"] != ""

    def test_the_gain_on_the_way_is_told_as_far_as_the_crawls_went(self, reproduced: Reproduced) -> None:
        rows = table(reproduced, "gains-on-the-way-1-synthetic-bundled-vectors")
        assert [row["part of the world"] for row in rows] == ["1%"], "twelve steps are less than 3%"
        assert float(rows[0]["from"]) <= float(rows[0]["gain"]) <= float(rows[0]["to"])

    def test_the_sweep_has_his_figures_for_his_topic_alone(self, reproduced: Reproduced) -> None:
        rows = table(reproduced, "table-4-2-1-synthetic")
        assert [row["discount"] for row in rows] == ["0.1", "0.5", "0.9"]
        assert {row["published"] for row in rows} == {""}, "this web has no fiction"
        assert "means over 1 trials, ± one" in reproduced.text, "0.3, with trials of its own, is not among them"

    def test_a_topic_of_which_a_share_has_too_little_is_named(self, reproduced: Reproduced) -> None:
        assert "At a share of 5% fewer than 40 pages can be reached for 1 of 1 topics" in reproduced.text
        rows = table(reproduced, "sample-1-synthetic")
        assert {row["share"] for row in rows} == {"60%"}
        dumps = table(reproduced, "dumps-1-synthetic")
        assert [row["pages"] for row in dumps[:2]] == ["323198", "32325"]
        assert float(dumps[-1]["links a page"]) > float(dumps[-2]["links a page"])

    def test_every_grade_by_the_topics_own_word_is_called_self_graded(self, reproduced: Reproduced) -> None:
        by_word = [
            each
            for section in reproduced.document["sections"]
            for each in section["tables"]
            if each["name"].startswith(("table-4", "sample", "ablations", "gains"))
        ]
        assert len(by_word) == 5
        assert all("self-graded" in f"{each['title']} {each['note']}".lower() for each in by_word)

    def test_every_weight_has_a_name_and_a_place(self, reproduced: Reproduced) -> None:
        rows = [row for row in table(reproduced, "weights-1-synthetic") if row["topic"] == "Geology"]
        # 5 + c numbers of a page and 3 + c of a link, with two categories.
        assert len(rows) == 7 + 5
        assert {"page: nearness", "link: topic in tenths", "link: category Science in tenths"} <= {
            row["column"] for row in rows
        }
        earned = table(reproduced, "earned-1-synthetic")[0]
        assert sum(float(share) for name, share in earned.items() if name != "topic") == pytest.approx(1, abs=1e-3)

    def test_what_is_missing_is_told(self, reproduced: Reproduced) -> None:
        told = " ".join(reproduced.document["left_out"])
        assert "(extra `deep`)" in told
        assert "--vectors FILE" in told
        assert "Fiction on" in told

    def test_the_asynchronous_crawler_is_among_the_ablations_as_in_table_4_3(self, reproduced: Reproduced) -> None:
        rows = {row["crawler"]: row for row in table(reproduced, "ablations-1-synthetic")}
        assert float(rows["basic"]["over basic"]) == 0
        assert {"random", "online-ridge", "asynchronous", "no learning: weights stay as drawn"} <= set(rows)

    def test_what_is_learned_is_told_apart_from_what_the_features_bring(self, reproduced: Reproduced) -> None:
        rows = {row["gain of"]: row for row in table(reproduced, "untaught-1-synthetic")}
        assert list(rows) == ["no learning over basic", "asynchronous over basic", "asynchronous over no learning"]
        assert all(float(row["from"]) <= float(row["self-graded"]) <= float(row["to"]) for row in rows.values())

    def test_asked_again_it_crawls_nothing_and_says_the_same(
        self, reproduced: Reproduced, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("honeyguide_lab.reproduce.task_sequence.CrawlCore", lambda *_: pytest.fail("crawled again"))
        assert made(reproduced.folder).text == reproduced.text


@pytest.mark.thorough
def test_a_deep_network_is_trained_and_tested_against_the_basic_crawler(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
    smallest = StudyOptions(steps=8, trials=1, shares=(0.6,))
    done = reproduce("pertejo2021", tmp_path / "out", worlds=(WEB.name,), is_quick=True, options=smallest, jobs=1)
    assert done is not None
    whole = [row["crawler"] for row in table(done, "deep-1-synthetic-geology-whole")]
    assert whole == [
        "basic", "asynchronous", "state and link, his network: training", "state and link, his network: test",
        "state and link, our settings: training", "state and link, our settings: test",
    ]  # fmt: skip
    share = {row["crawler"]: row for row in table(done, "deep-1-synthetic-geology-0.6")}
    assert float(share["basic"]["basic over it"]) == 1
    assert "an output a page, his network: training" in share
    assert "an output a page, his network: test" not in share


def test_a_network_with_an_output_a_page_is_trained_and_then_tested_from_the_seed(tmp_path: Path) -> None:
    """Forty articles that the seed links to, every other one with the word: the test asks for those first."""
    pytest.importorskip("torch", reason="needs PyTorch, the extra deep")
    names = [f"article {number}" for number in range(40)]
    hub = Written("hub", " ".join(f"[[{name}]]" for name in names))
    words = ("geology", "soup")
    pages = [Written(name, f"All of it is {words[number % 2]}.") for number, name in enumerate(names)]
    build_wiki(write_dump(tmp_path / "dump.xml", [hub, *pages]), tmp_path / "wiki")
    steps = 41
    method = FIXED.changed(
        "fixed", dqn__training_steps=steps, dqn__warm_up=4, dqn__outputs=steps, dqn__learning_rate=0.02,
        dqn__discount=0.0, dqn__dropout=0.0, dqn__exploration=1.0, dqn__exploration_test=0.0,
    )  # fmt: skip
    world = StudiedWorld(1, f"wiki:{tmp_path / 'wiki'}")
    topic = replace(GEOLOGY, seed_url=Url.parse("https://en.wiki.test/wiki/Hub"))
    settings = method.settings(world, topic, "english", steps=steps, seed=1)
    sequence = TaskSequence(tmp_path / "tasks", settings, tasks=2)
    sequence.make(lambda: False, lambda _: None)
    training, test = sequence.crawled()
    assert training.urls[0] == test.urls[0] == topic.seed_url.text
    assert set(training.urls) == set(test.urls)
    assert training.is_relevant[1:21].sum() <= 15, "at random"
    assert test.is_relevant[1:21].sum() >= 18
