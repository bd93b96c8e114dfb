"""Stems and stop words, by language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.settings.sections import LANGUAGES
from honeyguide.text import Stems, stop_words, words_of
from honeyguide.text.tokens import CACHED_STEMS, languages


def test_forms_of_a_word_have_one_stem_and_other_words_another() -> None:
    stems = Stems()
    assert len(set(stems.of(["rock", "rocks", "rock's", "rock’s"]))) == 1
    assert stems.of(["mineral"]) == stems.of(["minerals"]) != stems.of(["mining"])


def test_stemming_follows_the_language() -> None:
    assert Stems("german").of(["häuser"]) == Stems("german").of(["haus"])
    assert Stems("english").of(["häuser"]) != Stems("english").of(["haus"])


@given(st.lists(st.text(max_size=8).map(str.lower), max_size=20))
def test_a_stem_depends_on_nothing_but_its_word(words: list[str]) -> None:
    stems = Stems()
    assert stems.of(words) == [Stems().of([word])[0] for word in words] == stems.of(words)


def test_a_full_cache_starts_over_with_the_same_stems() -> None:
    stems = Stems()
    many = [f"rocks{number}" for number in range(CACHED_STEMS + 1)]
    assert stems.of(many)[:2] == ["rocks0", "rocks1"]
    assert stems.of(["minerals", "rocks0"]) == ["miner", "rocks0"]


def test_every_language_of_the_settings_has_stems_and_stop_words() -> None:
    assert languages() == LANGUAGES
    for language in LANGUAGES:
        assert len(stop_words(language)) > 150
        assert Stems(language).of(["x"]) == ["x"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_stop_words_are_written_as_the_words_of_a_text_are(language: str) -> None:
    assert [word for word in sorted(stop_words(language)) if words_of(word) != [word]] == []


def test_stop_words_hold_sentences_together_and_are_not_subjects() -> None:
    sentence = "The rocks of the moon are not like those that we have seen here, and don't melt"
    assert [word for word in words_of(sentence) if word not in stop_words("english")] == [
        "rocks", "moon", "seen", "melt",
    ]  # fmt: skip
    assert "don’t" in stop_words("english")
