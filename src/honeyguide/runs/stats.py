"""A run in numbers: what was spent, what came of it, where it came from, and what took the time."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Final

from honeyguide.guard.url_pattern import shape_of
from honeyguide.model import Url, registered_domain
from honeyguide.runs.forecast import HORIZONS
from honeyguide.runs.run import opened_run
from honeyguide.text import url_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from honeyguide.runs.forecast import Outlook
    from honeyguide.runs.run import FetchColumns, Run

RELEVANCE_BINS: Final = 20
MOST_PATTERNS: Final = 20_000
"""In memory while counting. A site may consist of nothing but different ones; the rarest half is then dropped."""
_LONGEST_PATTERN: Final = 80
_TOLD_EVERY: Final = 1_000  # fetches

_SIGNS: Final = (
    "is_too_long", "is_too_deep", "has_non_text_type", "has_query", "has_gibberish_host", "has_gibberish_path",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class HostStats:
    """Counts of one host."""

    host: str
    fetches: int
    pages: int
    relevant: int
    body_bytes: int


@dataclass(frozen=True, slots=True)
class PatternStats:
    """Pages whose addresses have one shape, such as `/wiki/*` (see `guard.shape`)."""

    pattern: str
    pages: int
    relevant: int


@dataclass(frozen=True, slots=True)
class RunStats:
    """The counts of a run. `dataclasses.asdict` gives them as data."""

    run: str
    topic: str
    world: str
    strategy: str
    stop_reason: str  # empty while the crawl may go on
    budget: int
    fetches: int
    pages: int
    relevant: int
    harvest_rate: float  # relevant pages a fetch
    unindexed_pages: int
    skipped_links: int
    waiting_links: int
    drawn_fetches: int  # of links drawn by chance, whatever the strategy thought of them
    drawn_relevant: int  # of these
    outlook: Outlook
    outcomes: dict[str, int]  # of fetches: fetched, redirected, refused, failed and so on
    without_page: dict[str, int]  # fetches that brought no page, by reason
    media_types: dict[str, int]  # of pages
    body_bytes: int  # received
    run_bytes: int  # on disk
    crawl_seconds: float  # on the crawl's clock, which is simulated offline
    answer_seconds: float  # waiting for answers, over all fetches, of which many may be under way at once
    stage_seconds: dict[str, float]  # real time by stage
    hosts: int  # that were asked
    hosts_with_pages: int
    domains: int  # registered domains they belong to
    top_hosts: tuple[HostStats, ...]  # those with the most relevant pages first, then the most pages
    patterns: tuple[PatternStats, ...]  # the most pages first
    url_signs: dict[str, int]  # pages whose addresses have a sign of a wasted fetch (Lim 2016, 5.2.4)
    depths: tuple[tuple[int, int, int], ...]  # clicks from a seed, pages, relevant pages
    relevance: tuple[int, ...]  # pages in twenty equal steps of relevance from 0 to 1
    mean_relevance: float  # of all pages (Lim 2016, 5.4); 0 without any


@dataclass(slots=True)
class _Count:
    fetches: int = 0
    pages: int = 0
    relevant: int = 0
    body_bytes: int = 0

    def add_page(self, is_relevant: int, body_bytes: int = 0) -> None:
        self.pages += 1
        self.relevant += is_relevant
        self.body_bytes += body_bytes


@dataclass(slots=True)
class _Fetches:
    """Counts that grow fetch by fetch."""

    by_host: defaultdict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))
    by_pattern: defaultdict[str, _Count] = field(default_factory=lambda: defaultdict(_Count))
    by_depth: defaultdict[int, _Count] = field(default_factory=lambda: defaultdict(_Count))
    media_types: Counter[str] = field(default_factory=Counter)
    signs: Counter[str] = field(default_factory=Counter)
    relevance: list[int] = field(default_factory=lambda: [0] * RELEVANCE_BINS)
    relevance_sum: float = 0.0
    drawn: int = 0
    drawn_relevant: int = 0

    def add(self, fetch: FetchColumns) -> None:
        url = Url(fetch.url)
        host = self.by_host[url.host]
        host.fetches += fetch.outcome != "unknown"
        self.drawn += fetch.explored
        self.drawn_relevant += fetch.explored and fetch.is_relevant
        if not fetch.is_page:
            return
        host.add_page(fetch.is_relevant, fetch.body_bytes)
        self.by_pattern[_pattern(url)].add_page(fetch.is_relevant)
        self.by_depth[fetch.depth].add_page(fetch.is_relevant)
        self.media_types[fetch.media_type] += 1
        shape = url_shape(url)
        self.signs.update(sign for sign in _SIGNS if getattr(shape, sign))
        self.relevance[max(0, min(RELEVANCE_BINS - 1, int(fetch.relevance * RELEVANCE_BINS)))] += 1
        self.relevance_sum += fetch.relevance
        if len(self.by_pattern) > MOST_PATTERNS:
            kept = sorted(self.by_pattern.items(), key=lambda item: -item[1].pages)[: MOST_PATTERNS // 2]
            self.by_pattern = defaultdict(_Count, kept)


def _pattern(url: Url) -> str:
    path = shape_of(url).path
    return path if len(path) <= _LONGEST_PATTERN else f"{path[: _LONGEST_PATTERN - 1]}…"


def harvest_curve(grades: Iterable[bool], budget: int) -> list[int]:
    """Count on-topic pages after 0, 1, 2, … fetches over the whole budget: what was left unspent is charged, too."""
    curve = list(accumulate(islice(map(int, grades), budget), initial=0))
    return curve + [curve[-1]] * (budget + 1 - len(curve))


def downsampled(curve: Sequence[int], points: int) -> list[tuple[int, int]]:
    """Return at most `points` pairs of fetches and pages of a curve, evenly spaced, with the first and the last."""
    last = len(curve) - 1
    if points < 2 or last < 1:
        return [(last, curve[-1])]
    positions = dict.fromkeys(round(last * number / (points - 1)) for number in range(points))
    return [(position, curve[position]) for position in positions]


def stats(
    run: Run | Path | str,
    top: int = 20,
    horizons: Sequence[int] = HORIZONS,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> RunStats:
    """Count a run, open or by its folder.

    `top` is how many hosts and patterns to name, `horizons` for how many more fetches to tell the yield. `on_progress`
    hears now and then how many fetches are counted, and of how many.
    """
    with opened_run(run) as source, source.at_one_moment():
        return _stats(source, top, horizons, on_progress)


def _stats(run: Run, top: int, horizons: Sequence[int], on_progress: Callable[[int, int], None]) -> RunStats:
    settings, progress = run.settings, run.progress
    pages = _Fetches()
    for number, fetch in enumerate(run.fetch_columns()):
        pages.add(fetch)
        if number % _TOLD_EVERY == 0:
            on_progress(number, progress.steps)
    asked = {host: count for host, count in pages.by_host.items() if count.fetches}
    return RunStats(
        run=str(run.path),
        topic=settings.topic.name,
        world=settings.crawl.world,
        strategy=settings.crawl.strategy,
        stop_reason=progress.stop_reason,
        budget=settings.budget.fetches,
        fetches=progress.fetches,
        pages=progress.pages,
        relevant=progress.relevant,
        harvest_rate=run.harvest_rate,
        unindexed_pages=progress.unindexed,
        skipped_links=progress.skips,
        waiting_links=progress.waiting,
        drawn_fetches=pages.drawn,
        drawn_relevant=pages.drawn_relevant,
        outlook=run.outlook(horizons),
        outcomes=run.outcomes(),
        without_page=run.without_page(),
        media_types=dict(pages.media_types.most_common()),
        body_bytes=progress.body_bytes,
        run_bytes=run.size_bytes(),
        crawl_seconds=progress.spent_seconds,
        answer_seconds=run.answer_seconds(),
        stage_seconds=run.stage_seconds(),
        hosts=len(asked),
        hosts_with_pages=sum(count.pages > 0 for count in asked.values()),
        domains=len({registered_domain(host) for host in asked}),
        top_hosts=_top_hosts(asked, top),
        patterns=_top_patterns(pages.by_pattern.items(), top),
        url_signs={sign: pages.signs[sign] for sign in _SIGNS if pages.signs[sign]},
        depths=tuple((depth, count.pages, count.relevant) for depth, count in sorted(pages.by_depth.items())),
        relevance=tuple(pages.relevance),
        mean_relevance=pages.relevance_sum / max(1, sum(pages.relevance)),
    )


def _top_hosts(counts: Mapping[str, _Count], top: int) -> tuple[HostStats, ...]:
    order = sorted(counts.items(), key=lambda item: (-item[1].relevant, -item[1].pages, -item[1].fetches, item[0]))
    return tuple(
        HostStats(host, count.fetches, count.pages, count.relevant, count.body_bytes) for host, count in order[:top]
    )


def _top_patterns(counts: Iterable[tuple[str, _Count]], top: int) -> tuple[PatternStats, ...]:
    order = sorted(counts, key=lambda item: (-item[1].pages, item[0]))
    return tuple(PatternStats(pattern, count.pages, count.relevant) for pattern, count in order[:top])
