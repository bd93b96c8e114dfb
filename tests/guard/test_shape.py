"""What addresses have in common when everything is taken out of them that varies."""

from __future__ import annotations

import tracemalloc

import pytest

from honeyguide.guard.url_pattern import forms_of, shape_of
from honeyguide.model import Url


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/", "/"),
        ("/calendar/2031/04/", "/calendar/#/#/"),
        ("/calendar/2031-04-07", "/calendar/#"),
        ("/calendar/2031/04/?view=list&day=7", "/calendar/#/#/?day&view"),
        ("/docs/sql-select.html", "/docs/*.html"),
        ("/wiki/Geology", "/wiki/*"),
        ("/index.html", "/*.html"),
        ("/welcome.php?ref=7", "/welcome.php?ref"),
        ("/doc/5f3a9c0177aa/edit", "/doc/@/*"),
        ("/s/123e4567-e89b-12d3-a456-426614174000/x", "/s/@/*"),
        ("/v2/items/7", "/v#/*/#"),
        ("/deadbeef/x", "/deadbeef/*"),  # a word, as long as there is no digit in it
        ("/list?a=1&a=2&b", "/list?a&b"),
    ],
)
def test_what_varies_is_left_out(address: str, path: str) -> None:
    shape = shape_of(Url.parse(f"http://a.test{address}"))
    assert shape.path == path
    assert shape.text == f"a.test{path}"


@pytest.mark.parametrize(
    ("address", "section"),
    [
        ("/", "/"),
        ("/index.html", "/"),
        ("/calendar/2031/04/", "/calendar/"),
        ("/en/events/2031/04/", "/en/events/"),
        ("/calendar/?year=2031", "/calendar/"),
        ("/welcome.php?ref=7", "/welcome.php"),
        ("/docs/sql/select.html", "/docs/"),
        ("/shop/red/shoes?size=7", "/shop/red/shoes"),
    ],
)
def test_the_section_is_what_stands_in_front_of_it(address: str, section: str) -> None:
    assert shape_of(Url.parse(f"http://a.test{address}")).section == f"a.test{section}"


def test_a_series_is_the_same_whatever_parameters_there_are() -> None:
    series = {shape_of(Url.parse(f"http://a.test/shop?{query}")).series for query in ("a=1", "b=2&a=1", "c=&d=")}
    assert series == {"a.test/shop?"}
    assert shape_of(Url.parse("http://a.test/shop")).series not in series


@pytest.mark.parametrize(
    ("address", "is_serial"), [("/a/b", False), ("/a/7", True), ("/a/b?c=d", True), ("/a/0123456789abcdef", True)]
)
def test_what_can_be_counted_on_is_serial(address: str, is_serial: bool) -> None:
    assert shape_of(Url.parse(f"http://a.test{address}")).is_serial is is_serial


@pytest.mark.parametrize(
    ("path", "repeats"),
    [
        ("/", 1),
        ("/a/b/c", 1),
        ("/help/faq/help/terms/help/faq/", 3),
        ("/aa/aa/aa/aa", 4),
        ("/2020/2020/2020/x", 1),
        ("/a/b/a/b/a/b", 1),  # letters say nothing
        ("/" + "/".join(["xy"] * 500), 500),
        ("/" + "/".join(f"part{number}" for number in range(500)), 1),
        ("/" + "/".join(f"part{number % 100}" for number in range(500)), 5),
    ],
)
def test_how_often_a_path_says_the_same(path: str, repeats: int) -> None:
    assert shape_of(Url.parse(f"http://a.test{path}")).repeats == repeats


@pytest.mark.parametrize("address", ["//", "/?", "/?&&=", "/%FF%00", "/;a=b", "/a//b//", "/ü/☃?ü=☃", "/" + "a" * 3000])
def test_awkward_addresses_have_shapes(address: str) -> None:
    assert shape_of(Url.parse(f"http://a.test{address}")).host == "a.test"


@pytest.mark.parametrize("length", [10, 255, 256, 257, 3000])
def test_an_address_has_the_same_shape_and_forms_however_long_it_is(length: int) -> None:
    """What is worked out for long ones is not kept."""
    start = "http://a.test/list/7/"
    url = Url.parse(start + "w" * max(0, length - len(start) - 4) + "?a=1")
    for _ in range(2):
        assert shape_of(url).path == ("/list/#/*?a" if length > len(start) + 4 else "/list/#/?a")
        assert [form.rule for form in forms_of(url.text)][-2:] == ["parameter a", "query"]


def test_what_is_kept_of_long_addresses_takes_no_memory() -> None:
    def work_out(number: int) -> None:
        url = Url.parse(f"http://a.test/{number}/{'w' * 3000}?{'n' * 900}=1")
        shape_of(url)
        forms_of(url.text)

    work_out(0)
    tracemalloc.start()
    try:
        for number in range(1, 201):
            work_out(number)
        kept_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept_bytes < 200 * 1000, "the address of each has 4,000 characters"


DATES = (
    "/calendar/7", "/calendar/2031/04/", "/Month/4", "/news?date=3", "/news?start_date=3", "/x?year=1&month=2",
    "/x?y=2031&m=4", "/x?M=4&D=7", "/x?mon=4&yr=31", "/events/2031/04/", "/events/2031-04-07",
    "/event?shown=20310407", "/archive/203104", "/archives/1999.html", "/list/archive?from=2100",
)  # fmt: skip
NO_DATES = (  # nothing to count on, one letter alone, twice the same, no year, no day, other words
    "/", "/calendar", "/p/7", "/d/7", "/m/7.html", "/y/2031", "/x?d=7", "/x?m=7&mon=8", "/x?d=7&page=2",
    "/archive/7", "/archive/1899", "/archive/2200", "/archive/120310", "/archive/203113", "/events/31",
    "/events/list?id=20310432", "/blog/2031/04/07", "/today/7", "/eventful/2031",
)  # fmt: skip


@pytest.mark.parametrize("address", [*DATES, *NO_DATES])
def test_some_addresses_say_that_they_are_about_a_day_a_month_or_a_year(address: str) -> None:
    assert shape_of(Url.parse(f"http://a.test{address}")).is_dated is (address in DATES)
