"""Nearest words are those a plain sort would give, whatever the blocks; the wheel's files hold the bundled vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.text import EnglishVectors, WordllamaVectors, cosine, neighbours
from honeyguide.text import wordllama as wordllama_vectors
from honeyguide.text.vectors import BLOCK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Listed:
    """A vocabulary of words with given vectors, which remembers how many it was asked for at once."""

    def __init__(self, vector_by_word: dict[str, tuple[float, ...]]) -> None:
        self._vector_by_word = vector_by_word
        self.most_at_once = 0

    def has(self, word: str) -> bool:
        return word in self._vector_by_word

    def words(self) -> Sequence[str]:
        return list(self._vector_by_word)

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        self.most_at_once = max(self.most_at_once, len(words))
        return np.array([self._vector_by_word[word] for word in words], dtype=np.float32)


def by_sorting(vector_by_word: dict[str, tuple[float, ...]], vector: NDArray[np.float64], count: int) -> list[str]:
    near = {word: cosine(np.array(each, dtype=np.float64), vector) for word, each in vector_by_word.items()}
    return sorted(near, key=lambda word: (-near[word], word))[:count]


# Few directions, so that there are many ties.
vectors_by_word = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=4),
    st.tuples(*[st.sampled_from([-1.0, 0.0, 1.0])] * 2),
    min_size=1,
    max_size=30,
)


@given(vectors_by_word, st.sampled_from([(1.0, 0.0), (1.0, 1.0), (0.5, -0.25)]), st.integers(1, 35))
def test_they_are_what_sorting_everything_gives(
    vector_by_word: dict[str, tuple[float, ...]], vector: tuple[float, float], count: int
) -> None:
    asked = np.array(vector)
    assert [word for word, _ in neighbours(Listed(vector_by_word), asked, count)] == by_sorting(
        vector_by_word, asked, count
    )


def test_cosines_are_given_with_them() -> None:
    known = Listed({"up": (0.0, 2.0), "right": (3.0, 0.0), "left": (-1.0, 0.0), "between": (1.0, 1.0)})
    found = neighbours(known, np.array([5.0, 0.0]), 4)
    assert [word for word, _ in found] == ["right", "between", "up", "left"]
    assert [near for _, near in found] == pytest.approx([1.0, np.sqrt(0.5), 0.0, -1.0])


def test_ties_are_decided_by_letters_also_between_blocks() -> None:
    known = Listed({f"word{BLOCK * 3 - number:06}": (1.0, 0.0) for number in range(BLOCK * 2 + 5)})
    assert [word for word, _ in neighbours(known, np.array([1.0, 0.0]), 3)] == sorted(known.words())[:3]
    assert known.most_at_once <= BLOCK


@pytest.mark.parametrize("count", [0, -1])
def test_none_are_given_where_none_are_asked_for(count: int) -> None:
    assert neighbours(Listed({"up": (0.0, 1.0)}), np.array([0.0, 1.0]), count) == []


def test_nothing_is_near_the_zero_vector_or_in_an_empty_vocabulary() -> None:
    assert neighbours(Listed({"up": (0.0, 1.0)}), np.zeros(2), 3) == []
    assert neighbours(Listed({}), np.ones(2), 3) == []


@pytest.mark.parametrize("kind", [EnglishVectors, WordllamaVectors])
def test_the_bundled_vectors_name_plain_lower_case_words_and_know_what_is_near(
    kind: type[EnglishVectors | WordllamaVectors],
) -> None:
    source = kind()
    words = source.words()
    assert list(words) == sorted(set(words))
    assert all(len(word) >= 3 and word.isalpha() and word == word.lower() for word in words)
    assert {"rock", "river", "music"} <= set(words)
    assert source.has("rock")
    assert not source.has("asdfgh")
    (rock,) = source.vectors(["rock"]).astype(np.float64)
    near = [word for word, _ in neighbours(source, rock, 10)]
    assert near[0] == "rock"
    assert {"stone", "rocks"} & set(near)


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
