"""The bundled vectors: a word's vector is the mean over its tokens, however words are put together for encoding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honeyguide.text import WordllamaVectors

plain_words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=30)
# Words beside what the tokenizer gives a meaning of its own.
odd_texts = st.text("ab <s>/▁\n\x00é", max_size=6)


@pytest.fixture(scope="module")
def source() -> WordllamaVectors:
    return WordllamaVectors()


def mean_over_tokens(source: WordllamaVectors, word: str) -> np.ndarray:
    tokens = source._tokenizer.encode(word, add_special_tokens=False).ids
    if not tokens:
        return np.zeros(source.dimension, dtype=np.float32)
    total = np.add.reduceat(source._vector_by_token[tokens], [0], axis=0)[0]
    mean: np.ndarray = (total / len(tokens)).astype(np.float32)
    return mean


@given(st.lists(st.one_of(plain_words, odd_texts), max_size=8))
@example(["rock", "<s>", "stone"])
@example(["rock", "a<s>b", "</s>", "stone"])
@example(["", "rock stone"])
def test_a_words_vector_is_the_mean_over_its_tokens_to_the_last_bit(source: WordllamaVectors, words: list[str]) -> None:
    vectors = source.vectors(words)
    assert vectors.shape == (len(words), source.dimension)
    assert vectors.dtype == np.float32
    for vector, word in zip(vectors, words, strict=True):
        assert vector.tobytes() == mean_over_tokens(source, word).tobytes()


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 10, 17, 200])
def test_words_of_few_and_of_many_tokens_are_added_up_alike(source: WordllamaVectors, count: int) -> None:
    digits = "31415926535897932384"
    word = (digits * 10)[: count - 1]  # one token for each digit, and one before them
    assert len(source._tokenizer.encode(word, add_special_tokens=False).ids) == (count if word else 0)
    for words in ([word], ["rock", word, "unfathomable"], [word, word + "1", word[1:]]):
        for vector, one in zip(source.vectors(words), words, strict=True):
            assert vector.tobytes() == mean_over_tokens(source, one).tobytes()


def test_no_token_spans_two_words(source: WordllamaVectors) -> None:
    spanning = [token for token in source._tokenizer.get_vocab() if "▁" in token.lstrip("▁")]
    assert spanning == []


def test_no_words_have_no_vectors(source: WordllamaVectors) -> None:
    assert source.vectors([]).shape == (0, source.dimension)
