"""Weights of linear SARSA: kept by a run, read from it, and carried to the next."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from crawler.small_crawls import settings_for, story
from honeyguide.crawler import crawl, learned_weights, resume
from honeyguide.errors import SettingsError, StrategyError
from honeyguide.learn import LfaSettings
from honeyguide.runs import open_run
from honeyguide.settings import load_settings
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

CATEGORIES = ["earth", "science"]
WIDTH = 8 + 2 * 2 + 6 + 2 * 2


def crawled(run: Path, strategy: str = "lfa-sync", budget: int = 30, **overrides: object) -> Path:
    overrides = {"topic__categories": CATEGORIES, "judge__reward": "han2018", **overrides}
    crawl(run, settings_for(strategy, budget=budget, **overrides), vectors=hashed_vectors()).close()  # type: ignore[arg-type]
    return run


def first_scores(run: Path) -> list[float]:
    with open_run(run) as opened:
        return [step.score for step in opened.steps()]


@pytest.mark.parametrize("strategy", ["lfa-sync", "lfa-async", "lfa-moderated"])
def test_a_run_tells_what_was_learned_in_it_column_by_column(tmp_path: Path, strategy: str) -> None:
    learned = learned_weights(crawled(tmp_path / "run", strategy))
    assert (learned.strategy, learned.features, learned.step) == (strategy, "han", 30)
    assert learned.weights.shape == (len(learned.columns),) == (WIDTH,)
    assert learned.columns[0] == "page: topic in five"
    assert learned.columns[2] == "page: category earth in five"
    assert learned.columns[11:13] == ("page: distance", "link: topic in five")
    assert learned.weights.any()


def test_a_crawl_begins_with_the_weights_of_another_run(tmp_path: Path) -> None:
    first = crawled(tmp_path / "first")
    second = crawled(tmp_path / "second", "lfa-async", budget=3, lfa__start_weights=str(first), lfa__step_size=1e-12)
    assert learned_weights(second).weights == pytest.approx(learned_weights(first).weights, rel=1e-6)
    assert first_scores(first)[1] == 0.0, "nothing is known at first"
    assert first_scores(second)[1] != 0.0


def test_weights_in_a_file_count_as_those_of_a_run(tmp_path: Path) -> None:
    first = crawled(tmp_path / "first")
    np.save(tmp_path / "weights.npy", learned_weights(first).weights)
    of_run = crawled(tmp_path / "of-run", lfa__start_weights=str(first))
    of_file = crawled(tmp_path / "of-file", lfa__start_weights=str(tmp_path / "weights.npy"))
    assert story(of_run) == story(of_file)
    assert story(of_run) != story(first)


def test_weights_are_named_as_seen_from_the_folder_of_the_settings(tmp_path: Path) -> None:
    np.save(tmp_path / "weights.npy", np.ones(WIDTH))
    (tmp_path / "own.toml").write_text('[lfa]\nstart_weights = "weights.npy"\n')
    assert load_settings(tmp_path / "own.toml").of(LfaSettings).start_weights == str(tmp_path / "weights.npy")


def test_a_run_goes_on_without_the_weights_it_began_with(tmp_path: Path) -> None:
    first = crawled(tmp_path / "first")
    whole = crawled(tmp_path / "whole", budget=30, concurrency=1, lfa__start_weights=str(first))
    halves = crawled(tmp_path / "halves", budget=5, concurrency=1, lfa__start_weights=str(first))
    shutil.rmtree(first)
    resume(halves, budget=30, vectors=hashed_vectors()).close()
    assert story(halves) == story(whole)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "neither a run nor a .npy file"),
        (b"no numbers", "neither a run nor a .npy file"),
        (np.ones(WIDTH - 1), f"has {WIDTH - 1} weights and this crawl needs {WIDTH}"),
        (np.ones((2, WIDTH)), "no row of finite numbers"),
        (np.full(WIDTH, np.nan), "no row of finite numbers"),
        (np.array(["a"] * WIDTH), "no row of finite numbers"),
        (np.array(1.0), "no row of finite numbers"),
    ],
)
def test_a_file_that_holds_no_fitting_weights_is_refused_and_nothing_is_written(
    tmp_path: Path, content: object, complaint: str
) -> None:
    file = tmp_path / "weights.npy"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        np.save(file, np.asarray(content))
    with pytest.raises(SettingsError, match=r"lfa\.start_weights") as caught:
        crawled(tmp_path / "run", lfa__start_weights=str(file))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_weights_of_other_features_are_refused_though_they_are_as_many(tmp_path: Path) -> None:
    first = crawled(tmp_path / "first", lfa__features="pertejo")
    with pytest.raises(SettingsError, match=r"with lfa\.features 'pertejo', not 'continuous'"):
        crawled(tmp_path / "run", lfa__features="continuous", lfa__start_weights=str(first))


def test_weights_of_another_number_of_categories_are_refused(tmp_path: Path) -> None:
    first = crawled(tmp_path / "first", topic__categories=["earth"])
    with pytest.raises(SettingsError, match=f"has {WIDTH - 4} weights and this crawl needs {WIDTH}"):
        crawled(tmp_path / "run", lfa__start_weights=str(first))


def test_a_run_of_a_strategy_without_weights_is_refused(tmp_path: Path) -> None:
    first = crawled(tmp_path / "first", "breadth-first")
    with pytest.raises(StrategyError, match="was crawled by breadth-first, which learns no such weights"):
        learned_weights(first)
    with pytest.raises(SettingsError, match=r"lfa\.start_weights .*breadth-first"):
        crawled(tmp_path / "run", lfa__start_weights=str(first))
    with pytest.raises(SettingsError, match=r"lfa\.start_weights"):
        crawled(tmp_path / "run", lfa__start_weights=str(tmp_path))


def test_a_step_size_too_large_ends_in_one_line_and_the_run_stays_whole(tmp_path: Path) -> None:
    run = tmp_path / "run"
    with pytest.raises(StrategyError, match=r"have diverged at step \d+: .*lower lfa\.step_size, now 1") as caught:
        crawled(run, budget=150, lfa__step_size=1.0)
    assert "\n" not in str(caught.value)
    with open_run(run) as opened:
        assert opened.progress.steps > 3
    with pytest.raises(StrategyError, match="have diverged"):
        resume(run, vectors=hashed_vectors())
    settings = run / "settings.toml"
    settings.write_text(settings.read_text().replace("step_size = 1.0", "step_size = 1e-9"))
    with resume(run, vectors=hashed_vectors()) as opened:
        assert opened.progress.steps == 150
