"""What gymnasium expects of an environment: its own checker, registration, spaces, rendering."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from honeyguide.extras import install_hint
from honeyguide.learn.features import COLUMNS
from honeyguide_lab.environment import ENV_ID, PRACTICE, STATE_COLUMNS, FocusedCrawlEnv, TableSpec
from lab.environment.practice import play, small_env


def test_the_default_environment_passes_the_checker_without_a_warning() -> None:
    check_env(gymnasium.make(ENV_ID).unwrapped)


@pytest.mark.parametrize("scorer", ["breadth-first", "online-ridge"])
def test_any_scorer_passes_the_checker_without_a_warning(scorer: str) -> None:
    check_env(gymnasium.make(ENV_ID, table=TableSpec(rows=8, scorer=scorer), render_mode="ansi").unwrapped)


def test_the_environment_is_made_by_module_and_name_without_an_import_before() -> None:
    script = (
        "import gymnasium; env = gymnasium.make('honeyguide_lab.environment:honeyguide/FocusedCrawl-v0');"
        "print(env.reset(seed=1)[1]['steps'])"
    )
    result = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=False)
    assert (result.stdout.strip(), result.stderr) == ("0", "")


def test_without_gymnasium_the_import_names_the_extra_in_one_line() -> None:
    script = "import sys; sys.modules['gymnasium'] = None\nimport honeyguide_lab.environment"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    last_line = result.stderr.strip().splitlines()[-1]
    assert last_line == f"ModuleNotFoundError: honeyguide_lab.environment needs gymnasium: {install_hint('gym')}"


def test_every_observation_lies_in_its_space() -> None:
    env = small_env()
    for observation, *_ in play(env, seed=3):
        assert env.observation_space.contains(observation)


def test_the_table_has_the_columns_of_the_link_features() -> None:
    observation, _ = small_env(TableSpec(rows=5)).reset(seed=0)
    assert observation["candidates"].shape == (5, len(COLUMNS))
    assert observation["state"].shape == (len(STATE_COLUMNS),)


def test_actions_drawn_from_the_space_are_never_masked() -> None:
    env = small_env()
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(30):
        observation, *_ = env.step(env.action_space.sample())
        assert env.observation_space.contains(observation)


def test_a_draw_after_seeding_does_not_depend_on_the_episode_before() -> None:
    env, other = small_env(), small_env()
    play(env, seed=1, steps=9)
    for each in (env, other):
        each.action_space.seed(7)
        each.reset(seed=7)
    env.action_space.seed(7)
    other.action_space.seed(7)
    assert env.action_space.sample() == other.action_space.sample()


def test_stepping_before_reset_or_after_the_end_asks_for_a_reset() -> None:
    env = small_env(budget__fetches=1)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(0)
    env.reset(seed=0)
    env.step(0)
    with pytest.raises(ResetNeeded, match="budget of fetches spent; call reset"):
        env.step(0)


def test_rendering_tells_the_last_step_in_text() -> None:
    settings = replace(PRACTICE, budget=replace(PRACTICE.budget, fetches=20))
    env = FocusedCrawlEnv(settings, TableSpec(rows=4), render_mode="ansi")
    env.reset(seed=0)
    assert "not begun" in str(env.render())
    *_, info = env.step(0)
    text = str(env.render())
    assert text.startswith("fetch 1 of 20, ")
    assert info["url"] in text


def test_environments_run_side_by_side_in_a_vector() -> None:
    vector = gymnasium.make_vec(ENV_ID, num_envs=2, vectorization_mode="sync", table=TableSpec(rows=3))
    observations, _ = vector.reset(seed=4)
    assert observations["mask"].shape == (2, 3)
    observations, rewards, *_ = vector.step(np.array([0, 1]))
    assert observations["candidates"].shape == (2, 3, len(COLUMNS))
    assert rewards.shape == (2,)
    vector.close()


def test_closing_twice_is_allowed() -> None:
    env = small_env()
    env.reset(seed=0)
    env.close()
    env.close()
    observation, _ = env.reset(seed=0)  # and it can be used again
    assert env.observation_space.contains(observation)
    env.close()
