"""Which addresses say that they are about a day, a month or a year."""

from __future__ import annotations

import pytest

from honeyguide.guard.shape import shape_of
from honeyguide.model import Url


@pytest.mark.parametrize(
    "address",
    [
        "/calendar/7",
        "/calendar/2031/04/",
        "/Month/4",
        "/news?date=3",
        "/news?start_date=3",
        "/x?year=1&month=2",
        "/x?y=2031&m=4",
        "/x?M=4&D=7",
        "/x?mon=4&yr=31",
        "/events/2031/04/",
        "/events/2031-04-07",
        "/event?shown=20310407",
        "/archive/203104",
        "/archives/1999.html",
        "/list/archive?from=2100",
    ],
)
def test_dates(address: str) -> None:
    assert shape_of(Url.parse(f"http://a.test{address}")).is_dated


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/calendar",  # there is nothing in it to count on
        "/p/7",
        "/d/7",
        "/m/7.html",
        "/y/2031",
        "/x?d=7",
        "/x?m=7&mon=8",  # twice the same
        "/x?d=7&page=2",
        "/archive/7",
        "/archive/1899",
        "/archive/2200",
        "/archive/120310",
        "/archive/203113",
        "/events/31",
        "/events/list?id=20310432",
        "/blog/2031/04/07",
        "/today/7",
        "/eventful/2031",
    ],
)
def test_no_dates(address: str) -> None:
    assert not shape_of(Url.parse(f"http://a.test{address}")).is_dated
