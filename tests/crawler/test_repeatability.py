"""Offline, the same settings, seed and world give the same crawl, URL for URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crawler.small_crawls import contents, settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import crawl
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("concurrency", [3, thorough(1), thorough(16)])
@pytest.mark.parametrize(
    "strategy",
    ["random", "online-ridge", *map(thorough, ("depth-first", "iterative-deepening", "url-heuristic", "beam"))],
)
def test_the_same_settings_give_the_same_story_twice(tmp_path: Path, strategy: str, concurrency: int) -> None:
    for name in ("one", "two"):
        settings = settings_for(strategy, budget=45, concurrency=concurrency)
        crawl(tmp_path / name, settings, vectors=hashed_vectors()).close()
    assert len(story(tmp_path / "one")) == 45
    assert story(tmp_path / "one") == story(tmp_path / "two")
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_another_seed_gives_another_random_crawl(tmp_path: Path) -> None:
    for seed in (1, 2):
        settings = settings_for("random", budget=30, crawl__seed=seed)
        crawl(tmp_path / str(seed), settings, vectors=hashed_vectors()).close()
    assert {step[0] for step in story(tmp_path / "1")} != {step[0] for step in story(tmp_path / "2")}


def test_as_many_words_around_a_link_count_as_are_set(tmp_path: Path) -> None:
    """The scores of the links of the seeds; the anchor and the address count in any case."""

    def scores(words: int) -> list[object]:
        settings = settings_for("best-first", budget=12, parse__window_words=words)
        path = tmp_path / str(words)
        crawl(path, settings, vectors=hashed_vectors()).close()
        return [step[2] for step in story(path)]

    assert len({str(scores(words)) for words in (0, 5, 25)}) == 3
