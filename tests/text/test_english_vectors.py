"""The bundled table of English words: it goes by meaning, knows any word by its pieces, and keeps sums exact."""

from __future__ import annotations

import pickle
from importlib import resources

import numpy as np
import pytest

import honeyguide.text.english
from honeyguide.text import EnglishVectors, WordVectors, cosine, words_of
from honeyguide.text.english import TABLE_FILE, WORDS_FILE
from honeyguide.text.vectors import GRAIN

MOST_BYTES = 10_000_000


@pytest.fixture(scope="module")
def english() -> WordVectors:
    return WordVectors(EnglishVectors())


def near(english: WordVectors, one: str, other: str) -> float:
    return cosine(english.vector(words_of(one)), english.vector(words_of(other)))


@pytest.mark.parametrize(
    ("word", "by_meaning", "by_spelling"),
    [
        ("reef", "coral", "beef"),
        ("volcano", "lava", "volga"),
        ("cancer", "tumor", "dancer"),
        ("gold", "silver", "golf"),
    ],
)
def test_words_are_near_by_meaning_not_by_spelling(
    english: WordVectors, word: str, by_meaning: str, by_spelling: str
) -> None:
    assert near(english, word, by_meaning) > near(english, word, by_spelling) + 0.2


def test_words_that_say_nothing_hardly_turn_a_text(english: WordVectors) -> None:
    assert near(english, "coral reef", "what is it about the coral of a reef") > 0.85


@pytest.mark.parametrize(
    ("written", "plain"), [("volcano's", "volcano"), ("volcano’s", "volcano"), ("Résumés", "resumes"), ("café", "cafe")]
)
def test_an_apostrophe_or_accent_does_not_hide_a_word(english: WordVectors, written: str, plain: str) -> None:
    assert near(english, written, plain) == pytest.approx(1)


def test_a_word_that_is_not_in_the_table_is_known_by_its_pieces(english: WordVectors) -> None:
    assert "volcanologically" not in EnglishVectors().words()
    assert near(english, "volcanologically", "volcano") > near(english, "volcanologically", "football") + 0.2


def test_a_word_has_the_same_vector_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(honeyguide.text.english, "WORDS_AT_ONCE", 3)
    words = ["volcanologically", "rock", "火山", "word17", "xqzt", "", "lavaesque", "basaltique"]
    table = EnglishVectors()
    assert np.array_equal(table.vectors(words), np.concatenate([table.vectors([word]) for word in words]))
    assert table.vectors(words).any(axis=1).sum() == 6


@pytest.mark.parametrize("word", ["", "火山", "x" * 1000, "вулкан"])
def test_what_has_no_pieces_has_no_vector(word: str) -> None:
    assert not EnglishVectors().vectors([word]).any()


def test_numbers_keep_sums_exact_and_a_copy_in_another_process_is_equal() -> None:
    source = EnglishVectors()
    words = source.words()[::50]
    vectors = source.vectors(words)
    assert np.array_equal(vectors / GRAIN, np.round(vectors / GRAIN))
    packed = pickle.dumps(source)
    assert len(packed) < 1000
    copy = pickle.loads(packed)
    assert np.array_equal(copy.vectors(words), vectors)
    assert copy.digest == source.digest


def test_the_table_is_small_enough_for_the_wheel() -> None:
    folder = resources.files("honeyguide.text")
    sizes = [len(folder.joinpath(name).read_bytes()) for name in (TABLE_FILE, WORDS_FILE)]
    assert sum(sizes) <= MOST_BYTES + 1_000_000
    assert sizes[0] <= MOST_BYTES
