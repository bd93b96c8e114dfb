"""Han et al. (2018) again: the plan, the figures by hand, and all of it on a small web."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from honeyguide.crawler.world_graph import WorldGraph
from honeyguide.learn import LfaSettings
from honeyguide.model import Topic, Url
from honeyguide.settings import Settings, settings_from, validate
from honeyguide.settings.checks import value_mistakes
from honeyguide_lab.crawl_task import CrawlTask
from honeyguide_lab.reproduce import StudyOptions, reproduce
from honeyguide_lab.reproduce.han2018.ablations import VARIANTS, ablations
from honeyguide_lab.reproduce.han2018.gains import improvements, last_tasks, relative_differences, times_section
from honeyguide_lab.reproduce.han2018.plan import (
    METHODS,
    NO_LEARNING,
    SYNCHRONOUS,
    HanSizes,
    pages_by_interval,
    plan_all,
    published_gain,
    with_step_size,
)
from honeyguide_lab.reproduce.study import StudiedWorld, Study
from honeyguide_lab.reproduce.task_sequence import CrawledTask
from honeyguide_lab.reproduce.trials import Method, TimedMethod
from honeyguide_lab.reproduce.world_topics import StudiedTopic, WorldTopics
from written_vectors import glove

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from honeyguide_lab.reproduce import Reproduced

WEB = "synthetic:seed=1,pages=600,hosts=10,topics=4"


def topic(name: str = "Geology", reachable: int = 3200) -> StudiedTopic:
    return StudiedTopic(
        Topic(name, categories=("Earth", "Science")), 0.001, Url("http://a.test/"), is_main_page=True, is_papers=True,
        with_word=100, reachable=reachable, labels="truth", labelled=0, on_topic=None,
    )  # fmt: skip


def topics(*chosen: StudiedTopic) -> WorldTopics:
    nothing = WorldGraph((), np.empty(0, bool), np.zeros(1, np.int64), np.empty(0, np.int32))
    return WorldTopics(StudiedWorld(1, WEB), chosen, (), nothing, "graphs/none.npz")


def study(folder: Path, **options: Any) -> Study:
    return Study(folder, (StudiedWorld(1, WEB),), options=StudyOptions(**options))


def task(relevance: list[float], has_word: list[bool], is_page: list[bool] | None = None) -> CrawledTask:
    count = len(relevance)
    return CrawledTask(
        tuple(map(str, range(count))),
        np.array(is_page or [True] * count),
        np.array(has_word),
        np.array(relevance, dtype=np.float32),
        np.empty(0),
    )


def settings_of(method: Method = SYNCHRONOUS, steps: int = 9) -> Settings:
    return with_step_size(method, topic()).settings(StudiedWorld(1, WEB), topic(), "wordllama", steps=steps, seed=4)


class TestPlan:
    @pytest.mark.parametrize(
        ("reachable", "asked", "steps"),
        [
            (3200, {}, 200),  # one in sixteen
            (1_000_000, {}, 10_000),  # the paper's
            (3200, {"steps": 500}, 500),
            (3200, {"steps": 10_000}, 800),  # never more than a quarter
            (7, {}, 1),
        ],
    )
    def test_steps_suit_the_world(self, tmp_path: Path, reachable: int, asked: dict[str, int], steps: int) -> None:
        sizes = HanSizes.for_world(
            study(tmp_path, **asked), topics(topic(reachable=99_999_999), topic("Poetry", reachable))
        )
        assert (sizes.steps, sizes.tasks, sizes.trials) == (steps, 20, 5)

    def test_what_leaves_nothing_to_chance_is_crawled_once(self, tmp_path: Path) -> None:
        plan = plan_all(study(tmp_path), topics(topic()), HanSizes(50, 20, 5))
        made = {each.method.name: (len(each.sequences), each.sequences[0].tasks) for each in plan}
        assert made == {
            "synchronous": (5, 20), "asynchronous": (5, 20), "moderated": (5, 20),
            "no learning": (1, 1), "random": (5, 1), "online-ridge": (1, 1),
        }  # fmt: skip

    def test_no_two_tasks_of_a_method_share_a_seed_nor_two_sequences_a_folder(self, tmp_path: Path) -> None:
        plan = plan_all(study(tmp_path, vectors="glove.txt"), topics(topic(), topic("Poetry")), HanSizes(50, 20, 5))
        sequences = [each for trials in plan for each in trials.sequences]
        assert len({each.folder for each in sequences}) == len(sequences)
        for trials in plan:
            seeds = [each.settings.crawl.seed + number for each in trials.sequences for number in range(each.tasks)]
            assert len(seeds) == len(set(seeds))

    def test_both_kinds_of_vectors_are_tried_where_a_file_is_given(self, tmp_path: Path) -> None:
        plan = plan_all(study(tmp_path, vectors="some/glove.100d.txt.gz"), topics(topic()), HanSizes(50, 2, 1))
        assert list(dict.fromkeys(each.vectors for each in plan)) == ["some/glove.100d.txt.gz", "wordllama"]

    def test_the_parameters_are_those_of_section_4(self) -> None:
        settings = settings_of()
        lfa = settings.of(LfaSettings)
        assert (lfa.exploration, lfa.exploration_end, lfa.discount, lfa.step_size) == (0.1, 0.1, 0.9, 0.001)
        assert (lfa.features, lfa.draws, lfa.ends_at_relevant) == ("han", "pair", True)
        assert (settings.judge.relevant_when, settings.judge.reward) == ("word", "han2018")
        assert settings.topic.categories == ("Earth", "Science")
        assert (settings.budget.fetches, settings.crawl.seed, settings.crawl.concurrency) == (9, 4, 1)

    def test_the_learner_is_the_profile_to_the_last_value(self) -> None:
        settings = settings_of()
        by_profile = settings_from({"crawl": {"profile": "han2018"}})
        assert (settings.of(LfaSettings), settings.judge) == (by_profile.of(LfaSettings), by_profile.judge)

    def test_every_method_can_be_crawled(self) -> None:
        assert [mistake for method in METHODS for mistake in value_mistakes(settings_of(method))] == []

    def test_a_variant_differs_from_the_learner_in_what_its_name_says(self, tmp_path: Path) -> None:
        sizes = HanSizes(50, 20, 5)
        plan = ablations(study(tmp_path), topics(topic()), sizes)
        assert (plan.sizes.tasks, plan.sizes.trials, plan.sizes.steps) == (6, 2, 50)
        base = settings_of(steps=50)
        settings = {each.name: trials[0].sequences[0].settings for each, trials in plan.trials_by_variant}
        assert len(settings) == len(VARIANTS)
        assert len({repr(each) for each in settings.values()} | {repr(base)}) == len(VARIANTS) + 1
        for each in settings.values():
            validate(each)
        assert settings["tenfold"].of(LfaSettings).step_size == pytest.approx(0.01)
        assert settings["no categories"].topic.categories == ()
        assert settings["30 for the word alone"].judge.reward_values == (30, -1, -1, -1)


class TestFiguresByHand:
    def test_relevant_pages_are_counted_by_the_tenth_of_their_cosine(self) -> None:
        first = task([0.05, 0.31, 0.39, 1.0, 0.31], [True, True, True, True, False])
        second = task([0.0, 0.35, 0.95], [True, False, True], [True, True, False])  # the last brought no page
        assert pages_by_interval([first, second]).tolist() == [1.0, 0, 0, 1.0, 0, 0, 0, 0, 0, 0.5]

    def test_a_gain_is_of_a_trials_mean_task_over_no_learning(self) -> None:
        found = np.array([[10.0, 14.0], [8.0, 8.0]])
        assert relative_differences(found, np.array([[10.0]])) == pytest.approx([0.2, -0.2])
        assert relative_differences(found, np.array([[0.0]])) == []

    def test_improvement_is_the_last_tasks_less_the_first(self) -> None:
        assert improvements(np.array([[1.0, 9, 9, 2, 2, 2, 2, 7]])) == pytest.approx([2.0])  # (2+2+2+2+7)/5 - 1
        assert improvements(np.array([[4.0, 2.0, 6.0]])) == pytest.approx([0.0])  # the first is not among the last

    @pytest.mark.parametrize(("tasks", "last"), [(20, 5), (6, 5), (5, 4), (4, 3), (2, 1), (1, 0)])
    def test_the_last_tasks_are_five_or_all_but_the_first(self, tasks: int, last: int) -> None:
        assert last_tasks(tasks) == last

    def test_what_was_published_is_told_for_its_own_topics_only(self) -> None:
        assert [published_gain(name) for name in ("Cancer", "Poetry", "Chess")] == ["2.5", "1.2 to 1.6", ""]


def test_medians_are_scaled_to_ten_thousand_steps_and_set_beside_the_published(tmp_path: Path) -> None:
    def timed(method: str, *seconds: float) -> TimedMethod:
        crawls = tuple(CrawlTask(tmp_path / method / f"{number}", settings_of(NO_LEARNING)) for number in range(3))
        for crawl, each in zip(crawls, seconds, strict=True):
            crawl.folder.mkdir(parents=True)
            (crawl.folder / "timing.json").write_text(json.dumps({"seconds": 9.0, "processor_s": each, "steps": 20}))
        return TimedMethod(method, crawls)

    measured = [
        timed("synchronous", 0.2, 9.0, 0.3), timed("asynchronous", 0.1, 0.1, 0.1), timed("no learning", 0.05, 0.05, 0),
    ]  # fmt: skip
    rows = {row[3]: row[4:] for row in times_section([measured]).tables[0].rows}
    assert rows["synchronous"] == (150.0, 654.0, 6.0, 23.36, 3.0, 11.89)
    assert rows["asynchronous"] == (50.0, 55.0, 2.0, 1.96, 1.0, 1.0)
    assert rows["no learning"] == (25.0, 28.0, 1.0, 1.0, 0.5, 0.51)


@pytest.fixture(scope="module")
def done(shared_folder: Callable[[str], AbstractContextManager[Path]]) -> Reproduced:
    """All of it on a small web, for one topic, with a file of vectors beside the bundled ones."""
    words = [b"geology", b"rock", b"science", b"earth", b"the", b"of", b"and", b"mineral", b"astronomy", b"physics",
             b"football", b"sports", b"cooking", b"home", b"food"]  # fmt: skip
    vectors = np.random.default_rng(0).normal(size=(len(words), 16)).astype(np.float32)
    with shared_folder("han2018") as folder, pytest.MonkeyPatch.context() as patch:
        if not (folder / "toy.txt").exists():
            (folder / "toy.txt").write_bytes(glove(words, vectors))
        options = StudyOptions(str(folder / "toy.txt"), steps=12, tasks=2, trials=1)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        patch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
        patch.setattr("honeyguide_lab.reproduce.han2018.QUICK", {"tasks": 2, "trials": 1, "topics": 1})
        patch.setattr("honeyguide_lab.reproduce.han2018.gains.REPEATS", 1)
        made = reproduce("han2018", folder / "out", worlds=(WEB,), is_quick=True, options=options, jobs=1)
    assert made is not None
    return made


def table(done: Reproduced, name: str) -> list[dict[str, str]]:
    with (done.folder / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


@pytest.mark.thorough
class TestReport:
    def test_it_has_the_papers_figures_the_gains_and_the_times(self, done: Reproduced) -> None:
        titles = [each["title"].partition(",")[0] for each in done.document["sections"]]
        assert titles == [
            "Topics",
            "Figure 1: accumulated relevant pages per step",
            "Figure 2: relevant pages per relevance interval",
            "Figure 3: relevant pages as tasks repeat",
            "Gains over no learning",
            "Computation times",
        ]
        assert "self-graded" in done.text
        assert "independent" in done.text

    def test_one_world_is_enough(self, done: Reproduced) -> None:
        assert [each["world"] for each in done.document["worlds"]] == [WEB]
        assert len(done.document["worlds"][0]["data_hash"]) == 32

    def test_figure_1_ends_where_figure_3_has_its_mean(self, done: Reproduced) -> None:
        for vectors in ("toy", "bundled-vectors"):
            first = table(done, f"figure-1-curves-1-synthetic-{vectors}")
            third = table(done, f"figure-3-1-synthetic-{vectors}")
            for method in ("synchronous", "asynchronous", "moderated"):
                ends = [
                    float(row["relevant pages"])
                    for row in first
                    if (row["topic"], row["grade"], row["method"], row["step"])
                    == ("Geology", "self-graded", method, "12")
                ]
                means = [
                    float(row["self-graded"]) for row in third if (row["topic"], row["method"]) == ("Geology", method)
                ]
                assert len(means) == 2
                assert ends == [pytest.approx(sum(means) / 2, abs=0.01)]

    def test_figure_2_adds_up_to_figure_1(self, done: Reproduced) -> None:
        first = {(row["topic"], row["method"]): row for row in table(done, "figure-1-1-synthetic-bundled-vectors")
                 if row["grade"] == "self-graded"}  # fmt: skip
        for row in table(done, "figure-2-1-synthetic-bundled-vectors"):
            counts = [float(value) for name, value in row.items() if name[0] in "01"]
            assert sum(counts) == pytest.approx(float(first[row["topic"], row["method"]]["all"]), abs=0.11)

    def test_gains_are_over_no_learning(self, done: Reproduced) -> None:
        first = {(row["topic"], row["grade"], row["method"]): float(row["all"])
                 for row in table(done, "figure-1-1-synthetic-bundled-vectors")}  # fmt: skip
        rows = [row for row in table(done, "gains-1-synthetic") if row["vectors"] == "bundled vectors"]
        assert rows
        for row in rows:
            grade = "self-graded" if row["grade"] == "self-graded" else "independent labels"
            none = first[row["topic"], grade, "no learning"]
            assert float(row["no learning"]) == none
            assert float(row["synchronous"]) == pytest.approx(
                first[row["topic"], grade, "synchronous"] / none, abs=0.06 / none
            )

    def test_the_last_tasks_are_as_many_as_there_were(self, done: Reproduced) -> None:
        assert "The last task of 2 against the first, in relevant pages" in done.text

    def test_the_papers_sizes_and_the_topics_left_out_are_told(self, done: Reproduced) -> None:
        left_out = done.document["left_out"]
        assert any("12 pages and not 10,000" in each for each in left_out)
        assert any(each.startswith("Cancer on") for each in left_out)
        assert any("No wiki" in each for each in left_out)


@pytest.mark.thorough
def test_stopped_and_gone_on_with_it_is_the_same_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
    monkeypatch.setattr("honeyguide_lab.reproduce.han2018.QUICK", {"tasks": 2, "trials": 1, "topics": 1})
    options = StudyOptions(steps=12, tasks=2, trials=1)
    looks = iter(range(1_000_000))

    def make(name: str, stops_at: int) -> Reproduced | None:
        return reproduce(
            "han2018", tmp_path / name, worlds=(WEB,), is_quick=True, options=options, jobs=1,
            is_interrupted=lambda: next(looks) > stops_at,
        )  # fmt: skip

    assert make("stopped", 200) is None
    gone_on, whole = make("stopped", 10**9), make("whole", 10**9)
    assert gone_on is not None
    assert whole is not None
    untimed = [
        [section for section in each.document["sections"] if section["title"] != "Computation times"]
        for each in (gone_on, whole)
    ]
    assert untimed[0] == untimed[1]
