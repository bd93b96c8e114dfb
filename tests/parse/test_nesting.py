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


@pytest.mark.parametrize(
    "unit",
    [
        "<div><!--</div>-->",
        '<div a="</div>">',
        "<div><script></div></script>",
        "<div><textarea></div></textarea>",
    ],
)
def test_ends_in_comments_attributes_and_scripts_do_not_make_room(unit: str) -> None:
    assert len(affordable_part(unit * 20_000)) <= (DEEPEST + 1) * len(unit)


@pytest.mark.parametrize(
    "unit",
    [
        "<font c={}><p><!--</font>-->",
        '<font c="{}</font>"><p>',
        "<font c={}><p><td>",
        "<font c={}><p></table><table><td></table>",
        "<font c={}><p><!--<table>--><td>",
    ],
)
def test_formatting_that_only_seems_to_be_closed_is_cut(unit: str) -> None:
    html = "<table></table>" + "".join(map(unit.format, range(20_000)))
    assert len(affordable_part(html)) < len(html) / 10


@pytest.mark.parametrize(
    "html",
    [
        "<table>" + "<tr><td><font color=red>1<td><font size=2>2" * 2000,
        "<table><td>" + "<table><td><font a=1>x</font></table>" * 10_000,
        "<p><font color=red>x</font>" * 20_000,
        "<!-- <div><p>old</div> --><script>'<div>'+'</div>'</script><p title='<b>x</b>'>x" * 6000,
    ],
)
def test_formatting_and_markup_that_people_write_is_left_alone(html: str) -> None:
    assert affordable_part(html) is html
