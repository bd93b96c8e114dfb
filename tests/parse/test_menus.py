"""Menus that nothing names: links beside the text are left out of it, links that are the text stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parse.parsed import link_to, page_of

MENU = "<ul>" + "".join(f"<li><a href='/menu/{number}'>go there</a></li>" for number in range(8)) + "</ul>"
FEW = "".join(f"<a href='/{number}'>go</a> " for number in range(4))
TEXT = "<p>" + "to be or not " * 13 + "</p>"  # 52 words
DESCRIBED = MENU.replace("</a>", "</a> a bit")


def main_words_of(html: str) -> set[str]:
    return set(page_of(html).main_words)


@pytest.mark.parametrize(
    "html",
    [
        f"<div>{MENU}</div><div>{TEXT}</div>",
        f"<div>{TEXT}</div><div>{MENU}</div>",
        f"{MENU}<div>{TEXT}</div>",
        f"<table><tr><td>{MENU}<td>{TEXT}</table>",
        f"<div><div><h1>title</h1></div><section><div>{MENU}</div><div>{TEXT}</div></section></div>",
        "<p>" + " | ".join(f"<a href='/menu/{number}'>go there</a>" for number in range(8)) + f"</p><div>{TEXT}</div>",
    ],
)
def test_a_block_of_links_beside_the_text_is_a_menu(html: str) -> None:
    page = page_of(html)
    assert "go" in page.words
    assert "go" not in page.main_words
    assert page.main_words.count("be") == 13
    assert not link_to(page, "/menu/3").occurrences[0].in_main


@pytest.mark.parametrize(
    "html",
    [
        f"<div>{TEXT}{MENU}{TEXT}</div>",  # within the text
        f"{TEXT}{MENU}",  # a text without an element of its own
        f"<div>{MENU}</div><div>{TEXT}</div><div>{TEXT}</div>",  # the text is in several elements, and this is one
        f"<div>{MENU * 5}</div><div>{TEXT}</div>",  # longer than the text: the page may be there for its links
        f"<div>{MENU.replace(' there', '')}</div><div><p>{'to be or not ' * 10}</p></div>",  # little text
        f"<div>{DESCRIBED}</div><div>{TEXT}</div>",  # more than links
        f"<div>{FEW}</div><div>{TEXT}</div>",  # too few
    ],
)
def test_other_links_belong_to_the_text(html: str) -> None:
    assert "go" in main_words_of(html)


def test_each_block_is_measured_by_its_own_links() -> None:
    long_links = MENU.replace("go there", "a way to go")
    main_words = main_words_of(f"<div>{long_links}</div><div>{DESCRIBED}</div><div>{TEXT * 3}</div>")
    assert "way" not in main_words
    assert {"go", "bit"} <= main_words


def test_a_page_that_marks_its_main_content_is_taken_at_its_word() -> None:
    assert "go" in main_words_of(f"<main><div>{MENU}</div><div>{TEXT}</div></main>")


def test_a_menu_is_found_however_deep_the_text_is_wrapped() -> None:
    wrapped = f"<div>{MENU}</div><div>{TEXT}</div>"
    for _ in range(20):
        wrapped = f"<div>{wrapped}</div>"
    assert "go" not in main_words_of(wrapped)


blocks = st.recursive(
    st.sampled_from([MENU, TEXT, "<a href='/x'>go</a>", "word ", "<p>", "<td>", "<main>", "</div>", "<nav>go</nav>"]),
    lambda inner: st.tuples(st.sampled_from(["div", "table", "td", "ul", "main", "a href='/y'"]), st.lists(inner)).map(
        lambda part: f"<{part[0]}>{''.join(part[1])}</{part[0].split()[0]}>"
    ),
    max_leaves=25,
)


@given(st.lists(blocks).map("".join))
def test_main_spans_are_ordered_ranges_of_the_words_whatever_the_nesting(html: str) -> None:
    page = page_of(html)
    ends = [0, *(place for span in page.main_spans for place in span), len(page.words)]
    assert ends == sorted(ends)
    assert all(start < end for start, end in page.main_spans)
    assert "\x01" not in page.text
