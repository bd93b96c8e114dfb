"""Text from the web is shown by the templates, never obeyed."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.runs.report.writing import plain, printable, templates


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


def rendered(source: str, **values: object) -> Seen:
    html = templates().from_string(source).render(**values)
    html.encode()
    return Seen(html)


@given(st.text())
@settings(max_examples=50)
def test_no_text_makes_a_tag_or_ends_an_attribute(text: str) -> None:
    filters = '<i title="{{ text | plain }}">{{ text | plain }}{{ text | printable }}{{ text | breakable }}</i>'
    seen = rendered(filters, text=text)
    assert {tag for tag, _ in seen.tags} <= {"i", "wbr"}
    assert seen.tags[0][1].keys() == {"title"}


def test_long_text_is_cut_and_what_turns_lines_around_is_left_out() -> None:
    assert plain("a" * 300) == "a" * 199 + "…"
    assert plain("a\u202eb\x00c\ud800") == "a b c"
    assert printable(" a \n") == " a  "


LINK = '{% import "parts.html" as parts %}{% call parts.link(url) %}inner{% endcall %}'


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", " http://x", "//x", "", "JAVASCRIPT:x"])
def test_only_web_addresses_are_links(url: str) -> None:
    seen = rendered(LINK, url=url)
    assert (seen.tags, seen.text) == ([], "inner")


def test_a_link_keeps_its_address_and_sends_no_referrer() -> None:
    (tag, attributes) = rendered(LINK, url='http://s.test/?a=1&b="2"').tags[0]
    assert tag == "a"
    assert attributes["href"] == 'http://s.test/?a=1&b="2"'
    assert "noreferrer" in (attributes["rel"] or "")
