"""What a process remembers changes nothing but the time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from honeyguide.settings import settings_from, with_overrides
from honeyguide.text import WordllamaVectors, WordVectors
from honeyguide_lab.reproduce import unkept_crawl as memory
from honeyguide_lab.reproduce.unkept_crawl import Memory, RememberingVectors, TaskSequence, memory_for
from honeyguide_lab.spec import LABORATORY

if TYPE_CHECKING:
    from pathlib import Path


def crawled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """Two tasks in a process that remembers nothing at first."""
    fresh = Memory()
    monkeypatch.setattr("honeyguide_lab.reproduce.unkept_crawl.memory_for", lambda _: fresh)
    document = {
        "topic": {"name": "geology", "categories": ["science"]},
        "crawl": {"world": "synthetic:seed=2,pages=400,hosts=6", "strategy": "lfa-sync"},
        "judge": {"relevant_when": "word", "reward": "han2018"},
        "budget": {"fetches": 40},
    }
    sequence = TaskSequence(folder, with_overrides(settings_from(document), LABORATORY), tasks=2)
    sequence.make(lambda: False, lambda _: None)
    return [task.urls for task in sequence.crawled()]


def test_forgetting_in_between_changes_no_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remembered = crawled(tmp_path / "remembered", monkeypatch)
    monkeypatch.setattr(memory, "MOST_PAGES", 7)
    assert crawled(tmp_path / "forgotten", monkeypatch) == remembered


def test_remembered_rows_are_those_of_plain_vectors() -> None:
    plain, remembering = WordVectors(WordllamaVectors()), RememberingVectors(WordllamaVectors())
    words = ("a", "rock", "is", "a", "mineral", "and", "a", "mineral", "is", "a", "rock", "in", "the", "end")
    remembering.remember(words)
    spans = ((1, 5), (7, 9))
    for _ in range(2):
        own, other = remembering.look_up(words), plain.look_up(words)
        assert np.array_equal(own.text_vector(), other.text_vector())
        assert np.array_equal(own.within(spans).text_vector(), other.within(spans).text_vector())
        begins, ends = np.array([0, 3]), np.array([4, 3])
        assert np.array_equal(own.span_sums(begins, ends, 64), other.span_sums(begins, ends, 64))


def test_a_text_is_known_by_itself_and_not_by_its_place_in_memory() -> None:
    vectors = RememberingVectors(WordllamaVectors())
    for number in range(200):  # texts that are let go may have the address of a later one
        words = tuple(f"{name}{number}" for name in ("rock", "moon"))
        vectors.remember(words)
        assert np.array_equal(vectors.look_up(words).text_vector(), vectors.vector([*words]))


def test_a_text_vector_that_is_shared_cannot_be_changed() -> None:
    vectors = RememberingVectors(WordllamaVectors())
    words = ("rock", "moon")
    vectors.remember(words)
    with pytest.raises(ValueError, match="read-only"):
        vectors.look_up(words).text_vector()[0] = 1.0


def test_crawls_that_read_pages_alike_share_a_memory() -> None:
    def of(profile: str) -> Memory:
        return memory_for(settings_from({"crawl": {"profile": profile, "world": "synthetic:seed=2,pages=400"}}))

    assert of("pertejo2021") is of("pertejo2021-dqn")
    assert of("pertejo2021") is not of("wikipedia")
