"""An environment that keeps its episodes leaves runs like any other crawl's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide.crawler import resume
from honeyguide.errors import RunExists, SettingsError
from honeyguide.runs import open_run
from honeyguide_lab.environment import TableSpec
from lab.environment.practice import play, small_env
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path


def test_each_episode_leaves_a_run_of_its_own(tmp_path: Path) -> None:
    env = small_env(run=tmp_path / "kept")
    fetched = [info["url"] for *_, info in play(env, seed=1)]
    play(env, seed=2, steps=3)
    env.close()
    with open_run(tmp_path / "kept" / "episode-0001") as run:
        assert [step.url.text for step in run.steps()] == fetched
        assert run.progress.stop_reason == "budget of fetches spent"
    with open_run(tmp_path / "kept" / "episode-0002") as run:
        assert (run.progress.steps, run.progress.stop_reason) == (3, "interrupted")


def test_keeping_a_run_changes_nothing_in_it(tmp_path: Path) -> None:
    kept, unkept = small_env(run=tmp_path), small_env()
    assert [seen[4]["url"] for seen in play(kept, seed=5)] == [seen[4]["url"] for seen in play(unkept, seed=5)]
    kept.close()


@pytest.mark.parametrize("scorer", ["best-first", "online-ridge", "breadth-first"])
def test_the_scorer_can_go_on_where_the_agent_stopped(tmp_path: Path, scorer: str) -> None:
    env = small_env(TableSpec(rows=8, scorer=scorer), run=tmp_path)
    play(env, seed=1, steps=10)
    env.close()
    with resume(tmp_path / "episode-0001", vectors=hashed_vectors()) as run:
        assert run.progress.steps == 40


def test_an_episode_is_not_written_over_another(tmp_path: Path) -> None:
    for _ in range(2):
        env = small_env(run=tmp_path)
        if (tmp_path / "episode-0001").exists():
            with pytest.raises(RunExists):
                env.reset(seed=0)
        else:
            env.reset(seed=0)
        env.close()


def test_merged_rows_cannot_be_kept(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="found_again is 'merge'"):
        small_env(run=tmp_path, frontier__found_again="merge")
