"""A series runs idle when its pages are alike, go on and bring nothing; each of the three alone is honest."""

from __future__ import annotations

import pytest

from honeyguide.guard import FindingKind, fingerprint_of
from honeyguide.guard.series import Series
from honeyguide.guard.soft_404 import SameTitle
from honeyguide.guard.url_pattern import shape_of
from honeyguide.model import LinkId, Url
from pages import page_of
from tiny_webs import prose

LEAST = 6


def take_another(series: Series, number: int, *, is_copy: bool = False) -> bool:
    """A page with a text of its own that leads on and brings nothing; whether the series runs idle."""
    print_, shape = fingerprint_of(page_of(prose("new", number))), shape_of(Url.parse("http://a.test/a?page=7"))
    series.take(LinkId(1000 + number), print_, shape, brings=False, turns=True, is_copy=is_copy)
    return series.is_idle


def series_of(
    pages: int,
    *,
    alike: bool = True,
    brings: bool = False,
    turns: bool = True,
    address: str = "/a?page={}",
) -> Series:
    series = Series()
    for number in range(pages):
        text = f"{prose('list', words=40)} {number}" if alike else prose("list", number)
        shape = shape_of(Url.parse("http://a.test" + address.format(number)))
        series.take(LinkId(number), fingerprint_of(page_of(text)), shape, brings=brings, turns=turns)
    return series


def test_pages_that_are_alike_go_on_and_bring_nothing_run_idle() -> None:
    assert series_of(LEAST).is_idle
    assert not series_of(LEAST - 1).is_idle


def test_pages_that_say_something_new_do_not() -> None:
    assert not series_of(40, alike=False).is_idle


def test_pages_that_bring_something_do_not() -> None:
    assert not series_of(40, brings=True).is_idle


def test_pages_that_come_to_an_end_do_not() -> None:
    assert not series_of(2 * LEAST - 1, turns=False).is_idle


def test_pages_that_are_nearly_all_alike_do_where_any_of_them_leads_on() -> None:
    """Without one they are the leaves of something, such as photographs."""
    series = series_of(2 * LEAST, turns=False)
    assert not series.is_idle
    text = f"{prose('list', words=40)} 99"
    print_, shape = fingerprint_of(page_of(text)), shape_of(Url.parse("http://a.test/a?page=99"))
    series.take(LinkId(99), print_, shape, brings=False, turns=True)
    assert series.is_idle


@pytest.mark.parametrize(
    "address", ["/calendar/2031/{}/", "/x?year=2031&month={}", "/events/2031/{}", "/e?y=2031&m={}"]
)
def test_dates_that_are_all_alike_need_not_lead_on(address: str) -> None:
    assert not series_of(2 * LEAST - 1, turns=False, address=address).is_idle
    series = series_of(2 * LEAST, turns=False, address=address)
    assert series.is_idle
    assert series.kind(shape_of(Url.parse("http://a.test" + address.format(3)))) is FindingKind.CALENDAR


@pytest.mark.parametrize("address", ["/p/{}", "/d/{}", "/m/{}.html", "/photo?d={}", "/archive/{}", "/events/{}"])
@pytest.mark.parametrize("first", [0, 1890])
def test_leaves_that_are_all_alike_are_no_dates_even_when_their_numbers_come_to_read_like_years(
    address: str, first: int
) -> None:
    series = Series()
    for number in range(first, first + 60):
        print_ = fingerprint_of(page_of(f"{prose('photo', words=40)} {number}"))
        shape = shape_of(Url.parse("http://a.test" + address.format(number)))
        series.take(LinkId(number), print_, shape, brings=False, turns=False)
        assert not series.is_idle


def test_what_ran_idle_once_goes_on_to_until_fewer_than_a_quarter_are_alike() -> None:
    series = series_of(16)
    idle = [take_another(series, number) for number in range(14)]
    assert idle == [True] * 12 + [False] * 2
    again = Series()
    for number in range(12):
        take_another(again, number)
    for number in range(4):
        print_ = fingerprint_of(page_of(prose("new", number)))
        shape = shape_of(Url.parse("http://a.test/a?page=7"))
        again.take(LinkId(number), print_, shape, brings=False, turns=True)
        assert not again.is_idle, "a quarter is not enough to begin with"


def test_a_series_of_which_half_repeats_others_waits_until_less_than_a_quarter_does() -> None:
    series = Series()
    levels = []
    for number in range(30):
        take_another(series, number, is_copy=number < 8)
        levels.append(series.level)
    # Of the last 16 pages, 8 repeat others from the eighth page on, and 4 until the twentieth.
    assert levels == [0] * 7 + [2] * 13 + [0] * 10
    never = Series()
    for number in range(30):
        take_another(never, number, is_copy=number % 16 < 7)
        assert never.level == 0


def test_a_series_that_brings_something_again_is_idle_no_more() -> None:
    series = series_of(30)
    idle = []
    for number in range(9):
        print_ = fingerprint_of(page_of(prose("new", number)))
        shape = shape_of(Url.parse("http://a.test/a?page=7"))
        series.take(LinkId(100 + number), print_, shape, brings=True, turns=True)
        idle.append(series.is_idle)
    assert idle == [True] * 8 + [False]  # found out by a quarter at most, taken back by more than a half


def test_it_is_deeper_the_longer_it_runs() -> None:
    assert [series_of(pages).level for pages in (6, 16, 32, 64, 500)] == [3, 4, 5, 6, 6]


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("/a?page={}", FindingKind.PAGINATION),
        ("/tag/{}/", FindingKind.PAGINATION),
        ("/calendar/2031/{}/", FindingKind.CALENDAR),
        ("/x?year=2031&month={}", FindingKind.CALENDAR),
        ("/x?" + "&".join(f"p{n}={n}" for n in range(8)), FindingKind.GROWING_QUERY),
    ],
)
def test_what_it_is_called(address: str, kind: FindingKind) -> None:
    series = series_of(10, address=address)
    assert series.kind(shape_of(Url.parse("http://a.test" + address.format(3)))) is kind
    assert series.numbers()["pages"] == 10


def test_combinations_of_parameters_are_facets() -> None:
    series = Series()
    for number, query in enumerate(("size=1", "size=1&colour=2", "colour=2&brand=3", "brand=4")):
        shape = shape_of(Url.parse(f"http://a.test/shop?{query}"))
        series.take(LinkId(number), fingerprint_of(page_of(prose("shop"))), shape, brings=False, turns=True)
    assert series.kind(shape) is FindingKind.FACETS


def test_pages_that_were_chosen_by_one_facet_alone_are_not_named_with_the_combinations() -> None:
    queries = ("size=1", "size=1&colour=2", "colour=2&brand=3", "brand=4", "brand=4&size=1&colour=2")
    for kind, expected in ((FindingKind.FACETS, [1, 2, 4]), (FindingKind.PAGINATION, [0, 1, 2, 3, 4])):
        series = Series()
        for number, query in enumerate(queries):
            shape = shape_of(Url.parse(f"http://a.test/shop?{query}"))
            series.take(LinkId(number), fingerprint_of(page_of(prose("shop"))), shape, brings=False, turns=True)
        assert series.take_pages(kind) == expected
        assert series.take_pages(kind) == [], "they are named once"


def test_two_combinations_of_parameters_are_a_list_and_its_pages() -> None:
    series = Series()
    for number, query in enumerate(("sort=1", "sort=1&page=2", "sort=1&page=3")):
        shape = shape_of(Url.parse(f"http://a.test/shop?{query}"))
        series.take(LinkId(number), fingerprint_of(page_of(prose("shop"))), shape, brings=False, turns=True)
    assert series.kind(shape) is FindingKind.PAGINATION


def answers(*paths: str, words: int = 40, title: SameTitle | None = None) -> list[bool]:
    title = title or SameTitle()
    answered = []
    for number, path in enumerate(paths):
        url = Url.parse(f"http://a.test{path}")
        page = page_of(f"{prose('sorry', words=words)} {prose(path, words=10)}", url)
        answered.append(title.take(LinkId(number), fingerprint_of(page), shape_of(url).series))
    return answered


def test_one_answer_at_addresses_of_three_shapes_is_a_soft_404() -> None:
    assert answers("/a/b", "/x.php?q=1", "/c/d/e", "/f/g", "/h/i")[-2:] == [True, True]


def test_one_answer_at_addresses_of_one_shape_is_none() -> None:
    assert not any(answers(*[f"/a/{word}" for word in "bcdefghi"]))


def test_different_pages_with_one_title_are_no_soft_404() -> None:
    assert not any(answers("/a/b", "/x.php?q=1", "/c/d/e", "/f/g", "/h/i", words=0))


def test_a_title_of_which_every_other_page_says_something_of_its_own_is_none() -> None:
    title, answered = SameTitle(), []
    for number in range(20):
        url = Url.parse(f"http://a.test/{'a/' * (number % 4)}page{number}")
        text = prose("sorry") if number % 2 else prose("own", number)
        answered.append(title.take(LinkId(number), fingerprint_of(page_of(text, url)), shape_of(url).series))
    assert not any(answered)


def test_pages_of_very_different_lengths_are_no_soft_404() -> None:
    title = SameTitle()
    url = Url.parse("http://a.test/long/page")
    title.take(LinkId(99), fingerprint_of(page_of(prose("sorry", words=120), url)), shape_of(url).series)
    assert not any(answers("/a/b", "/x.php?q=1", "/c/d/e", "/f/g", "/h/i", title=title))
