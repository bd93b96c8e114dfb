"""Text of strangers is shown, never obeyed."""

from __future__ import annotations

from html import unescape
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.runs.report.escaping import link, piece, shown


class Seen(HTMLParser):
    """The tags and the text that a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text())
def test_no_text_makes_a_tag_or_ends_an_attribute(text: str) -> None:
    seen = Seen(f'<i title="{shown(text)}">{shown(text)}{piece(text)}</i>')
    assert [tag for tag, _ in seen.tags] == ["i"]
    assert seen.tags[0][1].keys() == {"title"}
    shown(text).encode()


def test_long_text_is_cut_and_what_turns_lines_around_is_left_out() -> None:
    assert unescape(shown("a" * 300)) == "a" * 199 + "…"
    assert shown("a\u202eb\x00c\ud800") == "a b c"
    assert piece(" a \n") == " a  "


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", " http://x", "//x", "", "JAVASCRIPT:x"])
def test_only_web_addresses_are_links(url: str) -> None:
    assert link(url, "inner") == "inner"


def test_a_link_keeps_its_address_and_tells_nobody_where_it_stands() -> None:
    (tag, attributes) = Seen(link('http://s.test/?a=1&b="2"', "x")).tags[0]
    assert tag == "a"
    assert attributes["href"] == 'http://s.test/?a=1&b="2"'
    assert "noreferrer" in (attributes["rel"] or "")
