"""The main text of a page, and the beginning of a text, cut between words."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.text import first_words, main_text, words_of
from pages import page_of


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
