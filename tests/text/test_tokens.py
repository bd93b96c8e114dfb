"""Words of texts and of addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.model import Url
from honeyguide.text import words_of, words_of_url


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
