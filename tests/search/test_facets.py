"""Counts of the pages that match, by host and by period."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.search import FacetCounts, HostCount, Searcher, search_runs
from honeyguide.search.facets import MOST_PERIODS, period_length, period_name
from search.small_runs import html, run_of

if TYPE_CHECKING:
    from pathlib import Path

PAGES = {
    "http://a.test/1": html("One", "rock and granite"),
    "http://a.test/2": html("Two", "rock and water"),
    "http://www.a.test/3": html("Three", "rock and wood"),
    "http://b.test:81/4": html("Four", "rock and iron"),
    "http://b.test/5": html("Five", "nothing of the kind"),
}


def counted(facets: FacetCounts | None) -> dict[str, int]:
    assert facets is not None
    return {each.host: each.pages for each in facets.hosts}


def test_a_count_is_what_a_search_for_that_host_finds(tmp_path: Path) -> None:
    with Searcher(run_of(tmp_path / "run", PAGES)) as searcher:
        found = searcher.search("rock", facets=True)
        assert counted(found.facets) == {"a.test": 3, "www.a.test": 1, "b.test:81": 1}
        for host, pages in counted(found.facets).items():
            narrowed = searcher.search("rock", hosts=host, facets=True)
            assert narrowed.total == pages
            assert narrowed.facets is not None
            assert found.facets is not None
            assert narrowed.facets.hosts == found.facets.hosts  # the others can still be chosen


def test_a_period_holds_what_a_search_within_it_finds(tmp_path: Path) -> None:
    with Searcher(run_of(tmp_path / "run", PAGES, politeness__delay_s=40.0)) as searcher:
        found = searcher.search("rock", facets=True)
        assert found.facets is not None
        assert sum(each.pages for each in found.facets.periods) == found.total
        assert len(found.facets.periods) > 1
        for period in found.facets.periods:
            narrowed = searcher.search("rock", since=period.since, until=period.until, facets=True)
            assert narrowed.total == period.pages
            assert narrowed.facets is not None
            assert narrowed.facets.periods == found.facets.periods


def test_counts_follow_the_other_conditions(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", PAGES)
    found = search_runs(run, "rock -wood", facets=True)
    assert counted(found.facets) == {"a.test": 2, "b.test:81": 1}
    assert search_runs(run, "absent", facets=True).facets == FacetCounts()
    assert search_runs(run, "rock").facets is None


def test_hosts_with_most_pages_come_first_and_others_are_counted(tmp_path: Path) -> None:
    pages = {
        f"http://h{host}.test/{page}": html("", "rock") for host in range(25) for page in range(2 if host == 7 else 1)
    }
    found = search_runs(run_of(tmp_path / "run", pages), "rock", facets=True, show_all=True)
    assert found.facets is not None
    assert found.facets.hosts[0] == HostCount("h7.test", 2)
    assert (len(found.facets.hosts), found.facets.more_hosts) == (20, 5)


@given(st.floats(0, 4e9), st.floats(0, 4e9))
def test_few_periods_cover_any_span(one: float, other: float) -> None:
    first, last = sorted((one, other))
    length = period_length(first, last)
    assert 1 <= last // length - first // length + 1 <= MOST_PERIODS


@pytest.mark.parametrize(
    ("since", "length", "name"),
    [
        (40.0, 10, "0:00:40 to 0:00:50"),
        (datetime(2026, 5, 1, tzinfo=UTC).timestamp(), 86_400, "2026-05-01"),
        (datetime(2026, 5, 1, 13, tzinfo=UTC).timestamp(), 3600, "2026-05-01 13:00"),
        (datetime(2026, 5, 1, 13, 0, 30, tzinfo=UTC).timestamp(), 30, "2026-05-01 13:00:30"),
        (datetime(2026, 5, 1, tzinfo=UTC).timestamp(), 7 * 86_400, "2026-05-01 to 2026-05-07"),
    ],
)
def test_periods_are_named_as_people_name_them(since: float, length: int, name: str) -> None:
    assert period_name(since, length) == name
