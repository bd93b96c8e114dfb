"""What a crawl last said of itself, in `RUN/status.json`: checked once here, trusted everywhere else.

A run folder may come from a stranger, and a file may be of another version. One that is not as a crawl writes it counts
as none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pydantic import FiniteFloat, NonNegativeInt, TypeAdapter
from typing_extensions import TypedDict  # pydantic cannot read that of `typing` before Python 3.12

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST: Final = 4_000_000  # bytes


class InFlight(TypedDict):
    """A link that is being fetched."""

    url: str
    since: FiniteFloat


class WaitingBest(TypedDict):
    """A link that waits, and what speaks for it."""

    url: str
    score: FiniteFloat
    level: NonNegativeInt
    anchor: str
    found_on: str | None
    page_relevance: FiniteFloat | None
    depth: NonNegativeInt


class RestingHost(TypedDict):
    """A host that may not be asked yet."""

    host: str
    ready_at: FiniteFloat


class SuggestedQuestion(TypedDict):
    """A page about which an answer would help."""

    url: str
    title: str
    relevance: FiniteFloat


class ClusterStatus(TypedDict):
    """A crawl on a cluster, all shards together; the gathered run is some seconds old."""

    workers: NonNegativeInt
    shards: NonNegativeInt
    replaced: NonNegativeInt  # workers that died
    fetches: NonNegativeInt
    pages: NonNegativeInt
    relevant: NonNegativeInt
    waiting: NonNegativeInt
    in_flight: NonNegativeInt
    in_transit: NonNegativeInt  # links on their way to the shard of their host
    pages_per_s: FiniteFloat  # lately


class CrawlStatus(TypedDict, total=False):
    """The parts of the file that the dashboard shows; times are on the crawl's clock."""

    written_at: FiniteFloat  # Unix time
    now: FiniteFloat
    budget: NonNegativeInt  # of fetches; it may be larger than the run began with
    in_flight: list[InFlight]
    best_waiting: list[WaitingBest]
    waits_for: str | None  # a better host at rest, while others are ready
    resting_hosts: list[RestingHost]
    waiting_by_host: dict[str, NonNegativeInt]
    weights: dict[str, FiniteFloat]
    questions: list[SuggestedQuestion]
    cluster: ClusterStatus


_STATUS: Final = TypeAdapter(CrawlStatus)


def read_status(path: Path) -> CrawlStatus:
    """Return what the crawl of a run folder last said of itself; empty where there is nothing that can be read."""
    try:
        with (path / "status.json").open("rb") as opened:
            return _STATUS.validate_json(opened.read(_LARGEST))
    except (OSError, ValueError):  # also what pydantic raises
        return {}
