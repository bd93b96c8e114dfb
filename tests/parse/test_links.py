"""Links: where they lead, where they stand, what they are called."""

from __future__ import annotations

import pytest

from honeyguide.model import Occurrence
from parse.parsed import PAGE_URL, link_to, page_of, targets_of


def test_links_come_in_order_with_anchor_and_place() -> None:
    page = page_of("<p>Read <a href='b.html'>about basalt</a> or <a href='/top'>go up</a>.")
    assert targets_of(page) == ["http://site.test/folder/b.html", "http://site.test/top"]
    assert page.links[0].occurrences == (Occurrence("about basalt", 1, 3, in_main=True),)
    assert page.links[1].occurrences == (Occurrence("go up", 4, 6, in_main=True),)
    assert page.links[0].parent == PAGE_URL
    assert page.text == "Read about basalt or go up."


def test_twenty_five_words_on_each_side_can_be_read_off() -> None:
    before, after = [f"before{n}" for n in range(40)], [f"after{n}" for n in range(40)]
    page = page_of(f"<p>{' '.join(before)} <a href='/x'>the anchor</a> {' '.join(after)}")
    place = page.links[0].occurrences[0]
    assert list(page.words[place.start - 25 : place.start]) == before[-25:]
    assert list(page.words[place.end : place.end + 25]) == after[:25]


def test_one_link_per_target_keeps_every_occurrence() -> None:
    page = page_of("<a href='/x'>first</a> <a href='/y'>other</a> <a href='http://SITE.test/x#part'>second</a>")
    assert targets_of(page) == ["http://site.test/x", "http://site.test/y"]
    assert [place.anchor for place in page.links[0].occurrences] == ["first", "second"]


@pytest.mark.parametrize(
    "href",
    [
        "javascript:void(0)", "mailto:a@b.c", "data:text/html,x", "tel:1", "ftp://h/x", "http://", "http://[bad",
        "#part", "", "page.html", "/folder/page.html#part", "http://site.test:80/folder/./page.html", "x" * 5000,
    ],
)  # fmt: skip
def test_addresses_that_lead_nowhere_else_are_left_out(href: str) -> None:
    page = page_of(f"<p>one <a href='{href}'>two</a> <a href='/x'>three</a>")
    assert targets_of(page) == ["http://site.test/x"]
    assert page.links[0].occurrences == (Occurrence("three", 2, 3, in_main=True),)


def test_white_space_in_addresses_is_ignored() -> None:
    assert targets_of(page_of("<a href=' \n/x\n '>x</a>")) == ["http://site.test/x"]


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("http://other.test/dir/", "http://other.test/dir/x"),
        ("../up/", "http://site.test/up/x"),
        ("//other.test", "http://other.test/x"),
        ("", "http://site.test/folder/x"),
        ("javascript:x", "http://site.test/folder/x"),
        ("http://[bad/", "http://site.test/folder/x"),
    ],
)
def test_base_element_moves_relative_links_when_it_is_usable(base: str, target: str) -> None:
    assert targets_of(page_of(f"<head><base href='{base}'></head><a href='x'>x</a>")) == [target]


def test_only_the_first_base_counts() -> None:
    assert targets_of(page_of("<base href='/a/'><base href='/b/'><a href='x'>x</a>")) == ["http://site.test/a/x"]


def test_rel_holds_what_every_occurrence_says() -> None:
    page = page_of(
        "<a href='/x' rel='NoFollow sponsored'>1</a><a href='/x' rel='nofollow\tugc'>2</a>"
        "<a href='/y' rel=nofollow>3</a><a href='/y'>4</a>"
    )
    assert link_to(page, "/x").rel == {"nofollow"}
    assert link_to(page, "/y").rel == frozenset()


def test_a_link_inside_a_word_divides_it() -> None:
    page = page_of("mega<a href='/x'>fauna</a>s and <a href='/y'>a</a><a href='/z'>b</a>, l'<a href='/w'>eau</a>")
    assert page.text == "mega fauna s and a b, l' eau"
    assert page.words == ("mega", "fauna", "s", "and", "a", "b", "l", "eau")


def test_punctuation_stays_where_it_was() -> None:
    assert page_of("(see <a href='/x'>this</a>), or <a href='/y'> that </a>.").text == "(see this), or that ."


def test_a_link_may_hold_blocks() -> None:
    page = page_of("<a href='/x'><h2>Big</h2><p>and <b>bo</b>ld</p></a> rest")
    assert page.links[0].occurrences == (Occurrence("Big and bold", 0, 3, in_main=True),)


def test_an_unclosed_link_ends_where_the_next_begins() -> None:
    page = page_of("<p><a href='/x'>one <a href='/y'>two")
    assert [link.occurrences[0].anchor for link in page.links] == ["one", "two"]


def test_a_link_inside_another_ends_the_outer_one() -> None:
    page = page_of("<a href='/x'>outer <object><a href='/y'>inner</a></object> rest</a> end")
    assert link_to(page, "/x").occurrences == (Occurrence("outer", 0, 1, in_main=True),)
    assert link_to(page, "/y").occurrences == (Occurrence("inner", 1, 2, in_main=True),)


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<a href='/x'><img src=i alt='red  rock'></a>", "red rock"),
        ("<a href='/x'><span><img alt=''><img alt=rock></span></a>", "rock"),
        ("<a href='/x'>text <img alt=rock></a>", "text"),
        ("<a href='/x'><img></a>", ""),
        ("<a href='/x'></a>", ""),
        ("<map><area href='/x' alt='north face'></map>", "north face"),
        ("<map><area href='/x'></map>", ""),
    ],
)
def test_an_image_speaks_for_a_link_without_text(html: str, anchor: str) -> None:
    page = page_of(f"<p>before {html} after")
    place = page.links[0].occurrences[0]
    assert place.anchor == anchor
    assert (place.start, place.end) == (1, 1 + len(anchor.split()))


def test_only_link_elements_are_links() -> None:
    assert page_of("<div class=menu href='/x'>one</div><img alt=two href='/y'><link href='/z'>").links == ()


def test_images_outside_links_stay_silent() -> None:
    assert page_of("<p>one <img alt=hidden> two").text == "one two"


@pytest.mark.parametrize("forged", ["\x01\x02", "&#1;&#2;", "&#x01;&#x3;", "&#0001", "&#1a", "&#X1 ", "&#4294967297;"])
def test_a_page_cannot_forge_markers(forged: str) -> None:
    page = page_of(f"<p>one {forged} two <a href='/x' rel='{forged}'>three {forged}</a> <img alt='{forged}'>")
    place = link_to(page, "/x").occurrences[0]
    assert page.words[place.start] == "three"
    assert "\x01" not in page.text
