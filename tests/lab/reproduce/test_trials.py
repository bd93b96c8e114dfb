"""Trials: each task is the crawl that the engine makes, only what was learned goes on, and both grades by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from honeyguide.crawler import crawl
from honeyguide.learn import FeatureStyle, LearnedWeights
from honeyguide.learn.han_features import columns
from honeyguide.model import Topic, Url
from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab.parallel import run_crawls
from honeyguide_lab.reproduce import task_sequence
from honeyguide_lab.reproduce.study import StudiedWorld, Study
from honeyguide_lab.reproduce.task_sequence import CrawledTask, Memory, TaskSequence, memory_for
from honeyguide_lab.reproduce.trials import Method, Planner, count_hits, gains, mean_line, shares_earned, spread
from honeyguide_lab.reproduce.world_topics import StudiedTopic
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from honeyguide.settings import Settings

WORLD = "synthetic:seed=2,pages=400,hosts=6"
FETCHES = 40
UNEXPLORED = {"lfa.exploration": 0.0, "lfa.exploration_end": 0.0}
GEOLOGY = StudiedTopic(
    Topic("Geology", categories=("Earth", "Science")), 0.001, Url("http://a.test/"), is_main_page=True, is_papers=True,
    with_word=100, reachable=3200, labels="truth", labelled=0, on_topic=None,
)  # fmt: skip


def settings(strategy: str = "lfa-async", overrides: Mapping[str, Any] = {}) -> Settings:
    document = {
        "topic": {"name": "geology", "categories": ["science"]},
        "crawl": {"world": WORLD, "strategy": strategy},
        "judge": {"relevant_when": "word", "reward": "han2018"},
        "budget": {"fetches": FETCHES},
    }
    return with_overrides(settings_from(document), {**LABORATORY, **overrides})


def made(sequence: TaskSequence) -> TaskSequence:
    sequence.make(lambda: False, lambda _: None)
    return sequence


def urls_of(sequence: TaskSequence) -> list[tuple[str, ...]]:
    return [task.urls for task in sequence.crawled()]


def crawled_task(relevance: list[float], has_word: list[bool], is_page: list[bool] | None = None) -> CrawledTask:
    count = len(relevance)
    is_page = is_page or [True] * count
    numbers = np.array(relevance, dtype=np.float32)
    return CrawledTask(tuple("abcdefgh"[:count]), np.array(is_page), np.array(has_word), numbers, np.empty(0))


class TestSequences:
    @pytest.mark.parametrize(
        "strategy", ["lfa-sync", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("best-first", "random"))]
    )
    def test_a_task_is_the_crawl_that_the_engine_makes(self, tmp_path: Path, strategy: str) -> None:
        chosen = settings(strategy)
        (task,) = made(TaskSequence(tmp_path / "sequence", chosen)).crawled()
        with crawl(tmp_path / "run", chosen) as run:
            steps, pages = list(run.steps()), {page.url.text: page for page in run.pages()}
        assert list(task.urls) == [step.url.text for step in steps]
        assert task.is_page.tolist() == [step.outcome == "fetched" for step in steps]
        assert task.is_relevant.tolist() == [step.is_relevant for step in steps]
        relevance = [pages[url].relevance if url in pages else 0.0 for url in task.urls]
        assert task.relevance == pytest.approx(np.array(relevance), abs=1e-6)

    def test_what_was_learned_is_carried_and_nothing_else(self, tmp_path: Path) -> None:
        first, second = made(TaskSequence(tmp_path / "carried", settings(overrides=UNEXPLORED), tasks=2)).crawled()
        names, kind = columns(FeatureStyle(), settings().topic.categories), "linear SARSA with features han"
        learned = LearnedWeights("lfa-sync", kind, names, {"weights": first.weights}, FETCHES)
        (tmp_path / "weights.npz").write_bytes(learned.save())
        begun_with = {"crawl.learn_from": [str(tmp_path / "weights.npz")], "crawl.seed": 1}
        (alone,) = made(TaskSequence(tmp_path / "begun with", settings(overrides=UNEXPLORED | begun_with))).crawled()
        assert alone.urls == second.urls
        assert np.array_equal(alone.weights, second.weights)
        assert first.urls != second.urls, "the weights made a difference"

    def test_a_sequence_that_was_stopped_or_damaged_goes_on_as_if_nothing_had_happened(self, tmp_path: Path) -> None:
        whole = made(TaskSequence(tmp_path / "whole", settings(), tasks=2))
        stopped = TaskSequence(tmp_path / "stopped", settings(), tasks=2)
        looks = iter(range(1_000_000))
        stopped.make(lambda: next(looks) > FETCHES * 1.5, lambda _: None)
        assert len(stopped.crawled()) == 1
        assert (stopped.is_done, stopped.spent) == (False, FETCHES)
        made(stopped)
        assert (stopped.is_done, stopped.spent) == (True, stopped.budget) == (True, 2 * FETCHES)
        assert urls_of(stopped) == urls_of(whole)
        assert np.array_equal(stopped.crawled()[-1].weights, whole.crawled()[-1].weights)
        (tmp_path / "stopped" / "sequence.npz").write_bytes(b"no archive")
        assert stopped.crawled() == ()

    @pytest.mark.thorough
    def test_sequences_are_made_in_processes_and_every_step_is_reported(self, tmp_path: Path) -> None:
        sequences = [
            TaskSequence(tmp_path / f"{seed}", settings(overrides={"crawl.seed": seed}), tasks=2) for seed in (1, 2)
        ]
        reported: list[int] = []
        assert run_crawls(sequences, jobs=2, on_progress=reported.append)
        assert reported[-1] == 4 * FETCHES
        here = made(TaskSequence(tmp_path / "here", settings(overrides={"crawl.seed": 1}), tasks=2))
        assert urls_of(sequences[0]) == urls_of(here)

    def test_forgetting_pages_in_between_changes_no_crawl(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        remembered = urls_of(made(TaskSequence(tmp_path / "remembered", settings("lfa-sync"), tasks=2)))
        monkeypatch.setattr(task_sequence, "MOST_PAGES", 7)
        assert urls_of(made(TaskSequence(tmp_path / "forgotten", settings("lfa-sync"), tasks=2))) == remembered

    def test_crawls_that_read_pages_alike_share_a_memory(self) -> None:
        def of(profile: str) -> Memory:
            return memory_for(settings_from({"crawl": {"profile": profile, "world": "synthetic:seed=2,pages=400"}}))

        assert of("pertejo2021") is of("pertejo2021-dqn")
        assert of("pertejo2021") is not of("wikipedia")


class TestGrades:
    def test_each_grade_counts_its_own_pages_over_the_whole_budget(self) -> None:
        # A page with the word, a redirect, a page that is labelled, one that is both, one that is neither.
        task = crawled_task([0.0] * 5, [True, False, False, True, False], [True, False, True, True, True])
        assert count_hits(task, 7).tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
        assert count_hits(task, 7, frozenset("bcd")).tolist() == [0, 0, 0, 1, 2, 2, 2, 2], "a redirect is no page"
        assert count_hits(task, 3).tolist() == [0, 1, 1, 1], "what is beyond the budget does not count"

    def test_pages_are_divided_among_the_steps_of_a_reward(self) -> None:
        task = crawled_task([0.1, 0.6, 0.5, 0.45, 0.4, 0.9], [True, False, False, False, False, True])
        # Above 0.5 is 0.6; above 0.4 are 0.5 and 0.45; 0.4 itself earns nothing.
        assert shares_earned([task], (0.5, 0.4)) == pytest.approx([2 / 6, 1 / 6, 2 / 6, 1 / 6])

    def test_a_gain_is_what_a_trial_found_more_over_what_the_basic_crawler_found(self) -> None:
        assert gains(np.array([104, 60]), np.array([80])) == pytest.approx([0.3, -0.25])
        assert gains(np.array([3]), np.array([0])) == []

    def test_a_line_is_the_mean_with_a_standard_deviation_and_a_single_trial_has_no_spread(self) -> None:
        line = mean_line("a", np.array([[0, 1, 2], [0, 3, 4]]))
        assert list(line.points) == [(0, 0.0), (1, 2.0), (2, 3.0)]
        assert list(line.spread) == pytest.approx([0.0, 2**0.5, 2**0.5], abs=1e-3)
        assert mean_line("b", np.array([[0, 1]])).spread == ()
        assert spread(np.array([4])) is None
        assert spread(np.array([1, 3])) == pytest.approx(2**0.5)


def test_what_leaves_nothing_to_chance_is_tried_once(tmp_path: Path) -> None:
    world = StudiedWorld(1, WORLD)
    planner = Planner(Study(tmp_path, (world,), seed=7), world)
    chancy, certain = Method("chancy", "random", ""), Method("certain", "best-first", "", is_chancy=False)
    made = [planner.trials(each, GEOLOGY, "wordllama", steps=5, trials=3) for each in (chancy, certain)]
    assert [[each.settings.crawl.seed for each in trials.sequences] for trials in made] == [[7, 8, 9], [7]]
    assert len({each.folder for trials in made for each in trials.sequences}) == 4
