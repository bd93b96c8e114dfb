"""Nesting is bounded: what no parser gets through in time is cut off, ordinary pages are left alone."""

from __future__ import annotations

import pytest

from honeyguide.model import Fetched, Url
from honeyguide.parse import parse
from honeyguide.parse.markup_cost import DEEPEST, affordable_part

HERE = Url.parse("http://here.test/")


def test_a_document_nested_without_end_is_cut_and_read_up_to_there() -> None:
    html = "<p>before</p>" + "<div>" * 160_000 + "deep"
    assert len(affordable_part(html)) == len("<p>before</p>") + DEEPEST * len("<div>")
    assert parse(HERE, Fetched(200, "text/html", html.encode())).words == ("before",)


@pytest.mark.parametrize(
    "html",
    [
        "<ul>" + "<li>one" * 30_000 + "</ul>",
        "<div><b>x</b></div>" * 20_000,
        "<table>" + "<tr><td>1" * 20_000,
        "a<b" * 5,
    ],
)
def test_long_flat_documents_are_left_alone(html: str) -> None:
    assert affordable_part(html) is html


def test_ends_without_a_beginning_do_not_make_room() -> None:
    flat = "</div></B>" * 10_000 + "<P><LI>x" * 10_000
    html = flat + "<div>" * DEEPEST + "</div>" * 10 + "<DIV>" * 20
    assert affordable_part(html) == flat + "<div>" * DEEPEST + "</div>" * 10 + "<DIV>" * 10
