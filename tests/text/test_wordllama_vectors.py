"""The default vectors are those of the wordllama package, however they are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from honeyguide.text import wordllama as wordllama_vectors
from honeyguide.text.wordllama import WordllamaVectors

if TYPE_CHECKING:
    import pytest


def test_files_of_the_wheel_hold_what_the_package_would_load() -> None:
    read, loaded = wordllama_vectors._read_from_wheel(), wordllama_vectors._loaded_by_wordllama()
    assert read is not None
    assert np.array_equal(read[1], loaded[1])
    assert read[0].get_vocab() == loaded[0].get_vocab()


def test_a_release_with_other_files_is_loaded_by_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["basalt", "columns", "don't"]
    expected = WordllamaVectors().vectors(words)
    monkeypatch.setattr(wordllama_vectors, "_TABLE_FILE", "weights/renamed.safetensors")
    assert wordllama_vectors._read_from_wheel() is None
    assert np.array_equal(WordllamaVectors().vectors(words), expected)
