"""What hosts write into `Retry-After`."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.fetch.http import retry_after_s
from honeyguide.settings.fetch_sections import LONGEST_REST_S

NOW = 1_700_000_000.0


@pytest.mark.parametrize(("header", "pause_s"), [("120", 120.0), (" 0 ", 0.0), ("1.5", 1.5), ("007", 7.0)])
def test_seconds_are_seconds(header: str, pause_s: float) -> None:
    assert retry_after_s(header, NOW) == pause_s


@pytest.mark.parametrize(("offset_s", "pause_s"), [(90, 90.0), (-90, 0.0), (0, 0.0)])
def test_a_date_is_counted_from_now(offset_s: int, pause_s: float) -> None:
    assert retry_after_s(formatdate(NOW + offset_s, usegmt=True), NOW) == pause_s


@pytest.mark.parametrize("header", ["99999999", "9" * 15, formatdate(NOW + 10 * LONGEST_REST_S, usegmt=True)])
def test_what_is_far_away_is_a_day(header: str) -> None:
    assert retry_after_s(header, NOW) == LONGEST_REST_S


@pytest.mark.parametrize(
    "header", ["", "soon", "-5", "1e9", "nan", "inf", "٣", "12 s", "9" * 400, "Wed, 99 Foo 2024", "0x10", "1, 2"]
)
def test_nonsense_asks_for_nothing(header: str) -> None:
    assert retry_after_s(header, NOW) == 0.0


@given(st.text() | st.from_regex(r"[A-Z][a-z]{2}, \d+ [A-Z][a-z]{2} \d+ \d+:\d+:\d+ (GMT|[+-]\d+)", fullmatch=True))
def test_no_header_makes_it_fail(header: str) -> None:
    assert 0.0 <= retry_after_s(header, NOW) <= LONGEST_REST_S
