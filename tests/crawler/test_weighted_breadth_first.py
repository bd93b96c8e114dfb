"""Weighted breadth-first search in a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.driving import HandWired, script_settings
from crawler.small_crawls import contents, settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import crawl
from scripted_world import ScriptedWorld, redirect_to
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("concurrency", [8, thorough(1)])
def test_without_a_topic_it_is_breadth_first(tmp_path: Path, concurrency: int) -> None:
    overrides: dict[str, object] = {"topic__name": "", "topic__keywords": []}
    for strategy in ("breadth-first", "weighted-breadth-first"):
        settings = settings_for(strategy, budget=60, concurrency=concurrency, **overrides)  # type: ignore[arg-type]
        crawl(tmp_path / strategy, settings, vectors=hashed_vectors()).close()
    unweighted, plain = story(tmp_path / "weighted-breadth-first"), story(tmp_path / "breadth-first")
    assert len(plain) == 60
    assert unweighted == plain
    assert contents(tmp_path / "weighted-breadth-first") == contents(tmp_path / "breadth-first")


def test_with_weights_it_is_another_crawl_and_scores_are_topic_weights(tmp_path: Path) -> None:
    for strategy in ("breadth-first", "weighted-breadth-first"):
        crawl(tmp_path / strategy, settings_for(strategy, budget=60), vectors=hashed_vectors()).close()
    weighted = story(tmp_path / "weighted-breadth-first")
    assert [step[0] for step in weighted] != [step[0] for step in story(tmp_path / "breadth-first")]
    weights = {0.0, 1.0, *(1 / (distance + 2) for distance in range(21))}
    seen = {step[2] for step in weighted}
    assert seen <= weights
    assert len(seen) > 2


def test_a_weight_from_beyond_the_stored_words_is_that_of_a_redirects_end_also_after_a_resume(tmp_path: Path) -> None:
    far = " ".join(f"w{number}" for number in range(40))
    world = ScriptedWorld(
        {
            "http://s.test/": f"<p>rock {far} <a href='/moved'>x</a></p>",
            "http://s.test/moved": redirect_to("http://s.test/new"),
            "http://s.test/new": "end",
        }
    )
    settings = script_settings("weighted-breadth-first", weighted_breadth_first__reach=60)
    begun = HandWired(tmp_path / "run", world, settings)
    begun.follow("http://s.test/")
    begun.close()
    HandWired(tmp_path / "run", world, settings).run()
    assert [(url.path, score) for url, _, score, *_ in story(tmp_path / "run")] == [  # type: ignore[attr-defined]
        ("/", 0.0),
        ("/moved", 1 / 42),
        ("/new", 1 / 42),
    ]
