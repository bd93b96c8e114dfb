"""Tags are looked at one by one only where counts over the whole document leave room for doubt; both cut alike."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from honeyguide.parse import markup_cost

if TYPE_CHECKING:
    from collections.abc import Iterator

ATTRIBUTE = r"""[\s/]++(?:([^\s/>][^\s/>=]*+)(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+)?+)?+)?+"""
TAG = re.compile(rf"</?([a-zA-Z][^\s/>]*+)(?:{ATTRIBUTE})*+")
MOST, STEPS = 4, 150


@pytest.fixture(autouse=True, scope="module")
def small_limits() -> Iterator[None]:
    """Limits that a document of some dozen characters comes near."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markup_cost, "FEW_CHARACTERS", 0)
        patch.setattr(markup_cost, "MOST_ATTRIBUTES", MOST)
        patch.setattr(markup_cost, "NAME_STEPS", STEPS)
        yield


@pytest.fixture(scope="module")
def small_depths() -> Iterator[None]:
    """Limits of depth, and of formatting that is left open, that a document of some dozen tags comes near."""
    small = {"FEW_TAGS": 0, "DEEPEST": 6, "STEPS": 60, "USUALLY_OPEN": 1, "COPIES": 12}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in small.items():
            patch.setattr(markup_cost, name, value)
        patch.setattr(markup_cost, "NAME_STEPS", 10**9)
        patch.setattr(markup_cost, "MOST_ATTRIBUTES", 10**9)
        yield


def counted_one_by_one(html: str) -> str:
    names: set[str] = set()
    steps = 0
    for tag in TAG.finditer(html):
        found = [tag[1].lower(), *re.findall(ATTRIBUTE, tag[0].lower())]
        names.update(found)
        steps += len(names) * len(found)
        if len(found) > MOST + 1 or steps > STEPS:
            return html[: tag.start()]
    return html


pieces = st.sampled_from(
    [
        "<",
        "</",
        "<a",
        "</a",
        "<B",
        ">",
        " ",
        "/",
        "\n",
        "\u2003",
        "=",
        "'",
        '"',
        "a",
        "b",
        "C",
        "x=1",
        ' y="> <"',
        "İ",
        "Σ",
    ]
)


@given(st.lists(pieces, max_size=60).map("".join))
@example("</a >" * 9)
@example("<a b c d>" * 5)
@example("<a " + "/b" * (MOST + 1))
def test_a_document_is_cut_where_counting_one_by_one_cuts_it(html: str) -> None:
    assert markup_cost.affordable_part(html) == counted_one_by_one(html)


@given(st.lists(st.sampled_from(["<a>", "</a >", "<b c>", "<d e f>", "<g\n/>", "text "]), max_size=30).map("".join))
def test_the_last_tag_within_the_limits_is_kept(html: str) -> None:
    assert markup_cost.affordable_part(html) == counted_one_by_one(html)


tags = st.sampled_from(
    [
        "<b>", "<b x>", "</b>", "<I y=1>", "</i>", "<font a='", "'>", "<div>", "<div", "</div>", "<p>", "<table>",
        "<td>", "</table>", "<!--", "-->", "--", "<script>", "</script>", "<Title>", "</title", "</\u017fcript>", ">",
        " ", "=", '"', "<b x>x</b>", "<div><i>x</i></div>", "text",
    ]
)  # fmt: skip


@pytest.mark.usefixtures("small_depths")
@given(st.lists(tags, max_size=60).map("".join))
@example("<!--" + "<b x>x</b>" * 9 + "--><p><p>")
@example("<b x>" * 3 + "<table><td>" + "</b>" * 3 + "<p>" * 20)
@example("<div a=<b x>x</b>" * 9)
@example("<div>" * 7 + "</div>" * 7)
def test_looking_for_pairs_first_changes_nothing(html: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markup_cost, "PAIRS_IN_PAIRS", 0)
        one_by_one = markup_cost.affordable_part(html)
    assert markup_cost.affordable_part(html) == one_by_one
