"""A snippet is the part of a text that has most of the words asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.runs.snippets import SNIPPET_CHARACTERS, Snippet, SnippetMaker
from honeyguide.search.matching import MARK, analyzer, marked, unmarked

ENGLISH = analyzer("english")


def snippet(text: str, query: str) -> Snippet:
    return SnippetMaker(ENGLISH.analyze(marked(query)), ENGLISH.analyze).of(marked(text))


def highlighted(shown: Snippet) -> list[str]:
    return [shown.text[start:end] for start, end in shown.highlights]


def test_words_are_highlighted_however_they_are_inflected() -> None:
    shown = snippet("Rocks form. A rock is rocky; sprockets are none.", "rocks")
    assert highlighted(shown) == ["Rocks", "rock"]


def test_the_stretch_with_most_of_the_words_is_shown() -> None:
    text = "A rock. " + "filler " * 100 + "Here a rock meets a wave." + " more" * 100
    shown = snippet(text, "rock wave")
    assert highlighted(shown) == ["rock", "wave"]
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")
    assert len(shown.text) <= SNIPPET_CHARACTERS + 2


def test_a_sentence_is_shown_rather_than_a_list() -> None:
    sentence = "A rock is a solid; every rock is made of minerals, and no rock lasts. "
    links = "".join(f"Rock of place {n} " for n in range(12))
    assert snippet(sentence + "filler " * 100 + links, "rock").text.startswith("A rock is a solid")
    assert "Rock of place" in snippet("One rock. " + "filler " * 100 + links, "rock").text


def test_the_beginning_is_shown_where_no_word_stands() -> None:
    assert snippet("Once upon a time", "zebra") == Snippet("Once upon a time")
    assert snippet("", "zebra") == Snippet("")


def test_what_came_from_a_page_is_escaped() -> None:
    shown = snippet('<script>alert("rock")</script> & more', "rock")
    assert shown.html() == "&lt;script&gt;alert(&quot;<b>rock</b>&quot;)&lt;/script&gt; &amp; more"


def test_places_are_counted_in_characters() -> None:
    assert highlighted(snippet("Ein 東京 naïve Café 🪨 rock", "cafe rock")) == ["Café", "rock"]
    assert highlighted(snippet("高い東京タワーです", "東京")) == ["東京"]
    assert MARK not in snippet("高い東京タワーです", "東京").text
    assert highlighted(snippet("I don't know", "don't")) == ["don't"]
    assert highlighted(snippet("İİİ a rock", "rock")) == ["rock"]


@given(st.text(max_size=600), st.text(max_size=20))
def test_any_text_has_a_snippet_that_is_part_of_it(text: str, query: str) -> None:
    shown = snippet(text, query)
    assert len(shown.text) <= SNIPPET_CHARACTERS + 2
    assert shown.text.strip("…") in unmarked(marked(text)) or "…" in text
    places = [0, *(place for pair in shown.highlights for place in pair), len(shown.text)]
    assert places == sorted(places)
    assert "".join(part for part, _ in shown.pieces()) == shown.text


def test_different_words_count_for_more_than_one_again_and_again() -> None:
    text = "rock rock rock " + "filler " * 80 + "rock mineral " + "filler " * 80
    assert highlighted(snippet(text, "rock mineral")) == ["rock", "mineral"]


def test_a_word_without_end_is_cut() -> None:
    assert len(snippet("a" * 10_000, "rock").text) <= SNIPPET_CHARACTERS + 1
