"""Deep Q-learning in whole crawls of the synthetic web."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.small_crawls import settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import crawl, resume
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch", reason="needs PyTorch, the extra deep")

VARIANTS = [
    thorough({"dqn__target": "ordinary", "dqn__dueling": "mean", "dqn__mode": "asynchronous"}),
    thorough({"dqn__target": "clipped-double", "dqn__dueling": "max"}),
    {"dqn__features": "continuous", "dqn__draws": "link", "dqn__training_steps": 50, "dqn__learns_in_test": False},
]


def relevant_found(path: Path, strategy: str, seed: int) -> int:
    settings = settings_for(strategy, budget=250, crawl__seed=seed, dqn__dropout=0.0)
    with crawl(path, settings, vectors=hashed_vectors()) as run:
        return run.progress.relevant


@pytest.mark.thorough
def test_dqn_finds_more_than_chance_does(tmp_path: Path) -> None:
    for seed in (1, 2):
        found = {name: relevant_found(tmp_path / f"{name}-{seed}", name, seed) for name in ("dqn", "random")}
        assert found["dqn"] > 1.3 * found["random"]


@pytest.mark.parametrize("variant", VARIANTS, ids=["dueling, asynchronous", "clipped, dueling", "continuous, tested"])
def test_every_variant_of_dqn_repeats_and_survives_an_interruption(tmp_path: Path, variant: dict[str, object]) -> None:
    settings = settings_for("dqn", budget=90, **variant)  # type: ignore[arg-type]
    crawl(tmp_path / "whole", settings, vectors=hashed_vectors()).close()
    patience = iter(range(60))
    crawl(
        tmp_path / "broken", settings, vectors=hashed_vectors(), is_interrupted=lambda: next(patience, None) is None
    ).close()
    assert 20 < len(story(tmp_path / "broken")) < 90
    resume(tmp_path / "broken", vectors=hashed_vectors()).close()
    assert story(tmp_path / "broken") == story(tmp_path / "whole")


def test_the_seed_of_the_crawl_is_the_seed_of_the_network(tmp_path: Path) -> None:
    scores = []
    for name, seed in (("one", 1), ("two", 1), ("three", 2)):
        settings = settings_for("dqn", budget=10, crawl__seed=seed)
        crawl(tmp_path / name, settings, vectors=hashed_vectors()).close()
        scores.append([step[2] for step in story(tmp_path / name)])
    assert scores[0] == scores[1] != scores[2]
