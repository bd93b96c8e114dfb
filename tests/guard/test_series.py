"""A series runs idle when its pages are alike, go on and bring nothing; each of the three alone is honest."""

from __future__ import annotations

import pytest

from honeyguide.domain import LinkId, Url
from honeyguide.guard import FindingKind, fingerprint_of
from honeyguide.guard.apologies import SameTitle
from honeyguide.guard.series import Series
from honeyguide.guard.shape import shape_of
from pages import page_of
from tiny_webs import prose

LEAST = 6


def series_of(
    pages: int, *, alike: bool = True, brings: bool = False, turns: bool = True, address: str = "/a?page={}"
) -> Series:
    series = Series()
    for number in range(pages):
        text = f"{prose('list', words=40)} {number}" if alike else prose("list", number)
        shape = shape_of(Url.parse("http://a.test" + address.format(number)))
        series.take(LinkId(number), fingerprint_of(page_of(text)), shape, brings=brings, turns=turns)
    series.settle(LEAST)
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
    assert series.settle(LEAST)


def test_a_series_that_brings_something_again_is_idle_no_more() -> None:
    series = series_of(30)
    idle = []
    for number in range(9):
        print_ = fingerprint_of(page_of(prose("new", number)))
        shape = shape_of(Url.parse("http://a.test/a?page=7"))
        series.take(LinkId(100 + number), print_, shape, brings=True, turns=True)
        idle.append(series.settle(LEAST))
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
    assert "10 so far" in series.told()


def test_combinations_of_parameters_are_facets() -> None:
    series = Series()
    for number, query in enumerate(("size=1", "size=1&colour=2", "colour=2&brand=3", "brand=4")):
        shape = shape_of(Url.parse(f"http://a.test/shop?{query}"))
        series.take(LinkId(number), fingerprint_of(page_of(prose("shop"))), shape, brings=False, turns=True)
    assert series.kind(shape) is FindingKind.FACETS


def apologies(*paths: str, words: int = 40, title: SameTitle | None = None) -> list[bool]:
    title = title or SameTitle()
    told = []
    for number, path in enumerate(paths):
        url = Url.parse(f"http://a.test{path}")
        page = page_of(f"{prose('sorry', words=words)} {prose(path, words=10)}", url)
        told.append(title.take(LinkId(number), fingerprint_of(page), shape_of(url).series))
    return told


def test_one_answer_at_addresses_of_three_shapes_is_an_apology() -> None:
    assert apologies("/a/b", "/x.php?q=1", "/c/d/e", "/f/g", "/h/i")[-2:] == [True, True]


def test_one_answer_at_addresses_of_one_shape_is_none() -> None:
    assert not any(apologies(*[f"/a/{word}" for word in "bcdefghi"]))


def test_different_pages_with_one_title_are_no_apologies() -> None:
    assert not any(apologies("/a/b", "/x.php?q=1", "/c/d/e", "/f/g", "/h/i", words=0))


def test_pages_of_very_different_lengths_are_no_apologies() -> None:
    title = SameTitle()
    url = Url.parse("http://a.test/long/page")
    title.take(LinkId(99), fingerprint_of(page_of(prose("sorry", words=120), url)), shape_of(url).series)
    assert not any(apologies("/a/b", "/x.php?q=1", "/c/d/e", "/f/g", "/h/i", title=title))


def test_one_page_is_told_in_the_singular() -> None:
    assert series_of(1).told().startswith("of its last 1 page 0 were like earlier ones, 1 led on to more of them, ")
    assert series_of(2).told().startswith("of its last 2 pages 1 was like earlier ones, 2 led on to more of them, ")
