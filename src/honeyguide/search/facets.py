"""How the pages that match a query spread over hosts and over time, to narrow a search by.

Each count is made without the condition that it would change: hosts without that on hosts, periods without that on
time. Pages with the same text count one by one.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from honeyguide.search.matching import domains_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.search.shard import PageFilter, ShardQuery

MOST_HOSTS: Final = 20
MOST_PERIODS: Final = 12
_HOSTS_COUNTED: Final = 10_000  # in each index
_DAY_S: Final = 86_400
_LENGTHS_S: Final = (1, 5, 10, 30, 60, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, _DAY_S, 7 * _DAY_S, 30 * _DAY_S)
_SIMULATED_S: Final = 10 * 365 * _DAY_S  # clocks of simulated crawls begin in 1970


@dataclass(frozen=True, slots=True)
class HostCount:
    """Pages that match, of one host and of hosts below it, as a search for that host finds them."""

    host: str
    pages: int


@dataclass(frozen=True, slots=True)
class PeriodCount:
    """Pages that match and were fetched in one period, on the crawl's clock; `until` belongs to it."""

    name: str  # for people
    since: float
    until: float
    pages: int


@dataclass(frozen=True, slots=True)
class FacetCounts:
    """Counts of the pages that match: of the hosts with the most, and by period, the newest first."""

    hosts: tuple[HostCount, ...] = ()
    more_hosts: int = 0  # that are not listed
    periods: tuple[PeriodCount, ...] = ()


def count_facets(queries: Sequence[ShardQuery], wanted: PageFilter) -> FacetCounts:
    """Count the pages that match by host and by period."""
    hosts = _count_hosts(queries, replace(wanted, hosts=()))
    first = sorted(hosts.items(), key=lambda item: (-item[1], item[0]))[:MOST_HOSTS]
    periods = _count_periods(queries, replace(wanted, since=None, until=None))
    return FacetCounts(tuple(HostCount(*each) for each in first), len(hosts) - len(first), periods)


def _count_hosts(queries: Sequence[ShardQuery], wanted: PageFilter) -> Counter[str]:
    counts: Counter[str] = Counter()
    asked = {"terms": {"field": "site", "size": _HOSTS_COUNTED, "segment_size": _HOSTS_COUNTED}}
    for found in _sums(queries, wanted, asked):
        counts.update({each["key"]: each["doc_count"] for each in found["buckets"]})
    below: Counter[str] = Counter()
    for host, pages in counts.items():
        below.update({domain: pages for domain in domains_of(host) if domain in counts})
    return below


def _count_periods(queries: Sequence[ShardQuery], wanted: PageFilter) -> tuple[PeriodCount, ...]:
    """Count in periods of equal length, so long that there are few of them."""
    spans = [each for each in _sums(queries, wanted, {"stats": {"field": "fetched_at"}}) if each["count"]]
    if not spans:
        return ()
    length = period_length(min(each["min"] for each in spans), max(each["max"] for each in spans))
    counts: Counter[float] = Counter()
    for found in _sums(queries, wanted, {"histogram": {"field": "fetched_at", "interval": length}}):
        counts.update({each["key"]: each["doc_count"] for each in found["buckets"] if each["doc_count"]})
    return tuple(
        PeriodCount(period_name(since, length), since, math.nextafter(since + length, since), counts[since])
        for since in sorted(counts, reverse=True)
    )


def period_length(first: float, last: float) -> int:
    """Return the shortest length in seconds of which few periods cover a span."""
    length = 365 * _DAY_S
    for each in _LENGTHS_S:
        if last // each - first // each < MOST_PERIODS:
            return each
    while last // length - first // length >= MOST_PERIODS:
        length *= 2
    return length


def period_name(since: float, length: int) -> str:
    """Name a period as people do: by day or time in UTC; on a simulated clock, by the time since its beginning."""
    if since < _SIMULATED_S:
        return f"{timedelta(seconds=since)} to {timedelta(seconds=since + length)}"
    begins = datetime.fromtimestamp(since, UTC)
    if length > _DAY_S:
        return f"{begins:%Y-%m-%d} to {begins + timedelta(seconds=length - 1):%Y-%m-%d}"
    return f"{begins:%Y-%m-%d}" if length == _DAY_S else f"{begins:%Y-%m-%d %H:%M{':%S' if length < 60 else ''}}"


def _sums(queries: Sequence[ShardQuery], wanted: PageFilter, asked: dict[str, Any]) -> list[dict[str, Any]]:
    return [found for each in queries if (found := each.sum_up(wanted, asked))]
