"""Words and phrases of a text, counted by what all their forms share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.topic.gist import Phrase, PhraseReader

reader = PhraseReader()


def found(text: str) -> dict[str, int]:
    return {phrase.text: phrase.count for phrase in reader.read(text)}


def test_a_phrase_ends_at_stop_words_numbers_and_punctuation() -> None:
    assert found("Coral reefs and their decline") == {"coral reefs": 1, "coral": 1, "reefs": 1, "decline": 1}
    assert "reefs decline" not in found("coral reefs, decline")
    assert "years reefs" not in found("years 1998 reefs")
    assert "deep-sea corals" not in found("deep-sea corals")
    assert "deep sea corals" in found("deep-sea corals")


def test_forms_of_a_word_are_one_under_the_usual_form() -> None:
    assert found("reefs! reef? reefs. Reefs' end")["reefs"] == 4
    assert found("reefs, reef")["reef"] == 2


def test_a_long_run_gives_its_pairs_rather_than_slices_of_three() -> None:
    phrases = found("northern right whale population decline")
    assert "right whale" in phrases
    assert "right whale population" not in phrases


def test_in_a_long_text_a_phrase_must_come_back_and_stand_by_itself() -> None:
    filler = ". ".join(f"word{number}x" for number in range(40))
    assert "coral reefs" not in found(f"coral reefs. {filler}")
    assert "coral reefs" in found(f"coral reefs. {filler}. Coral reefs.")
    assert "coral reefs" not in found(f"big coral reefs. {filler}. Old coral reefs.")


def test_a_part_of_a_phrase_is_not_told_apart_from_it() -> None:
    assert "great barrier" not in found("great barrier reef")
    assert "great barrier" in found("great barrier reef. great barrier")


@pytest.mark.parametrize("text", ["", "the of and", "1998 2000", "- … -", "\0\x01", "ab c"])
def test_a_text_without_content_has_no_phrases(text: str) -> None:
    assert reader.read(text) == []


def test_scripts_without_spaces_and_accents_have_words_too() -> None:
    assert found("火山") == {"火山": 1}
    assert "école" in found("l'école, École école")


@given(st.text(st.sampled_from("reefs coral. the 1,"), max_size=200))
def test_counts_are_those_of_the_words_in_the_text(text: str) -> None:
    for phrase in reader.read(text):
        assert phrase.count >= 1
        assert len(phrase.words) == len(phrase.stem) <= 3
        assert reader.stem(phrase.text) == phrase.stem
    assert reader.read(text) == PhraseReader().read(text)


def test_stems_and_content() -> None:
    assert reader.stem("Coral Reefs") == ("coral", "reef")
    assert reader.content_stems("the coral of the reefs") == frozenset({"coral", "reef"})
    assert reader.without_stop_words("The coral of the reefs in 1998") == "coral reefs"
    assert Phrase("coral reefs", ("coral", "reef"), 2).words == ("coral", "reefs")
