"""What of a page is text, and how it falls into words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.parse.marked_text import read_plain
from honeyguide.text import words_of
from parse.parsed import page_of


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("H<sub>2</sub>O and <b>b</b>old", "H2O and bold"),
        ("H<SUB>2</SUB>O", "H2O"),
        ("<p>one</p><p>two</p>", "one two"),
        ("one<br>two<BR/>three", "one two three"),
        ("<ul><li>one<li>two</ul>", "one two"),
        ("<table><tr><td>one<td>two<tr><th>three</table>", "one two three"),
        ("re<!-- note -->act", "react"),
        ("un<wbr>breakable hy&shy;phen", "unbreakable hyphen"),
        ("  a \n\t b&nbsp;&nbsp;c ", "a b c"),
        ("caf&eacute; &lt;tag&gt; &#x41;", "café <tag> A"),
    ],
)
def test_blocks_separate_words_and_inline_markup_does_not(html: str, text: str) -> None:
    assert page_of(html).text == text


@pytest.mark.parametrize(
    "html",
    [
        "<script>hidden()</script>",
        "<style>p { hidden }</style>",
        "<noscript>hidden</noscript>",
        "<template>hidden <a href='/x'>hidden</a></template>",
        "<svg><title>hidden</title><text>hidden</text><a href='/x'>hidden</a></svg>",
        "<iframe>hidden</iframe>",
        "<!-- hidden -->",
        "<title>hidden</title>",
        "<math><mi>hidden</mi></math>",
    ],
)
def test_what_no_reader_sees_is_not_text(html: str) -> None:
    page = page_of(f"<p>seen {html} text")
    assert page.text == "seen text"
    assert page.links == ()


def test_words_are_lower_case() -> None:
    assert page_of("<p>Rock AND Mineral’s don't 'quoted' snake_case").words == (
        "rock", "and", "mineral’s", "don't", "quoted", "snake", "case",
    )  # fmt: skip


@given(st.text(st.sampled_from("ab1_ '’‘“”—\xa0.é†Σ")))
def test_the_short_ways_to_words_lead_to_those_of_the_rule(text: str) -> None:
    assert list(read_plain(text).words) == words_of(text)


def test_title_is_folded_and_decoded() -> None:
    assert page_of("<title>\n Rocks &amp;\n  minerals </title><p>x").title == "Rocks & minerals"


def test_title_of_a_drawing_is_not_the_title_of_the_page() -> None:
    assert page_of("<body><svg><title>icon</title></svg><p>x").title == ""
    assert page_of("<svg><title>icon</title></svg><title>page</title>").title == "page"


def test_first_title_that_says_something_counts() -> None:
    page = page_of("<title></title><body><p>x<title>second</title><title>third</title>")
    assert page.title == "second"
    assert page.words == ("x",)


def test_title_survives_markup_that_ends_the_head_early() -> None:
    page = page_of("<head><noscript><img src=p></noscript><title>kept</title></head><body>text")
    assert page.title == "kept"
    assert page.text == "text"


def test_plain_main_text_is_one_span_over_everything() -> None:
    assert page_of("<p>one two <a href='/x'>three</a> four").main_spans == ((0, 4),)


def test_titles_of_drawings_and_of_what_is_not_seen_name_no_page() -> None:
    hidden = "<svg><title>an icon</title></svg><noscript><title>no script</title></noscript>"
    page = page_of(f"<head></head><body>{hidden}<p>seen <title>stray</title> too")
    assert (page.title, page.words) == ("stray", ("seen", "too"))
