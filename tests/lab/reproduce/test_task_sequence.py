"""Tasks in a row: each is the crawl that the engine makes, and only what was learned goes on to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from honeyguide.crawler import crawl
from honeyguide.settings import settings_from, with_overrides
from honeyguide_lab.reproduce.unkept_crawl import TaskSequence
from honeyguide_lab.run import run_crawls
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from honeyguide.settings import Settings

WORLD = "synthetic:seed=2,pages=400,hosts=6"
FETCHES = 60


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


@pytest.mark.parametrize("strategy", ["lfa-sync", "lfa-moderated", "best-first", "random", "online-ridge"])
def test_a_task_is_the_crawl_that_the_engine_makes(tmp_path: Path, strategy: str) -> None:
    chosen = settings(strategy)
    tasks = made(TaskSequence(tmp_path / "sequence", chosen, tasks=2, is_carried=False)).crawled()
    for number, task in enumerate(tasks):
        alone = with_overrides(chosen, {"crawl.seed": number})
        with crawl(tmp_path / f"run-{number}", alone) as run:
            steps, pages = list(run.steps()), {page.url.text: page for page in run.pages()}
        assert list(task.urls) == [step.url.text for step in steps]
        assert task.is_page.tolist() == [step.outcome == "fetched" for step in steps]
        assert task.is_relevant.tolist() == [step.is_relevant for step in steps]
        relevance = [pages[url].relevance if url in pages else 0.0 for url in task.urls]
        assert task.relevance == pytest.approx(np.array(relevance), abs=1e-6)


UNEXPLORED = {"lfa.exploration": 0.0, "lfa.exploration_end": 0.0}


def test_what_was_learned_is_carried_and_nothing_else(tmp_path: Path) -> None:
    first, second = made(TaskSequence(tmp_path / "carried", settings(overrides=UNEXPLORED), tasks=2)).crawled()
    np.save(tmp_path / "weights.npy", first.weights)
    begun_with = {"lfa.start_weights": str(tmp_path / "weights.npy"), "crawl.seed": 1}
    (alone,) = made(TaskSequence(tmp_path / "begun with", settings(overrides=UNEXPLORED | begun_with))).crawled()
    assert alone.urls == second.urls
    assert np.array_equal(alone.weights, second.weights)
    assert first.urls != second.urls  # the weights made a difference


def test_without_carrying_each_task_learns_from_nothing(tmp_path: Path) -> None:
    apart = TaskSequence(tmp_path / "s", settings(overrides=UNEXPLORED), tasks=2, is_carried=False)
    first, second = made(apart).crawled()
    assert first.urls == second.urls


def test_a_sequence_that_was_stopped_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    whole = made(TaskSequence(tmp_path / "whole", settings(), tasks=3))
    stopped = TaskSequence(tmp_path / "stopped", settings(), tasks=3)
    looks = iter(range(1_000_000))
    stopped.make(lambda: next(looks) > FETCHES * 1.5, lambda _: None)
    assert len(stopped.crawled()) == 1
    assert (stopped.is_done, stopped.spent) == (False, FETCHES)
    made(stopped)
    assert (stopped.is_done, stopped.spent) == (True, stopped.budget) == (True, 3 * FETCHES)
    assert urls_of(stopped) == urls_of(whole)
    assert np.array_equal(stopped.crawled()[-1].weights, whole.crawled()[-1].weights)


def test_a_damaged_file_is_begun_anew(tmp_path: Path) -> None:
    sequence = made(TaskSequence(tmp_path / "s", settings(), tasks=1))
    before = urls_of(sequence)
    (tmp_path / "s" / "sequence.npz").write_bytes(b"no archive")
    assert sequence.crawled() == ()
    assert urls_of(made(sequence)) == before


def test_sequences_are_made_in_processes_and_every_step_is_told_of(tmp_path: Path) -> None:
    sequences = [
        TaskSequence(tmp_path / f"{seed}", settings(overrides={"crawl.seed": seed}), tasks=2) for seed in (1, 2)
    ]
    told: list[int] = []
    assert run_crawls(sequences, jobs=2, on_progress=told.append)
    assert told[-1] == 4 * FETCHES
    here = made(TaskSequence(tmp_path / "here", settings(overrides={"crawl.seed": 1}), tasks=2))
    assert urls_of(sequences[0]) == urls_of(here)
