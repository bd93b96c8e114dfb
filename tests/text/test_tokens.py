"""Words, stems, stop words, and the main text of a page."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Url
from honeyguide.settings.judge_sections import LANGUAGES
from honeyguide.text import Stems, first_words, letters_of, main_text, stop_words, words_of, words_of_url
from honeyguide.text.telling import content_words
from honeyguide.text.tokens import CACHED_STEMS, languages
from pages import page_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Basalt columns, 60 of them.", ["basalt", "columns", "60", "of", "them"]),
        ("don't snake_case H2O naïve", ["don't", "snake", "case", "h2o", "naïve"]),
        ("  \n\t ", []),
        ("Ελληνικά Русский", ["ελληνικά", "русский"]),
    ],
)
def test_words_are_runs_of_letters_and_digits_in_lower_case(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@given(st.text())
def test_words_of_the_words_are_the_words(text: str) -> None:
    words = words_of(text)
    assert words_of(" ".join(words)) == words


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://www.rocks.org/igneous/Basalt_columns.html", ["rocks", "igneous", "basalt", "columns"]),
        (
            "http://example.com/camelCase/2006/index.php?topic=deepSea",
            ["example", "camel", "case", "topic", "deep", "sea"],
        ),
        ("http://a.test/caf%C3%A9%20bar", ["a", "test", "caf", "bar"]),
        ("http://127.0.0.1:8080/", []),
    ],
)
def test_words_of_an_address_are_those_a_person_would_read(url: str, words: list[str]) -> None:
    assert list(words_of_url(Url.parse(url))) == words


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
        assert len(stop_words(language)) >= 100
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


def test_what_is_outside_the_main_spans_is_left_out_and_the_rest_stays_as_written() -> None:
    page = page_of("Home | News. Basalt is dark, hard. It's old! Contact us. (End)", main=((2, 6), (6, 8), (10, 11)))
    assert main_text(page) == "Basalt is dark, hard. It's old! End)"


def test_a_page_that_is_all_main_text_keeps_every_letter() -> None:
    assert main_text(page_of(" Basalt, “granite”; ")) == " Basalt, “granite”; "


@given(st.text(), st.data())
def test_the_words_of_the_main_text_are_the_main_words(text: str, data: st.DataObject) -> None:
    count = len(words_of(text))
    cuts = sorted(data.draw(st.lists(st.integers(0, count), max_size=6, unique=True)))
    spans = tuple((first, end) for first, end in zip(cuts[::2], cuts[1::2], strict=False) if first < end)
    page = page_of(text, main=spans)
    assert tuple(words_of(main_text(page))) == page.main_words


@given(st.text(), st.integers(1, 5))
def test_the_first_words_are_a_beginning_of_the_text(text: str, count: int) -> None:
    cut = first_words(text, count)
    assert text.startswith(cut)
    if cut != text:
        assert cut[-1].isalnum()
        assert len(first_words(cut, count)) == len(cut)


def test_a_text_is_cut_after_the_word_asked_for() -> None:
    assert first_words("One, two; don't stop.", 3) == "One, two; don't"
    assert first_words("One, two.", 2) == "One, two."


@pytest.mark.parametrize(
    ("language", "sentence", "telling"),
    [
        ("polish", "Wulkany i trzęsienia ziemi na Islandii", "wulkany trzęsienia ziemi islandii"),
        ("russian", "Вулканы и землетрясения в Исландии", "вулканы землетрясения исландии"),
        ("swedish", "Vulkaner och jordbävningar på Island", "vulkaner jordbävningar island"),
        ("finnish", "Tulivuoret ja maanjäristykset sekä merten aallot", "tulivuoret maanjäristykset merten aallot"),
        ("turkish", "Yanardağlar ve depremler için haritalar", "yanardağlar depremler haritalar"),
        ("greek", "Τα ηφαίστεια και οι σεισμοί της Ισλανδίας", "ηφαίστεια σεισμοί ισλανδίας"),
        ("arabic", "البراكين في أيسلندا", "البراكين أيسلندا"),
        ("hungarian", "Vulkánok és földrengések Izlandon", "vulkánok földrengések izlandon"),
        ("indonesian", "Gunung dan gempa di Islandia", "gunung gempa islandia"),
    ],
)
def test_stop_words_say_nothing_also_where_the_language_is_not_told(language: str, sentence: str, telling: str) -> None:
    assert content_words(sentence, language) == telling.split()
    assert content_words(sentence) == telling.split()


def test_a_word_is_not_left_out_because_it_is_a_stop_word_of_yet_another_language() -> None:
    assert "sam" in stop_words("polish") - stop_words("german")
    assert content_words("Sam: Vulkane und Beben unter Gletschern") == ["sam", "vulkane", "beben", "gletschern"]


@given(st.text(st.one_of(st.characters(), st.characters(max_codepoint=127)), max_size=40))
def test_runs_of_letters_have_no_digit_sign_or_space_in_them(text: str) -> None:
    assert letters_of(text) == re.findall(r"[^\W\d_]+", text)
