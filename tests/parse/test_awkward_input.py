"""Whatever arrives is a page, and what the page says of itself is consistent."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honeyguide.model import Cap, Page, Url
from honeyguide.text.tokens import words_of
from parse.parsed import PAGE_URL, page_of

TAGS = [
    "a",
    "b",
    "p",
    "div",
    "nav",
    "table",
    "td",
    "object",
    "button",
    "main",
    "header",
    "svg",
    "title",
    "li",
    "select",
]
FRAGMENTS = [
    *(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "<a href=/x>", "<a href='y?q#z' rel='Next'>", "</a>",
    "<A HREF=page.html>", "<area href=/z alt='an area'>", "<img alt=\"it's\">", "<base href=/b/>", "<div class=menu>",
    "<div role=main>", "<!--", "-->", "<![CDATA[", "<", ">", "&", "&#1;", "&#2;", "&shy;", "&nbsp;", "\x00", "\x01",
    "\x02", "\x1c", "'", "’", "_", "-", ".", " ", "\n", "\u2003", "\u200b", "İ", "ß", "Σ", "ΟΔΟΣ", "ʼ", "ǅ", "é",
    "e\u0301", "Ⅷ", "ⓐ", "²", "א", "中文", "😀", "\ufffd", "word", "UPPER", "x1", "<body>", "<frameset>",
    "<template>", "<textarea>",
]  # fmt: skip
htmlish = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=40).map("".join)


def assert_consistent(page: Page) -> None:
    assert words_of(page.text) == list(page.words)
    assert page.text == " ".join(page.text.split())
    ends = [0, *(edge for span in page.main_spans for edge in span), len(page.words)]
    assert ends == sorted(ends)
    assert len({link.target for link in page.links}) == len(page.links)
    for link in page.links:
        assert link.occurrences
        assert link.target != PAGE_URL
        for place in link.occurrences:
            assert words_of(place.anchor) == list(page.words[place.start : place.end])
    starts = [link.occurrences[0].start for link in page.links]
    assert starts == sorted(starts)


@given(htmlish)
@example("Σ<a href=/x>.Α</a>")
@example("don<a href=/x>'t</a>")
@example("<a href=/x>İ</a>x")
@example("<body role=main><a href=/x>")
def test_pages_made_of_broken_markup_are_consistent(html: str) -> None:
    assert_consistent(page_of(html))


@given(st.binary(max_size=400), st.sampled_from(["text/html", "text/plain", "", "text/html; charset=utf-16", ";;="]))
def test_arbitrary_bytes_are_pages(body: bytes, content_type: str) -> None:
    assert_consistent(page_of(body, content_type))


@given(st.text(max_size=200))
def test_plain_text_has_the_words_of_its_text(text: str) -> None:
    page = page_of("plain " + text.replace("\x01", ""), "text/plain; charset=utf-8")
    if page.media_type == "text/plain":
        assert_consistent(page)


@given(htmlish, st.integers(min_value=0, max_value=200))
def test_truncated_pages_are_pages(html: str, cut: int) -> None:
    assert_consistent(page_of(html.encode("utf-8", "replace")[:cut]))


@pytest.mark.parametrize(
    "tag", ["div", "b", "a href=/x", "table><tr><td", "ul><li", "nav", "header", "div class=nav", "object><a href=/x"]
)
def test_five_thousand_nested_elements_are_a_page(tag: str) -> None:
    page = page_of(f"<{tag}>" * 5000 + "deep <a href='/end'>down</a>")
    assert page.words == ("deep", "down")
    is_cut = Cap.LINKS in page.cut_by
    assert is_cut == ("href" in tag)
    assert (Url.parse("/end", PAGE_URL) in [link.target for link in page.links]) != is_cut


@pytest.mark.parametrize("html", ["", " ", "<html>", "<!doctype html>", "</p>", "\x00", "<html></html>", "<!--"])
def test_nothing_to_read_is_an_empty_page(html: str) -> None:
    page = page_of(html)
    assert (page.text, page.words, page.main_spans, page.links) == ("", (), (), ())


def test_a_frameset_is_a_page_without_text() -> None:
    page = page_of("<title>old</title><frameset cols=1><frame src=a><noframes>sorry</noframes></frameset>")
    assert (page.title, page.words) == ("old", ())


def test_a_huge_attribute_is_left_out() -> None:
    page = page_of(f"<p>one <a href='/{'x' * 1_000_000}'>two</a> <a href=/y title='{'z' * 1_000_000}'>three</a>")
    assert page.words == ("one", "two", "three")
    assert [link.target.path for link in page.links] == ["/y"]


def test_lone_surrogates_become_replacement_characters() -> None:
    assert page_of("<p>one \ud800 two &#xD800; three").words == ("one", "two", "three")


def test_zero_characters_do_not_cut_the_page_short() -> None:
    assert page_of("<p>one\x00 two <a href='/x\x00y'>three</a> &#0; four").words[1:] == ("two", "three", "four")
