"""What a page may cost is bounded: it is cut at a limit, and says at which."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given

from honeyguide.model import Cap, Fetched, Page, Url
from honeyguide.parse import parse
from honeyguide.parse.directives import Said, directives_of
from honeyguide.parse.markup_cost import COPIES, DEEPEST, MOST_ATTRIBUTES, NAME_STEPS, STEPS, affordable_part
from honeyguide.settings import ParseSettings, Settings, with_overrides
from parse.test_awkward_input import htmlish

HERE = Url.parse("http://here.test/")
TIGHT = ParseSettings(
    max_links=3,
    max_words=12,
    max_word_characters=5,
    max_anchor_characters=10,
    max_title_characters=8,
    max_url_characters=30,
)


def page_of(html: str, limits: ParseSettings = TIGHT) -> Page:
    return parse(HERE, Fetched(200, "text/html; charset=utf-8", html.encode("utf-8", "replace")), limits=limits)


def test_of_too_many_links_the_first_are_read_and_the_text_of_all() -> None:
    page = page_of("".join(f"<a href=/{number}>l{number}</a> " for number in range(5)))
    assert [link.target.path for link in page.links] == ["/0", "/1", "/2"]
    assert page.words == ("l0", "l1", "l2", "l3", "l4")
    assert page.cut_by == (Cap.LINKS,)


@pytest.mark.parametrize("media_type", ["text/html", "text/plain"])
def test_the_end_of_a_long_word_is_cut_off(media_type: str) -> None:
    page = parse(HERE, Fetched(200, media_type, b"a mineralogical word"), limits=TIGHT)
    assert page.words == ("a", "miner", "word")
    assert page.text == "a mineralogical word"
    assert page.cut_by == (Cap.WORD,)


def test_of_too_many_words_the_first_are_read_and_links_behind_them_keep_their_anchors() -> None:
    page = page_of("<nav>a b</nav> " + "c " * 9 + "<a href=/x>d e</a> f <a href=/y>g h</a>")
    assert page.words == (*"ab", *"c" * 9, "d")
    assert page.main_words == (*"c" * 9, "d")
    assert [(link.occurrences[0].anchor, *link.occurrences[0][1:3]) for link in page.links] == [
        ("d e", 11, 12), ("g h", 12, 12),
    ]  # fmt: skip
    assert page.text.endswith("f g h")
    assert page.cut_by == (Cap.WORDS,)


def test_a_long_anchor_keeps_the_words_that_fit() -> None:
    page = page_of("see <a href=/x>one two six seven</a> then")
    ((place,),) = (link.occurrences for link in page.links)
    assert place.anchor == "one two si"
    assert page.words[place.start : place.end] == ("one", "two")
    assert page.cut_by == (Cap.ANCHOR,)


def test_a_long_title_is_cut() -> None:
    page = page_of("<title>A long title</title>")
    assert (page.title, page.cut_by) == ("A long t", (Cap.TITLE,))


def test_links_to_long_urls_are_left_out_also_under_a_long_base() -> None:
    assert page_of("<a href=/short>x</a><a href=/much-too-long-for-this>y</a>").cut_by == (Cap.URL,)
    page = page_of(f"<base href='/{'a' * 20}/'><a href=1>x</a><a href=/2>y</a>")
    assert [link.target.path for link in page.links] == ["/2"]
    assert page.cut_by == (Cap.URL,)


def test_a_page_may_be_cut_by_several_limits() -> None:
    html = "<title>A long title</title>" + "<a href=/0123456789012345>mineralogy</a>" * 4
    assert page_of(html).cut_by == (Cap.LINKS, Cap.TITLE, Cap.URL, Cap.WORD)


@given(htmlish)
def test_no_page_is_over_its_limits(html: str) -> None:
    page = page_of(html)
    places = [place for link in page.links for place in link.occurrences]
    assert len(places) <= TIGHT.max_links
    assert max(map(len, page.words), default=0) <= TIGHT.max_word_characters
    assert len(page.words) <= TIGHT.max_words
    assert all(0 <= start < end <= len(page.words) for start, end in page.main_spans)
    assert len(page.title) <= TIGHT.max_title_characters
    assert all(len(place.anchor) <= TIGHT.max_anchor_characters for place in places)
    assert all(0 <= place.start <= place.end <= len(page.words) for place in places)
    assert all(len(link.target.text) <= TIGHT.max_url_characters for link in page.links)


@given(htmlish)
def test_what_is_within_its_limits_is_not_cut(html: str) -> None:
    page = page_of(html, ParseSettings())
    limits = [name for name in ParseSettings.__slots__ if name.startswith("max_") and name != "max_memory_megabytes"]
    without = with_overrides(Settings(), {f"parse.{name}": 10**9 for name in limits}).parse
    assert page == page_of(html, without)
    assert page.cut_by == ()


class TestMarkup:
    @pytest.mark.parametrize(
        "unit", ["<div></b>", "<x></y>", "<optgroup>", "<div><table><td></div></table>", "<DIV></p>"]
    )
    def test_ends_of_what_is_not_open_close_nothing(self, unit: str) -> None:
        html = "<p>before" + unit * 30_000
        assert affordable_part(html).count(unit) <= DEEPEST
        page = page_of(html)
        assert (page.words, page.cut_by) == (("befor",), (Cap.MARKUP, Cap.WORD))

    def test_many_tags_at_some_depth_are_as_much_as_few_at_a_great_one(self) -> None:
        depth = DEEPEST // 2
        html = "<div>" * depth + "<i>x</i>" * (STEPS // depth)
        assert STEPS // depth // 2 - depth < affordable_part(html).count("<i>") < STEPS // depth // 2

    @pytest.mark.parametrize("unit", ["<p><font color={}>", "<p><B id={}>x<font></font>", "<p><i/x{}>x</b>"])
    def test_formatting_that_is_left_open_is_copied_only_so_often(self, unit: str) -> None:
        html = "".join(unit.format(number) for number in range(3_000))
        assert affordable_part(html).count("<p>") < 1.1 * (2 * COPIES) ** 0.5
        assert Cap.MARKUP in page_of(html).cut_by

    @pytest.mark.parametrize(
        "html",
        [
            "<p><font color=red>x</font>" * 10_000,
            "<table>" + "<tr><td><font color=red>x" * 2_500,
            "<font color=red>" + "<p><b>x" * 2_500,
        ],
    )
    def test_formatting_as_people_write_it_is_left_alone(self, html: str) -> None:
        assert affordable_part(html) is html

    @pytest.mark.parametrize(
        "tag", ["<p {}>", "</p {}>", "<p\n{}", "<p/{}>", "<p a='>' {}>", "<p ' {}>", '<p a=">" b = \'"\' {}>']
    )
    def test_a_tag_with_too_many_attributes_ends_the_document(self, tag: str) -> None:
        many = " ".join(f"a{number}=1" for number in range(10_000))
        assert affordable_part("before " + tag.format(many) + " after") == "before "

    @pytest.mark.parametrize(
        "html",
        [
            "<p data-x='" + "a=1 " * 50_000 + "'>x",
            "<p " + " ".join(f"a{number}" for number in range(MOST_ATTRIBUTES)) + ">" + "x" * 30_000,
            "<a href=/x title='a b'>x</a>" * 5_000,
            "<ul>" + "<li>one" * 30_000 + "</ul>",
            "".join(f"<p id=a{number} class=b{number} Data-X>" for number in range(20_000)),
            "<script>" + "".join(f"for(i=0;i<n{number}.length;)" for number in range(5000)) + "</script>",
        ],
    )
    def test_long_values_and_many_tags_are_left_alone(self, html: str) -> None:
        assert affordable_part(html) is html

    @pytest.mark.parametrize("unit", ["<p a{}=1 b{}>", "<br A{}/B{}>", "<x{}></x{}>"])
    def test_names_may_differ_only_so_much(self, unit: str) -> None:
        html = "before " + "".join(unit.format(number, number) for number in range(30_000))
        kept = affordable_part(html).count("<br" if "br" in unit else unit[:2])
        assert 0.2 * NAME_STEPS**0.5 < kept < (2 * NAME_STEPS) ** 0.5
        assert Cap.MARKUP in page_of(html).cut_by

    def test_some_thousand_names_may_each_be_used_only_so_often(self) -> None:
        html = "".join(f"<br a{number}>" for number in range(5000)) + "<br a4999>" * 100_000
        assert affordable_part(html).count("<br a4999>") < NAME_STEPS / 5000 / 2

    @pytest.mark.parametrize(
        "unit",
        [
            *('<p a="', "<p a='", "<a ", "<", "<a =", '<a\n= "', "</", "<a '\"", '<p a="\'">', "<p\t\t"),
            *("<b x", '<b x="', "<b x=' <", "<b x><span>", '<b x><span y="', "<b x><span></span"),
        ],
    )
    def test_looking_takes_time_in_proportion_to_the_length(self, unit: str) -> None:
        html = unit * (1_000_000 // len(unit))
        began = process_time()
        affordable_part(html)
        assert process_time() - began < 3  # a second look at every character would take minutes


def test_a_refresh_of_a_million_digits_is_read_once() -> None:
    began = process_time()
    directives_of(Said(refresh="1" * 1_000_000), Fetched(200, "", b""), "", HERE, HERE)
    assert process_time() - began < 1
