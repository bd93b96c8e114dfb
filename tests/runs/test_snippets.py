"""The part of a page that speaks of the topic."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.runs import Snippets
from honeyguide.runs.reading import LONGEST


def marked(snippets: Snippets, text: str) -> list[str]:
    return [piece for piece, is_marked in snippets.of(text).pieces() if is_marked]


def test_the_window_with_the_most_words_of_the_topic_is_shown() -> None:
    text = "One rock. " + "filler " * 50 + "Here rocks and minerals meet. " + "filler " * 50
    snippets = Snippets(["rock", "mineral"], words=12)
    assert marked(snippets, text) == ["rocks", "minerals"]
    assert snippets.of(text).text == "… filler Here rocks and minerals meet. " + "filler " * 6 + "…"


def test_different_words_count_for_more_than_one_again_and_again() -> None:
    text = "rock rock rock " + "filler " * 50 + "rock mineral " + "filler " * 50
    assert marked(Snippets(["rock", "mineral"], words=12), text) == ["rock", "mineral"]


def test_words_of_a_phrase_count_in_any_form() -> None:
    assert marked(Snippets(["igneous rocks"]), "A ROCK is Igneous") == ["ROCK", "Igneous"]


def test_without_such_words_it_is_the_beginning() -> None:
    text = "first " + "filler " * 100
    assert Snippets(["rock"], words=5).of(text).text == "first filler filler filler filler …"
    assert Snippets([], words=5).of(text).marks == ()


def test_a_short_text_is_shown_whole() -> None:
    assert Snippets(["rock"]).of("(A rock.)").text == "(A rock.)"
    assert Snippets(["rock"]).of("").text == ""
    assert Snippets(["rock"]).of(" … ").text == "…"


def test_letters_that_grow_in_lower_case_do_not_move_the_marks() -> None:
    assert marked(Snippets(["rock"]), "İİİİ a rock") == ["rock"]


@given(st.text(), st.lists(st.text(max_size=6), max_size=3))
def test_a_snippet_is_short_and_its_pieces_make_it(text: str, phrases: list[str]) -> None:
    snippet = Snippets(phrases, words=6).of(text)
    assert len(snippet.text) <= LONGEST
    assert "".join(piece for piece, _ in snippet.pieces()) == snippet.text
    assert all(snippet.text[start:end].strip() for start, end in snippet.marks)


def test_a_word_without_end_is_cut() -> None:
    assert len(Snippets(["rock"]).of("a" * 10_000).text) == LONGEST
